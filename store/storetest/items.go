package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func itemTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"streaks by severity":                itemStreak,
		"what was listed is remembered":      itemListed,
		"cancelled and skipped tell nothing": itemUntold,
		"a backfill does not change health":  itemLane,
		"unhealthy items":                    itemUnhealthy,
		"items of a run, the worst first":    itemWorst,
	}
}

// end runs one item to an outcome at a moment.
func end(t *testing.T, s Store, id string, at time.Time, o outcomes.Outcome, fill func(*rows.Write)) {
	t.Helper()
	run := openRun(t, s, id, "a")
	it := one(t, s, run, 1)
	w := closed(write(it), o)
	if fill != nil {
		w = closed(page(it), o)
		fill(&w)
	}
	w.At = at
	commit(t, s, it, w)
	finish(t, s, run)
}

func itemStreak(t *testing.T, s Store) {
	day := func(n int) time.Time { return noon().AddDate(0, 0, n) }
	steps := []struct {
		o      outcomes.Outcome
		streak int
		good   int
	}{
		{outcomes.Done, 1, 0},
		{outcomes.Unchanged, 2, 1},
		{outcomes.Failed, 1, 1},
		{outcomes.Gone, 2, 1},
		{outcomes.Partial, 1, 4},
		{outcomes.Done, 1, 5},
	}
	for i, step := range steps {
		end(t, s, string(step.o)+string(rune('0'+i)), day(i), step.o, nil)
		h := health(t, s, "a")
		require.Equal(t, step.o, h.Outcome)
		require.Equal(t, step.streak, h.Streak, "after %d", i)
		require.Equal(t, day(step.good), h.LastGood)
		require.Equal(t, day(i), h.LastAt)
		require.Equal(t, "news-"+string(step.o)+string(rune('0'+i)), h.LastRun)
	}
	require.Equal(t, "feed", health(t, s, "a").Fetcher)
	require.Equal(t, "feed a", health(t, s, "a").Label)
	require.Equal(t, "example.org", health(t, s, "a").Host)
	require.False(t, health(t, s, "a").FirstSeen.IsZero())
}

func itemListed(t *testing.T, s Store) {
	always := func(id string) bool {
		run := openLane(t, s, "probe-"+id, "")
		require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: run}))
		run = openRun(t, s, "look-"+id, "a")
		defer finish(t, s, run)
		return one(t, s, run, 1).Always
	}
	end(t, s, "1", noon(), outcomes.Unchanged, func(*rows.Write) {})
	require.False(t, always("1"), "nothing was ever listed")
	end(t, s, "2", noon(), outcomes.Done, func(w *rows.Write) {
		w.Page.Page.Listed = 7
		w.Page.Page.Documents = []harvest.Document{doc("d1", "x")}
	})
	require.True(t, always("2"))
	require.Equal(t, 7, health(t, s, "a").LastListed)
	require.Equal(t, noon(), health(t, s, "a").LastNew)
	end(t, s, "3", noon().Add(time.Hour), outcomes.Unchanged, func(w *rows.Write) { w.Page.Page.NotModified = true })
	require.True(t, always("3"), "not modified lists nothing")
	end(t, s, "4", noon().Add(time.Hour), outcomes.Empty, func(*rows.Write) {})
	require.True(t, always("4"), "an empty answer does not become normal")
	require.Equal(t, noon(), health(t, s, "a").LastNew)
	end(t, s, "5", noon().Add(time.Hour), outcomes.Broken, func(w *rows.Write) { w.Page.Page.Listed = 1 })
	require.Equal(t, 7, health(t, s, "a").LastListed, "only success tells")
}

func itemUntold(t *testing.T, s Store) {
	end(t, s, "1", noon(), outcomes.Failed, nil)
	end(t, s, "2", noon().Add(time.Hour), outcomes.Skipped, nil)
	end(t, s, "3", noon().Add(2*time.Hour), outcomes.Cancelled, func(w *rows.Write) {
		w.Page.Page.Documents = []harvest.Document{doc("d1", "x")}
	})
	h := health(t, s, "a")
	require.Equal(t, outcomes.Failed, h.Outcome)
	require.Equal(t, 1, h.Streak)
	require.Equal(t, noon(), h.LastAt)
	require.EqualValues(t, 1, h.Documents, "documents count all the same")
	require.Equal(t, noon().Add(2*time.Hour), h.LastNew)
}

func itemLane(t *testing.T, s Store) {
	end(t, s, "1", noon(), outcomes.Done, nil)
	run := openLane(t, s, "2", "backfill", "a", "b")
	for _, it := range claim(t, s, run, 1, 2).Items {
		commit(t, s, it, closed(page(it, "d-"+it.Key), outcomes.Failed))
	}
	require.Equal(t, outcomes.Done, health(t, s, "a").Outcome)
	require.EqualValues(t, 1, health(t, s, "a").Documents)
	require.Empty(t, health(t, s, "b").Outcome)
}

func itemUnhealthy(t *testing.T, s Store) {
	run := openRun(t, s, "1", "good", "bad", "warn", "never")
	ends := map[string]outcomes.Outcome{"good": outcomes.Done, "bad": outcomes.Gone, "warn": outcomes.Empty}
	for _, it := range claim(t, s, run, 1, 3).Items {
		commit(t, s, it, closed(write(it), ends[it.Key]))
	}
	list, err := s.Items(t.Context(), rows.ItemsFilter{Campaign: "news", Unhealthy: true})
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "bad", list[0].Key)
	require.Equal(t, "warn", list[1].Key)
	list, err = s.Items(t.Context(), rows.ItemsFilter{Entry: "feed", Limit: 3})
	require.NoError(t, err)
	require.Len(t, list, 3)
}

func itemWorst(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b", "c", "d")
	ends := map[string]outcomes.Outcome{"a": outcomes.Done, "b": outcomes.Failed, "c": outcomes.Partial}
	for _, it := range claim(t, s, run, 1, 3).Items {
		commit(t, s, it, closed(page(it, it.Key), ends[it.Key]))
	}
	worst, err := s.RunItems(t.Context(), run, rows.ItemFilter{Worst: true, Limit: 2})
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c"}, []string{worst[0].Key, worst[1].Key})
	open, err := s.RunItems(t.Context(), run, rows.ItemFilter{States: []rows.ItemState{rows.ItemOpen}})
	require.NoError(t, err)
	require.Len(t, open, 1)
	some, err := s.RunItems(t.Context(), run, rows.ItemFilter{Entry: "feed", Keys: []string{"a", "d"}, Outcomes: []outcomes.Outcome{outcomes.Done}})
	require.NoError(t, err)
	require.Len(t, some, 1)
	totals, err := s.Totals(t.Context(), run)
	require.NoError(t, err)
	words := make([]outcomes.Outcome, len(totals))
	for i, c := range totals {
		words[i] = c.Outcome
	}
	require.Equal(t, []outcomes.Outcome{"", outcomes.Done, outcomes.Partial, outcomes.Failed}, words)
	r, err := s.FindRun(t.Context(), "news")
	require.NoError(t, err)
	require.Equal(t, 3, r.Tally.New, "also while it is going on")
}
