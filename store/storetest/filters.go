package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func filterTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"runs by trigger, why, text, attempts":   filterRuns,
		"runs in any order, page by page":        filterOrder,
		"items by outcome and text":              filterItems,
		"documents by day, week, month and item": filterGroups,
	}
}

// someRuns leaves two closed runs: 1 took a minute, and its item two attempts; 2 is
// recorded as missed.
func someRuns(t *testing.T, s Store) {
	t.Helper()
	run := openRun(t, s, "1", "a", "b")
	got := claim(t, s, run, 1, 2)
	commit(t, s, got.Items[0], closed(page(got.Items[0], "x", "y"), outcomes.Done))
	commit(t, s, got.Items[1], reopened(write(got.Items[1]), noon()))
	again := one(t, s, run, 1)
	commit(t, s, again, closed(write(again), outcomes.Failed))
	finish(t, s, run)
	missed := newRun("2", "").Run
	missed.Trigger, missed.DueAt, missed.Outcome, missed.Why = "schedule", noon().Add(time.Hour), outcomes.Missed, `100% of a_b\c`
	missed.StartedAt = time.Time{}
	require.NoError(t, s.RecordRun(t.Context(), missed))
}

func runNames(t *testing.T, s Store, f rows.RunFilter) []string {
	t.Helper()
	list, err := s.Runs(t.Context(), f)
	require.NoError(t, err)
	names := []string{}
	for _, r := range list {
		names = append(names, r.WorkflowID)
	}
	return names
}

func filterRuns(t *testing.T, s Store) {
	someRuns(t, s)
	one, two := []string{"news-1"}, []string{"news-2"}
	for _, c := range []struct {
		of   rows.RunFilter
		want []string
	}{
		{rows.RunFilter{Triggers: []string{"hand"}}, one},
		{rows.RunFilter{Triggers: []string{"hand", "schedule"}}, []string{"news-2", "news-1"}},
		{rows.RunFilter{Why: "100% OF"}, two},
		{rows.RunFilter{Why: `a_b\c`}, two},
		{rows.RunFilter{Why: "aXb"}, []string{}},
		{rows.RunFilter{Text: "NEWS-1"}, one},
		{rows.RunFilter{Attempts: 2}, one},
		{rows.RunFilter{Attempts: 3}, []string{}},
		{rows.RunFilter{Campaigns: []string{}}, []string{}},
		{rows.RunFilter{Campaigns: []string{"news", "other"}, Attempts: 1}, one},
	} {
		require.Equal(t, c.want, runNames(t, s, c.of), c.of)
	}
}

func filterOrder(t *testing.T, s Store) {
	someRuns(t, s)
	for sort, first := range map[rows.RunSort]string{"": "news-2", rows.SortStarted: "news-2", rows.SortTook: "news-1", rows.SortItems: "news-1", rows.SortAttempts: "news-1"} {
		up, down := runNames(t, s, rows.RunFilter{Sort: sort}), runNames(t, s, rows.RunFilter{Sort: sort, Reverse: true})
		require.Equal(t, first, up[0], sort)
		require.Equal(t, first, down[1], sort)
		require.Equal(t, up[1:], runNames(t, s, rows.RunFilter{Sort: sort, Skip: 1, Limit: 1}), sort)
	}
	_, err := s.Runs(t.Context(), rows.RunFilter{Sort: "size"})
	require.ErrorContains(t, err, "there is no such order")
}

func filterItems(t *testing.T, s Store) {
	someRuns(t, s)
	for key, f := range map[string]rows.ItemsFilter{
		"a": {Outcomes: []outcomes.Outcome{outcomes.Done}}, "b": {Text: "FEED B", Campaigns: []string{"news"}},
	} {
		list, err := s.Items(t.Context(), f)
		require.NoError(t, err)
		require.Len(t, list, 1, f)
		require.Equal(t, key, list[0].Key)
	}
}

func filterGroups(t *testing.T, s Store) {
	someRuns(t, s)
	item := "news / feed / a"
	for _, c := range []struct {
		by   []string
		want []string
	}{{[]string{"day"}, []string{"2026-05-03"}}, {[]string{"week", "item"}, []string{"2026-W18", item}}, {[]string{"month", "kind"}, []string{"2026-05", "entry"}}} {
		got, err := s.CountGroups(t.Context(), rows.DocumentFilter{Campaigns: []string{"news"}}, c.by...)
		require.NoError(t, err)
		require.Equal(t, []rows.Group{{Names: c.want, Documents: 2}}, got)
	}
	for until, want := range map[time.Time]int64{noon(): 0, noon().Add(time.Second): 2} {
		got, err := s.CountDocuments(t.Context(), rows.DocumentFilter{Until: until}, "")
		require.NoError(t, err)
		require.Equal(t, want, got[""])
	}
	_, err := s.CountGroups(t.Context(), rows.DocumentFilter{}, "item", "year")
	require.ErrorContains(t, err, "there is no such grouping")
}
