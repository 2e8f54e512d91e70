package storetest

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func pageTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"records that no database takes":          pagesOdd,
		"records that only look odd":              pagesOddKept,
		"page, checkpoint, ledger and counters":   pageWhole,
		"a lost COMMIT answer":                    pageLostAnswer,
		"a lost answer to a settle":               pageLostSettle,
		"a gap is not a page":                     pageGap,
		"a page after the run was closed":         pageAfterClose,
		"a reset during a page":                   pageReset,
		"a reset during the first page":           pageFirstReset,
		"a checkpoint set by hand during a page":  pageSet,
		"one writer of two wins":                  pageRace,
		"one bad write among many":                pageBadNeighbour,
		"a stop is told beside the page":          pageStopped,
		"warnings, at most ten":                   pageWarnings,
		"records that could not be read":          pageRejects,
		"attempts and throttles add up":           pageAttempts,
		"the numbers of a page add up":            pageAddsUp,
		"a ledger line without a page":            pageLedgerOnly,
		"an ended context writes nothing":         pageCancelled,
		"a follower never skips":                  pageFollower,
		"two documents with one id":               pageTwice,
		"many writers, one transaction or many":   pageMany,
		"a page is whole or not there":            pageAtomic,
		"a checkpoint of nothing is a checkpoint": pageNoCheckpoint,
	}
}

func pageWhole(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 7)
	w := page(it, "d1", "d2", "d3")
	w.Progress = rows.Progress{Done: 3, Total: 10}
	w.Ledger = []visit.Exchange{
		{At: noon(), Method: "GET", URL: "https://example.org/a", Host: "example.org", Status: 429, RetryAfter: time.Minute, Kind: harvest.KindThrottled, Error: "HTTP status 429"},
		{At: noon().Add(time.Minute), Method: "GET", URL: "https://example.org/a", Host: "example.org", Status: 200, Bytes: 4096, Took: 120 * time.Millisecond, Waited: time.Second, Note: "robots allowed"},
	}
	it, tally := commit(t, s, it, w)
	require.Equal(t, harvest.Tally{Pages: 1, Listed: 3, New: 3, Asked: 2, Bytes: 4096}, tally)

	stored := item(t, s, run, "a")
	require.Equal(t, tally, stored.Tally)
	require.Equal(t, rows.ItemClaimed, stored.State)
	require.Equal(t, 1, stored.Seq)
	require.EqualValues(t, 10, stored.Total)
	cp := checkpoint(t, s, "a", "")
	require.EqualValues(t, 1, cp.Version)
	require.JSONEq(t, `{"seq":1}`, string(cp.Value))
	require.Equal(t, "news-1", cp.Run)
	require.Equal(t, noon(), cp.UpdatedAt)

	lines := all(t, s.Ledger(t.Context(), rows.LedgerFilter{Run: run}))
	require.Len(t, lines, 2)
	require.Equal(t, w.Ledger[0], lines[0].Exchange)
	require.Equal(t, w.Ledger[1], lines[1].Exchange)
	require.Equal(t, w.Item, lines[0].Item)
	require.Equal(t, "news-1", lines[0].Run)
	require.Equal(t, 1, lines[0].Seq)
	require.Equal(t, "w7", lines[0].Worker)

	last := closed(page(it, "d3", "d4"), outcomes.Done)
	_, tally = commit(t, s, it, last)
	require.Equal(t, harvest.Tally{Pages: 1, Listed: 2, New: 1, Same: 1}, tally)
	stored = item(t, s, run, "a")
	require.Equal(t, rows.ItemClosed, stored.State)
	require.Equal(t, noon(), stored.ClosedAt)
	require.Equal(t, harvest.Tally{Pages: 2, Listed: 5, New: 4, Same: 1, Asked: 2, Bytes: 4096}, stored.Tally)
	finish(t, s, run)
	r, err := s.RunByID(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, stored.Tally, r.Tally)
	require.Equal(t, rows.Counts{Documents: 4, Changes: 4, Pages: 2, Exchanges: 2}, counts(t, s))
}

func pageWarnings(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	for i := range 3 {
		w := page(it)
		for k := range 4 {
			w.Page.Page.Warnings = append(w.Page.Page.Warnings, fmt.Sprintf("warning %d.%d", i, k))
		}
		it, _ = commit(t, s, it, w)
	}
	warnings := item(t, s, run, "a").Warnings
	require.Len(t, warnings, 10)
	require.Equal(t, "warning 0.0", warnings[0])
	require.Equal(t, "warning 2.1", warnings[9])
}

func pageRejects(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1")
	long := make([]byte, 100<<10)
	w.Page.Page.Rejects = []harvest.Reject{{ID: "r1", Reason: `date "31/02/2026"`, Bytes: []byte("<item>\xff\x00</item>")}, {ID: "r2", Reason: "too deep", Bytes: long}}
	_, tally := commit(t, s, it, w)
	require.Equal(t, 2, tally.Quarantined)
	list, err := s.Failures(t.Context(), rows.FailureFilter{Campaign: "news", Run: run, Key: "a"})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "r2", list[0].Record, "the newest first")
	require.Empty(t, list[0].Bytes, "lists carry no bytes")
	require.EqualValues(t, len(long), list[0].Size)
	whole, err := s.Failure(t.Context(), list[0].ID)
	require.NoError(t, err)
	require.Len(t, whole.Bytes, 64<<10)
	whole, err = s.Failure(t.Context(), list[1].ID)
	require.NoError(t, err)
	require.Equal(t, "<item>\xff\x00</item>", string(whole.Bytes))
	require.Equal(t, harvest.KindBadRecord, whole.Kind)
	require.Equal(t, w.Item, whole.Item)
	require.Equal(t, "news-1", whole.Run)
	require.Equal(t, 1, whole.Seq)
	require.NoError(t, s.AcceptFailures(t.Context(), whole.ID))
	whole, err = s.Failure(t.Context(), whole.ID)
	require.NoError(t, err)
	require.False(t, whole.Accepted.IsZero())
	_, err = s.Failure(t.Context(), 9999)
	require.ErrorIs(t, err, rows.ErrNotFound)
	require.ErrorIs(t, s.AcceptFailures(t.Context(), 9999), rows.ErrNotFound)
}

func pageAttempts(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	for i := range 3 {
		it := one(t, s, run, 1)
		require.Equal(t, i, it.Attempts)
		require.Equal(t, 2*i, it.Throttles)
		w := reopened(write(it), noon())
		w.Settle.Throttles = 2
		commit(t, s, it, w)
	}
	it := one(t, s, run, 1)
	w := closed(write(it), outcomes.Failed)
	w.Settle.Why, w.Settle.Kind, w.Settle.Error = "tried-too-many-times", harvest.KindTimeout, "get https://example.org: timeout"
	commit(t, s, it, w)
	got := item(t, s, run, "a")
	require.Equal(t, 4, got.Attempts)
	require.Equal(t, outcomes.Failed, got.Outcome)
	require.Equal(t, w.Settle.Error, got.Error)
	require.Equal(t, "tried-too-many-times", got.Why)
}

func pageLedgerOnly(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := reopened(write(it), noon())
	w.Ledger = []visit.Exchange{{At: noon(), Method: "GET", Host: "example.org", Status: 503, Bytes: 12}}
	_, tally := commit(t, s, it, w)
	require.Equal(t, harvest.Tally{Asked: 1, Bytes: 12}, tally)
	require.Equal(t, harvest.Tally{Asked: 1, Bytes: 12}, item(t, s, run, "a").Tally)
	require.Zero(t, all(t, s.Ledger(t.Context(), rows.LedgerFilter{Host: "example.org"}))[0].Seq)
	it = one(t, s, run, 1)
	w = page(it)
	w.Page.Page.NotModified = true
	commit(t, s, it, w)
	require.True(t, item(t, s, run, "a").Tally.NotModified, "an attempt without a page says nothing about the source")
}

func pageTwice(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1", "d2", "d1")
	w.Page.Page.Documents[2].Body = []byte("the last one")
	_, tally := commit(t, s, it, w)
	require.Equal(t, 2, tally.New)
	d, err := s.Document(t.Context(), "news", "d1")
	require.NoError(t, err)
	require.Equal(t, "the last one", d.Line.Body)
	require.Equal(t, 1, d.Version)
}

// What was listed is new, changed, the same, deleted or set aside, also where a
// record stands there twice, or is deleted that nobody knew.
func pageAddsUp(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	it, _ = commit(t, s, it, page(it, "d1", "d2", "d3"))
	w := page(it, "d1", "d2", "d3", "d4", "d4", "d5")
	w.Page.Page.Documents[1].Body = []byte("changed")
	w.Page.Page.Documents[2] = harvest.Document{ID: "d3", Deleted: true}
	w.Page.Page.Documents = append(w.Page.Page.Documents, harvest.Document{ID: "never seen", Deleted: true})
	w.Page.Page.Rejects = []harvest.Reject{{ID: "r1", Reason: "torn"}, {ID: "r1", Reason: "torn"}}
	w.Page.Page.Same = 4
	w.Page.Page.Listed = 6 + 1 + 2 + 4
	it, tally := commit(t, s, it, w)
	require.Equal(t, tally.Listed, tally.New+tally.Changed+tally.Same+tally.Deleted+tally.Quarantined, "%+v", tally)
	w = closed(page(it), outcomes.Done)
	w.Page.Page.NotModified, w.Page.Page.Listed = true, 5
	commit(t, s, it, w)
	finish(t, s, run)
	for name, tally := range map[string]harvest.Tally{"item": item(t, s, run, "a").Tally, "run": runTally(t, s, run)} {
		require.Equal(t, 3+13+5, tally.Listed, name)
		require.Equal(t, tally.Listed, tally.New+tally.Changed+tally.Same+tally.Deleted+tally.Quarantined, "%s: %+v", name, tally)
	}
}

func runTally(t *testing.T, s Store, run int64) harvest.Tally {
	t.Helper()
	r, err := s.RunByID(t.Context(), run)
	require.NoError(t, err)
	return r.Tally
}

func pageAtomic(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1", "d2", "d3", "d4", "d5", "d6")
	w.Page.Page.Documents[5].Body = bytes.Repeat([]byte("b"), 100_000) // a blob
	over, stop := context.WithCancel(t.Context())
	stop()
	require.Error(t, s.Write(over, w).Err)
	require.Zero(t, counts(t, s))
	require.Zero(t, item(t, s, run, "a").Seq)
	commit(t, s, it, page(it, "d1"))
}

func pageNoCheckpoint(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1")
	w.Page.Page.Checkpoint = nil
	it, _ = commit(t, s, it, w)
	commit(t, s, it, reopened(write(it), noon()))
	it = one(t, s, run, 1)
	require.EqualValues(t, 1, it.Checkpoint.Version)
	require.Empty(t, it.Checkpoint.Value)
}
