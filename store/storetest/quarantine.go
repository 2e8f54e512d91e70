package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
)

func quarantineTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"a record rejected again keeps its row":       quarantineAgain,
		"a document resolves an unread record":        quarantineRead,
		"a fetcher resolves an unread record":         quarantineResolved,
		"an item's end knows what is unread":          quarantineEnd,
		"what is accepted stays accepted":             quarantineAccepted,
		"a read record that is rejected is a new one": quarantineReturns,
		"records of a backfill":                       quarantineLane,
		"what came in place of an answer":             quarantineAnswer,
		"many unread records":                         quarantineMany,
		"an id that is too long for an index":         quarantineLong,
		"two items of one name":                       quarantineRename,
	}
}

// rejecting is the next page of an item, with records that could not be read.
func rejecting(it rows.ClaimedItem, at time.Time, ids ...string) rows.Write {
	w := page(it)
	w.At = at
	for _, id := range ids {
		w.Page.Page.Rejects = append(w.Page.Page.Rejects, harvest.Reject{ID: id, Reason: "torn", Bytes: []byte("<" + id), Where: "at:" + id})
	}
	return w
}

// judged closes a write's item by what is unread.
func judged(w rows.Write, got *rows.Unread) rows.Write {
	w.Settle = &rows.Settle{State: rows.ItemClosed, Evaluate: func(_ harvest.Tally, u rows.Unread) rows.Settle {
		*got = u
		s := rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Unchanged, Attempts: 1}
		if u.Records > 0 {
			s.Outcome = outcomes.Partial
		}
		return s
	}}
	return w
}

// runOnce is a whole run of item a that ends with a write of one page, made from its
// claim.
func runOnce(t *testing.T, s Store, id, lane string, make func(rows.ClaimedItem) rows.Write) (rows.Unread, rows.Written) {
	t.Helper()
	run := openLane(t, s, id, lane, "a")
	var u rows.Unread
	out := s.Write(t.Context(), judged(make(one(t, s, run, 1)), &u))
	require.NoError(t, out.Err)
	finish(t, s, run)
	return u, out
}

func rejects(at time.Time, ids ...string) func(rows.ClaimedItem) rows.Write {
	return func(it rows.ClaimedItem) rows.Write { return rejecting(it, at, ids...) }
}

func brings(ids ...string) func(rows.ClaimedItem) rows.Write {
	return func(it rows.ClaimedItem) rows.Write { return page(it, ids...) }
}

func open(t *testing.T, s Store) []rows.Failure {
	t.Helper()
	list, err := s.Failures(t.Context(), rows.FailureFilter{Open: true})
	require.NoError(t, err)
	return list
}

func records(list []rows.Failure) (ids []string) {
	for _, f := range list {
		ids = append(ids, f.Record)
	}
	return ids
}

func itemA() units.Item { return units.Item{Campaign: "news", Entry: "feed", Key: "a"} }

func quarantineAgain(t *testing.T, s Store) {
	later := noon().Add(time.Hour)
	runOnce(t, s, "1", "", rejects(noon(), "r1", "r1", "r2"))
	first := open(t, s)
	require.Len(t, first, 2)
	u, out := runOnce(t, s, "2", "", rejects(later, "r1"))
	require.Equal(t, rows.Unread{Records: 2, Since: noon(), Now: 1}, u)
	require.Equal(t, u, out.Unread)
	require.Equal(t, outcomes.Partial, out.Outcome)
	list := open(t, s)
	require.Equal(t, []string{"r1", "r2"}, records(list), "the newest first")
	require.Equal(t, 2, list[0].Times)
	require.Equal(t, later, list[0].At)
	require.Equal(t, noon(), list[0].Since)
	require.Equal(t, "news-2", list[0].Run)
	require.Equal(t, "at:r1", list[0].Where)
	require.Contains(t, []int64{first[0].ID, first[1].ID}, list[0].ID)
	byID, err := s.Failures(t.Context(), rows.FailureFilter{IDs: []int64{list[1].ID, 99}, Kind: harvest.KindBadRecord, Entry: "feed"})
	require.NoError(t, err)
	require.Equal(t, []string{"r2"}, records(byID))
}

func quarantineRead(t *testing.T, s Store) {
	runOnce(t, s, "1", "", rejects(noon(), "r1", "r2"))
	run := openRun(t, s, "2", "a")
	it := one(t, s, run, 1)
	require.True(t, it.Quarantined)
	it, _ = commit(t, s, it, page(it, "r1", "other"))
	list, u, err := s.Unread(t.Context(), itemA(), "", run)
	require.NoError(t, err)
	require.Equal(t, []harvest.Unread{{ID: "r2", Where: "at:r2", Since: noon()}}, list)
	require.Equal(t, rows.Unread{Records: 1, Since: noon()}, u)
	w := page(it)
	w.Page.Page.Documents = []harvest.Document{{ID: "r2", Deleted: true}}
	commit(t, s, it, closed(w, outcomes.Done))
	finish(t, s, run)
	require.Empty(t, open(t, s), "a deletion is read, too")
	require.False(t, health(t, s, "a").Quarantined)
	require.False(t, one(t, s, openRun(t, s, "3", "a"), 1).Quarantined)
}

func quarantineResolved(t *testing.T, s Store) {
	digest := harvest.Digest([]byte("<torn"))
	runOnce(t, s, "1", "", func(it rows.ClaimedItem) rows.Write {
		w := rejecting(it, noon(), "r1")
		w.Page.Page.Rejects = append(w.Page.Page.Rejects, harvest.Reject{Reason: "torn", Bytes: []byte("<torn")})
		return w
	})
	list, _, err := s.Unread(t.Context(), itemA(), "", 0)
	require.NoError(t, err)
	require.Equal(t, digest, list[1].ID)
	u, _ := runOnce(t, s, "2", "", func(it rows.ClaimedItem) rows.Write {
		w := page(it)
		w.Page.Page.NotModified, w.Page.Page.Resolved = true, []string{digest, "unknown"}
		return w
	})
	require.Equal(t, 1, u.Records)
	require.Equal(t, []string{"r1"}, records(open(t, s)))
}

func quarantineEnd(t *testing.T, s Store) {
	runOnce(t, s, "1", "", rejects(noon(), "r1"))
	run := openRun(t, s, "2", "a")
	it := one(t, s, run, 1)
	w := judged(write(it), new(rows.Unread))
	out := s.Write(t.Context(), w)
	require.NoError(t, out.Err)
	require.Equal(t, outcomes.Partial, out.Outcome, "also at an end without a page")
	require.Equal(t, outcomes.Partial, item(t, s, run, "a").Outcome)
	require.Equal(t, outcomes.Partial, health(t, s, "a").Outcome)
	require.Equal(t, outcomes.Partial, s.Write(t.Context(), w).Outcome, "and where the answer to its COMMIT was lost")
}

func quarantineAccepted(t *testing.T, s Store) {
	runOnce(t, s, "1", "", rejects(noon(), "r1", "r2"))
	list := open(t, s)
	require.ErrorIs(t, s.AcceptFailures(t.Context(), list[0].ID, 9999), rows.ErrNotFound)
	require.Len(t, open(t, s), 2, "all of them or none")
	require.NoError(t, s.AcceptFailures(t.Context(), list[0].ID, list[1].ID))
	require.False(t, health(t, s, "a").Quarantined)
	u, out := runOnce(t, s, "2", "", rejects(noon().Add(time.Hour), "r1", "r2"))
	require.Zero(t, u)
	require.Equal(t, 2, out.Tally.Quarantined)
	require.Empty(t, open(t, s))
	f, err := s.Failure(t.Context(), list[0].ID)
	require.NoError(t, err)
	require.Equal(t, 2, f.Times, "it is known to come still")
}

func quarantineReturns(t *testing.T, s Store) {
	later := noon().Add(time.Hour)
	runOnce(t, s, "1", "", rejects(noon(), "r1"))
	runOnce(t, s, "2", "", brings("r1"))
	u, _ := runOnce(t, s, "3", "", rejects(later, "r1"))
	require.Equal(t, rows.Unread{Records: 1, Since: later, Now: 1}, u)
	list := open(t, s)
	require.Len(t, list, 1)
	require.Equal(t, 1, list[0].Times)
	require.True(t, list[0].Resolved.IsZero())
}

func quarantineLane(t *testing.T, s Store) {
	runOnce(t, s, "1", "", rejects(noon(), "r1"))
	u, _ := runOnce(t, s, "2", "back", rejects(noon().Add(time.Hour), "r1", "r2"))
	require.Equal(t, 2, u.Records, "a backfill answers for its own")
	require.Equal(t, noon().Add(time.Hour), u.Since)
	require.Len(t, open(t, s), 3)
	u, _ = runOnce(t, s, "3", "", brings("other"))
	require.Equal(t, rows.Unread{Records: 2, Since: noon()}, u, "one record is counted once")
	u, _ = runOnce(t, s, "4", "", brings("r1", "r2"))
	require.Zero(t, u)
	require.Empty(t, open(t, s), "read is read")
}

func quarantineAnswer(t *testing.T, s Store) {
	broken := func(id, lane string, o outcomes.Outcome, kind harvest.Kind, evidence string) {
		run := openLane(t, s, id, lane, "a")
		w := closed(write(one(t, s, run, 1)), o)
		w.Settle.Kind, w.Settle.Error = kind, "what came is not a feed"
		if evidence != "" {
			w.Settle.Evidence = []byte(evidence)
		}
		require.NoError(t, s.Write(t.Context(), w).Err)
		finish(t, s, run)
	}
	broken("1", "", outcomes.Broken, harvest.KindBroken, "<html>one")
	broken("2", "", outcomes.Broken, harvest.KindBroken, "<html>two")
	list := open(t, s)
	require.Len(t, list, 1)
	require.True(t, list[0].Answer)
	require.Equal(t, 2, list[0].Times)
	whole, err := s.Failure(t.Context(), list[0].ID)
	require.NoError(t, err)
	require.Equal(t, "<html>two", string(whole.Bytes), "the last one is kept")
	again, u, err := s.Unread(t.Context(), itemA(), "", 0)
	require.NoError(t, err)
	require.Empty(t, again, "it is not a record")
	require.Zero(t, u)
	require.NoError(t, s.AcceptFailures(t.Context(), list[0].ID))
	broken("3", "", outcomes.Broken, harvest.KindBroken, "<html>three")
	require.Empty(t, open(t, s), "more of the same")
	broken("4", "", outcomes.Blocked, harvest.KindBlocked, "no robots")
	require.Len(t, open(t, s), 1, "something else")
	broken("5", "", outcomes.Skipped, "", "")
	require.Len(t, open(t, s), 1)
	runOnce(t, s, "6", "", brings("d1"))
	require.Empty(t, open(t, s), "the source answers again")
}

func quarantineMany(t *testing.T, s Store) {
	ids := keys(300)
	runOnce(t, s, "1", "", rejects(noon(), ids...))
	list, u, err := s.Unread(t.Context(), itemA(), "", 0)
	require.NoError(t, err)
	require.Equal(t, 300, u.Records)
	require.Len(t, list, harvest.MaxUnread)
	require.Equal(t, ids[0], list[0].ID)
	runOnce(t, s, "2", "", rejects(noon().Add(time.Hour), ids[:100]...))
	list, _, err = s.Unread(t.Context(), itemA(), "", 0)
	require.NoError(t, err)
	require.Equal(t, ids[100], list[0].ID, "the others have their turn")
}

func quarantineLong(t *testing.T, s Store) {
	long := strings.Repeat("x", 5000)
	runOnce(t, s, "1", "", func(it rows.ClaimedItem) rows.Write {
		w := rejecting(it, noon(), long)
		w.Page.Page.Rejects[0].Where = strings.Repeat("y", 5000)
		return w
	})
	list, _, err := s.Unread(t.Context(), itemA(), "", 0)
	require.NoError(t, err)
	require.Equal(t, long, list[0].ID)
	require.Empty(t, list[0].Where)
	runOnce(t, s, "2", "", func(it rows.ClaimedItem) rows.Write {
		w := page(it)
		w.Page.Page.Resolved = []string{long}
		return w
	})
	require.Empty(t, open(t, s))
}

func quarantineRename(t *testing.T, s Store) {
	apply(t, s, campaign("news", "n1"))
	runOnce(t, s, "1", "", rejects(noon(), "r1"))
	gate, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{RunID: "other", WorkflowID: "notizie-1", Campaign: "notizie", Version: 1, StartedAt: noon()}})
	require.NoError(t, err)
	require.NoError(t, s.AddItems(t.Context(), gate.Run.ID, runItems("a")))
	_, err = s.SealRun(t.Context(), gate.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	w := closed(write(one(t, s, gate.Run.ID, 1)), outcomes.Broken)
	w.Settle.Kind, w.Settle.Evidence = harvest.KindBroken, []byte("<html>")
	require.NoError(t, s.Write(t.Context(), w).Err)
	finish(t, s, gate.Run.ID)
	c := campaign("notizie", "n2")
	c.Was = []string{"news"}
	apply(t, s, c)
	list, err := s.Failures(t.Context(), rows.FailureFilter{Campaign: "notizie", Open: true})
	require.NoError(t, err)
	require.Len(t, list, 2)
	items, err := s.Items(t.Context(), rows.ItemsFilter{Campaign: "notizie"})
	require.NoError(t, err)
	require.Len(t, items, 1)
	require.True(t, items[0].Quarantined)
}
