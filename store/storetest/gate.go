package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func gateTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"one open run per campaign and lane": gateExclusive,
		"the same run id, the same run":      gateIdempotent,
		"a line of bounded length":           gateLine,
		"overlap allowed":                    gateAllow,
		"a race of two processes":            gateRace,
		"items are added once":               gateItems,
		"sealing":                            gateSeal,
		"finishing, and the outbox":          gateFinish,
		"runs that did no work":              gateRecord,
		"finding runs":                       gateFind,
		"closing what is open":               gateCloseOpen,
		"skipping an item":                   gateSkip,
	}
}

func ask(t *testing.T, s Store, n rows.NewRun) rows.Gate {
	t.Helper()
	g, err := s.OpenRun(t.Context(), n)
	require.NoError(t, err)
	return g
}

func gateExclusive(t *testing.T, s Store) {
	first := ask(t, s, newRun("1", ""))
	require.Equal(t, rows.RunOpening, first.Run.State)
	epochIs(t, s, first.Run.Epoch)
	second := ask(t, s, newRun("2", ""))
	require.Zero(t, second.Run.ID)
	require.Equal(t, first.Run.ID, second.Holder.ID)
	require.Equal(t, "news-1", second.Holder.WorkflowID)
	require.NotZero(t, ask(t, s, newRun("3", "backfill")).Run.ID, "another lane")
	other := newRun("4", "")
	other.Campaign = "weather"
	require.NotZero(t, ask(t, s, other).Run.ID)
	finish(t, s, first.Run.ID)
	require.Nil(t, ask(t, s, newRun("2", "")).Holder, "the place is free")
}

func gateIdempotent(t *testing.T, s Store) {
	n := newRun("1", "")
	n.Overrides, n.DueAt, n.Deadline, n.Processors, n.By, n.RetryOf = []byte(`{"items":["a"]}`), noon(), noon().Add(time.Hour), 7, "marta", "news-0"
	first := ask(t, s, n)
	n.Campaign = "something else"
	require.Equal(t, first, ask(t, s, n))
	finish(t, s, first.Run.ID)
	require.Equal(t, rows.RunClosed, ask(t, s, n).Run.State, "even when it is closed")
	r, err := s.RunByRunID(t.Context(), "run-1")
	require.NoError(t, err)
	require.JSONEq(t, `{"items":["a"]}`, string(r.Overrides))
	require.Equal(t, noon(), r.DueAt)
	require.Equal(t, noon().Add(time.Hour), r.Deadline)
	require.Equal(t, "news@1", r.Ref())
	require.Equal(t, "marta", r.By)
	require.Equal(t, "news-0", r.RetryOf)
}

func gateLine(t *testing.T, s Store) {
	wait := func(id string) rows.NewRun {
		n := newRun(id, "")
		n.MayWait, n.MaxWaiting = true, 2
		return n
	}
	holder := ask(t, s, newRun("1", ""))
	second, third := ask(t, s, wait("2")), ask(t, s, wait("3"))
	require.Equal(t, rows.RunWaiting, second.Run.State)
	require.Equal(t, holder.Run.ID, second.Holder.ID)
	require.Equal(t, rows.RunWaiting, third.Run.State)
	require.Zero(t, ask(t, s, wait("4")).Run.ID, "the line is full")
	require.Equal(t, rows.RunWaiting, ask(t, s, wait("2")).Run.State, "not yet")

	finish(t, s, holder.Run.ID)
	require.Equal(t, second.Run.ID, ask(t, s, newRun("5", "")).Holder.ID, "nobody jumps the line")
	require.Equal(t, rows.RunWaiting, ask(t, s, wait("3")).Run.State, "the second in line waits for the first")
	moved := ask(t, s, wait("2"))
	require.Equal(t, rows.RunOpening, moved.Run.State)
	require.Nil(t, moved.Holder)
	finish(t, s, moved.Run.ID)
	require.Equal(t, rows.RunOpening, ask(t, s, wait("3")).Run.State)
	open, err := s.OpenRuns(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
}

func gateAllow(t *testing.T, s Store) {
	free := func(id string) rows.NewRun {
		n := newRun(id, "")
		n.Exclusive = false
		return n
	}
	for i := range 3 {
		require.Equal(t, rows.RunOpening, ask(t, s, free(fmt.Sprint("f", i))).Run.State)
	}
	require.Equal(t, rows.RunOpening, ask(t, s, newRun("1", "")).Run.State)
}

func gateRace(t *testing.T, s Store) {
	stores := []Store{s, s.Again(t)}
	for round := range 10 {
		gates := make([]rows.Gate, 6)
		var wg sync.WaitGroup
		for i := range gates {
			wg.Go(func() {
				g, err := stores[i%2].OpenRun(t.Context(), newRun(fmt.Sprintf("%d-%d", round, i), ""))
				if err != nil {
					t.Error(err)
				}
				gates[i] = g
			})
		}
		wg.Wait()
		winner := int64(0)
		for _, g := range gates {
			if g.Run.ID != 0 {
				require.Zero(t, winner, "two runs through one gate")
				winner = g.Run.ID
			}
		}
		require.NotZero(t, winner)
		finish(t, s, winner)
	}
}

func gateItems(t *testing.T, s Store) {
	g := ask(t, s, newRun("1", ""))
	items := runItems(keys(20)...)
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	items[3].Params, items[3].Label = []byte(`{"other":1}`), "other"
	items = append(items, rows.RunItem{Ord: 99, Entry: "feed", Key: "k00005", Fetcher: "feed"}) // a key that is there
	items = append(items, rows.RunItem{Ord: 1<<32 | 1, Entry: "second", Key: "k00005", Fetcher: "feed", Policy: []byte(`{"expect":{}}`)})
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	list, err := s.RunItems(t.Context(), g.Run.ID, rows.ItemFilter{})
	require.NoError(t, err)
	require.Len(t, list, 21)
	require.Contains(t, string(list[3].Params), "k00003", "the first writer wins")
	require.JSONEq(t, `{"expect":{}}`, string(list[20].Policy))

	ranges, err := s.EntryRanges(t.Context(), g.Run.ID)
	require.NoError(t, err)
	require.Equal(t, []rows.EntryRange{{Entry: "feed", Lo: 0, Hi: 19, Items: 20}, {Entry: "second", Lo: 1<<32 | 1, Hi: 1<<32 | 1, Items: 1}}, ranges)
	require.ErrorIs(t, s.AddItems(t.Context(), 999, items), rows.ErrNotFound)
}

func gateSeal(t *testing.T, s Store) {
	g := ask(t, s, newRun("1", ""))
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, runItems("a", "b")))
	deadline := noon().Add(time.Hour)
	for range 2 {
		n, err := s.SealRun(t.Context(), g.Run.ID, 5, deadline)
		require.NoError(t, err)
		require.Equal(t, 2, n)
	}
	r, err := s.RunByID(t.Context(), g.Run.ID)
	require.NoError(t, err)
	require.Equal(t, rows.RunOpen, r.State)
	require.Equal(t, 5, r.Processors)
	require.Equal(t, deadline, r.Deadline)
	require.Equal(t, 2, r.Items)
	require.Error(t, s.AddItems(t.Context(), g.Run.ID, []rows.RunItem{{Ord: 7, Entry: "feed", Key: "c"}}), "sealed is sealed")
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, runItems("a", "b")), "a second attempt that comes late")
	require.Equal(t, rows.RunOpen, ask(t, s, newRun("1", "")).Run.State)
}

func gateFinish(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	f := rows.Finish{Run: run, Outcome: outcomes.Warnings, Why: "one is partial", Summary: []byte(`{"asked":3}`), At: noon().Add(time.Minute), Outbox: []rows.Message{
		{Campaign: "news", To: "mailto:ops@example.it", Payload: []byte(`{"n":1}`)}, {Campaign: "news", To: "${secret:env:HOOK}", Payload: []byte(`{"n":2}`), NextAt: noon().Add(time.Hour)},
	}}
	require.NoError(t, s.FinishRun(t.Context(), f))
	f.Outcome, f.Why = outcomes.Failed, "later"
	require.NoError(t, s.FinishRun(t.Context(), f))
	r, err := s.RunByID(t.Context(), run)
	require.NoError(t, err)
	require.Equal(t, outcomes.Warnings, r.Outcome, "the first finish wins")
	require.Equal(t, "one is partial", r.Why)
	require.JSONEq(t, `{"asked":3}`, string(r.Summary))
	require.Equal(t, noon().Add(time.Minute), r.ClosedAt)

	due, err := s.Outbox(t.Context(), 0, noon())
	require.NoError(t, err)
	require.Len(t, due, 1, "once, and only what is due")
	require.Equal(t, rows.Message{ID: due[0].ID, Run: run, RunName: "news-1", Campaign: "news", To: "mailto:ops@example.it", Payload: []byte(`{"n":1}`), Created: noon().Add(time.Minute)}, due[0])
	require.NoError(t, s.Sent(t.Context(), due[0].ID, "refused", noon().Add(time.Minute)))
	require.Empty(t, outbox(t, s, run, noon()))
	due = outbox(t, s, run, noon().Add(time.Minute))
	require.Equal(t, 1, due[0].Attempts)
	require.Equal(t, "refused", due[0].Error)
	require.NoError(t, s.Sent(t.Context(), due[0].ID, "", time.Time{}))
	require.NoError(t, s.Sent(t.Context(), due[0].ID, "again", noon()), "sent is sent")
	due = outbox(t, s, run, noon().Add(2*time.Hour))
	require.Len(t, due, 1)
	require.NoError(t, s.Sent(t.Context(), due[0].ID, "given up", time.Time{}))
	require.Empty(t, outbox(t, s, run, noon().Add(1000*time.Hour)))
	require.ErrorIs(t, s.Sent(t.Context(), 999, "", time.Time{}), rows.ErrNotFound)
}

func outbox(t *testing.T, s Store, run int64, now time.Time) []rows.Message {
	t.Helper()
	list, err := s.Outbox(t.Context(), run, now)
	require.NoError(t, err)
	return list
}

func gateRecord(t *testing.T, s Store) {
	r := newRun("skipped", "").Run
	r.Outcome, r.Why, r.DueAt = outcomes.Skipped, "overlap: news-1 is going on", noon()
	for range 2 {
		require.NoError(t, s.RecordRun(t.Context(), r))
	}
	list, err := s.Runs(t.Context(), rows.RunFilter{Outcomes: []outcomes.Outcome{outcomes.Skipped}})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, rows.RunClosed, list[0].State)
	require.Equal(t, r.Why, list[0].Why)
	require.NotZero(t, ask(t, s, newRun("1", "")).Run.ID, "it holds no place")
}

func gateFind(t *testing.T, s Store) {
	for i, at := range []time.Time{noon().AddDate(0, 0, -1), noon().Add(-time.Hour), noon()} {
		n := newRun(fmt.Sprint(i+1), "")
		n.StartedAt = at
		finish(t, s, ask(t, s, n).Run.ID)
	}
	missed := newRun("missed", "").Run
	missed.Outcome, missed.StartedAt = outcomes.Missed, noon().Add(time.Hour)
	require.NoError(t, s.RecordRun(t.Context(), missed))
	for ref, want := range map[string]string{"news": "news-3", "news~1": "news-2", "news~2": "news-1", "news@2026-05-02": "news-1", "news@2026-05-03": "news-3", "news-2": "news-2", "news-missed": "news-missed"} {
		r, err := s.FindRun(t.Context(), ref)
		require.NoError(t, err, ref)
		require.Equal(t, want, r.WorkflowID, ref)
	}
	for _, ref := range []string{"news~3", "news~9", "nothing", "news@2026-05-04x", "news~x", "news@2020-01-01", "' OR 1=1"} {
		_, err := s.FindRun(t.Context(), ref)
		require.Error(t, err, ref)
	}
	list, err := s.Runs(t.Context(), rows.RunFilter{Campaign: "news", States: []rows.RunState{rows.RunClosed}, Since: noon().Add(-2 * time.Hour), Until: noon().Add(time.Minute), Limit: 5})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "news-3", list[0].WorkflowID, "the newest first")
}

func gateCloseOpen(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(3)...)
	it := claim(t, s, run, 1, 1).Items[0]
	it, _ = commit(t, s, it, page(it, "d1", "d2"))
	n, err := s.CloseOpenItems(t.Context(), run, outcomes.Throttled, string(outcomes.WhyNextTick))
	require.NoError(t, err)
	require.Equal(t, 3, n)
	n, err = s.CloseOpenItems(t.Context(), run, outcomes.Failed, "again")
	require.NoError(t, err)
	require.Zero(t, n)
	got := item(t, s, run, it.Key)
	require.Equal(t, outcomes.Throttled, got.Outcome)
	require.Equal(t, 2, got.Tally.New)
	h := health(t, s, it.Key)
	require.EqualValues(t, 2, h.Documents)
	require.Equal(t, outcomes.Throttled, h.Outcome)
	require.Equal(t, "next-tick", h.Why)
}

func gateSkip(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	it := claim(t, s, run, 1, 1).Items[0]
	require.NoError(t, s.SkipItem(t.Context(), run, "a", "marta: not now"))
	require.NoError(t, s.SkipItem(t.Context(), run, "a", "twice"))
	require.ErrorIs(t, s.SkipItem(t.Context(), run, "zzz", ""), rows.ErrNotFound)
	require.ErrorIs(t, s.Write(t.Context(), page(it, "d1")).Err, rows.ErrFenced)
	got := item(t, s, run, "a")
	require.Equal(t, outcomes.Skipped, got.Outcome)
	require.Equal(t, "marta: not now", got.Why)
	require.Equal(t, 1, claim(t, s, run, 1, 1).Left+1, "the other one goes on")
}
