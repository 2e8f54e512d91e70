package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func pageTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"page, checkpoint, ledger and counters":   pageWhole,
		"a lost COMMIT answer":                    pageLostAnswer,
		"a lost answer to a settle":               pageLostSettle,
		"a gap is no page":                        pageGap,
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
	w.Ledger = []harvest.Exchange{
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

	last := closed(page(it, "d3", "d4"), harvest.OutcomeDone)
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

func pageLostAnswer(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1", "d2")
	w.Ledger = []harvest.Exchange{{At: noon(), Method: "GET", Host: "example.org", Status: 200, Bytes: 10}}
	next, tally := commit(t, s, it, w)
	for range 3 {
		got := s.Write(t.Context(), w)
		require.NoError(t, got.Err, "the same page again")
		require.Equal(t, tally, got.Tally, "answered as it was then")
	}
	w = closed(page(next, "d2", "d3"), harvest.OutcomeDone)
	_, tally = commit(t, s, next, w)
	got := s.Write(t.Context(), w)
	require.NoError(t, got.Err)
	require.Equal(t, tally, got.Tally)
	require.Equal(t, rows.Counts{Documents: 3, Changes: 3, Pages: 2, Exchanges: 1}, counts(t, s))
	require.EqualValues(t, 3, health(t, s, "a").Documents)
}

func pageLostSettle(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := reopened(write(it), noon())
	commit(t, s, it, w)
	commit(t, s, it, w)
	require.Equal(t, 1, item(t, s, run, "a").Attempts, "counted once")
	it = one(t, s, run, 1)
	w = closed(write(it), harvest.OutcomeUnchanged)
	commit(t, s, it, w)
	commit(t, s, it, w)
	require.Equal(t, 1, health(t, s, "a").Streak)
	require.ErrorIs(t, s.Write(t.Context(), closed(write(it), harvest.OutcomeFailed)).Err, rows.ErrFenced, "another end")
}

func pageGap(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1")
	w.Page.Seq = 3
	got := s.Write(t.Context(), w)
	require.Error(t, got.Err)
	require.Equal(t, harvest.KindInternal, harvest.KindOf(got.Err))
	require.Zero(t, counts(t, s))
	commit(t, s, it, page(it, "d1"))
}

func pageAfterClose(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	it := one(t, s, run, 1)
	n, err := s.CloseOpenItems(t.Context(), run, harvest.OutcomeCancelled, string(harvest.WhyTerminated))
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced)
	finish(t, s, run)

	run = openRun(t, s, "2", "a")
	it = one(t, s, run, 1)
	finish(t, s, run)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced, "closed without its items")
	require.Empty(t, claim(t, s, run, 9, 5).Items)
	require.Zero(t, counts(t, s).Documents)
}

func pageReset(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "x"))
	run := openRun(t, s, "2", "a")
	it := one(t, s, run, 1)
	n, err := s.ResetCheckpoints(t.Context(), rows.CheckpointFilter{Campaign: "news"})
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d2")).Err, rows.ErrFenced)
	cp := checkpoint(t, s, "a", "")
	require.Empty(t, cp.Value)
	require.Empty(t, cp.Params)
	require.EqualValues(t, 2, cp.Version)
	commit(t, s, it, reopened(write(it), noon()))
	it = one(t, s, run, 1)
	require.EqualValues(t, 2, it.Checkpoint.Version)
	require.Empty(t, it.Checkpoint.Value)
	commit(t, s, it, page(it, "d2"))
}

func pageFirstReset(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	_, err := s.ResetCheckpoints(t.Context(), rows.CheckpointFilter{Campaign: "news", Entry: "feed", Key: "a"})
	require.NoError(t, err)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced)
	require.Zero(t, counts(t, s).Documents)
}

func pageSet(t *testing.T, s Store) {
	name := harvest.Item{Campaign: "news", Entry: "feed", Key: "a"}
	require.NoError(t, s.SetCheckpoint(t.Context(), name, "", []byte(`{"from":"2026-05-01"}`)), "before the first run")
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	require.JSONEq(t, `{"from":"2026-05-01"}`, string(it.Checkpoint.Value))
	require.EqualValues(t, 1, it.Checkpoint.Version)
	require.NoError(t, s.SetCheckpoint(t.Context(), name, "", []byte(`{"from":"2026-04-01"}`)))
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced)
	require.Error(t, s.SetCheckpoint(t.Context(), name, "", []byte(`{`)))
	require.JSONEq(t, `{"from":"2026-04-01"}`, string(checkpoint(t, s, "a", "").Value))
}

func pageStopped(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	got := claim(t, s, run, 1, 2)
	require.NoError(t, s.StopRun(t.Context(), run, "cancelled"))
	it := got.Items[0]
	w := page(it, "d1")
	answer := s.Write(t.Context(), w)
	require.ErrorIs(t, answer.Err, rows.ErrStopped)
	require.Equal(t, 1, answer.Tally.New, "the page was committed")
	answer = s.Write(t.Context(), w)
	require.ErrorIs(t, answer.Err, rows.ErrStopped, "and once only")
	require.Equal(t, 1, answer.Tally.New)
	require.NoError(t, s.Write(t.Context(), reopened(write(it), noon())).Err, "handing back is no page")
	require.NoError(t, s.Write(t.Context(), closed(page(got.Items[1], "d2"), harvest.OutcomeDone)).Err, "nothing follows a last page")
	require.EqualValues(t, 2, counts(t, s).Documents)
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
	require.NoError(t, s.AcceptFailure(t.Context(), whole.ID))
	whole, err = s.Failure(t.Context(), whole.ID)
	require.NoError(t, err)
	require.False(t, whole.Accepted.IsZero())
	_, err = s.Failure(t.Context(), 9999)
	require.ErrorIs(t, err, rows.ErrNotFound)
	require.ErrorIs(t, s.AcceptFailure(t.Context(), 9999), rows.ErrNotFound)
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
	w := closed(write(it), harvest.OutcomeFailed)
	w.Settle.Why, w.Settle.Kind, w.Settle.Error = "tried-too-many-times", harvest.KindTimeout, "get https://example.org: timeout"
	commit(t, s, it, w)
	got := item(t, s, run, "a")
	require.Equal(t, 4, got.Attempts)
	require.Equal(t, harvest.OutcomeFailed, got.Outcome)
	require.Equal(t, w.Settle.Error, got.Error)
	require.Equal(t, "tried-too-many-times", got.Why)
}

func pageLedgerOnly(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := reopened(write(it), noon())
	w.Ledger = []harvest.Exchange{{At: noon(), Method: "GET", Host: "example.org", Status: 503, Bytes: 12}}
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

func pageCancelled(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	ctx, cancel := contextOf(t)
	cancel()
	require.ErrorIs(t, s.Write(ctx, page(it, "d1")).Err, ctx.Err())
	require.Zero(t, counts(t, s).Documents)
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

func pageAtomic(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	w := page(it, "d1", "d2", "d3", "d4", "d5", "d6")
	w.Page.Page.Documents[5].Fields = map[string]any{"f": func() {}}
	require.Error(t, s.Write(t.Context(), w).Err)
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
