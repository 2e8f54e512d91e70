package planner

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// TestTheLastRunsSayWhatARunAsks: an item may be one request, or hundreds.
func TestTheLastRunsSayWhatARunAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(gazetteFile)
	estimate := func() *Estimate {
		plan := w.plan()
		i := slices.IndexFunc(plan.Changes, func(c Change) bool { return c.Name == "gu-serie-generale" })
		require.GreaterOrEqual(t, i, 0)
		return plan.Changes[i].Estimate
	}
	require.Equal(t, 2, estimate().RequestsPerDay, "two starts a day, an item each")
	require.Contains(t, estimate().words(), "at least 2 requests/day")
	w.apply()
	w.settled()
	for i, asked := range []int{290, 0, 310} { // one was left out
		run := rows.Run{
			RunID: fmt.Sprint(i), WorkflowID: fmt.Sprint(i), Campaign: "gu-serie-generale", Version: 1, Outcome: outcomes.Done,
			DueAt: w.in.Now.Add(time.Duration(i-5) * time.Hour), Tally: harvest.Tally{Asked: asked},
		}
		require.NoError(t, w.store.RecordRun(t.Context(), run))
	}
	w.files(strings.Replace(gazetteFile, "params: { series: serie_generale }", "processors: 2, params: { series: serie_generale }", 1))
	require.True(t, estimate().Seen)
	require.Equal(t, 600, estimate().RequestsPerDay)
	require.Contains(t, estimate().words(), "about 600 requests/day")
}

// TestAGapIsTheBottleneck: connections let requests overlap, and still one departs
// at a time.
func TestAGapIsTheBottleneck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ rule, items, want string }{
		"two connections":    {"every: 1s, connections: 2", "a b c", "processors 6, but all items are on one host: 2 items at a time, and one request per gap of 1s (at most 60 a minute); more processors do not make that faster (hosts: h.example.org)"},
		"more than there is": {"every: 90s, connections: 9", "a b c", "processors 6, but all items are on one host: 3 items at a time, and one request per gap of 1m30s (at most 40 an hour); more processors do not make that faster (hosts: h.example.org)"},
		"no gap":             {"connections: 2", "a b c", "processors 6, but all items are on one host with 2 connections: 2 will work at a time (hosts: h.example.org)"},
		"one item":           {"every: 1s", "a", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var items []string
			for _, key := range strings.Fields(c.items) {
				items = append(items, fmt.Sprintf(`{ label: %s, url: "https://h.example.org/%s" }`, key, key))
			}
			w.files("c.yaml\nproject: x\nhosts: { h.example.org: { " + c.rule + " } }\ncampaigns:\n  news: { schedule: every 4h, processors: 6, fetcher: feed, split: { key: label, items: [" + strings.Join(items, ", ") + "] } }\n")
			require.Equal(t, c.want, strings.Join(w.change("news").Warnings, "\n"))
		})
	}
}
