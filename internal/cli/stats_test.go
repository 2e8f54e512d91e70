package cli

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// goingOn opens a run of campaign weather with items on queue library: two are due
// since 18:00, one is with a worker; and a run that waits for it.
func goingOn(t *testing.T, b *bench) rows.Run {
	t.Helper()
	s := b.openStore()
	run := rows.Run{RunID: "r-9", WorkflowID: "weather-9", Campaign: "weather", Version: 1, Trigger: "schedule", StartedAt: utc(16, 0, 0)}
	g, err := s.OpenRun(t.Context(), rows.NewRun{Run: run, Exclusive: true})
	require.NoError(t, err)
	var items []rows.RunItem
	for i := range 3 {
		items = append(items, rows.RunItem{Ord: int64(i), Entry: "feed", Key: fmt.Sprint("city-", i), Fetcher: "feed", Queue: "library", Host: "api.example.org"})
	}
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	_, err = s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Shared: true, Queue: "library", Epoch: 1, Worker: "worker-a", Max: 1, Now: utc(16, 2, 0)})
	require.NoError(t, err)
	run.RunID, run.WorkflowID = "r-10", "weather-10"
	_, err = s.OpenRun(t.Context(), rows.NewRun{Run: run, Exclusive: true, MayWait: true})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	return g.Run
}

func TestStatsQueue(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	goingOn(t, b)
	golden(t, "stats_queue", b.ok("stats", "queue"))
	golden(t, "stats_queue_json", b.ok("stats", "queue", "library", "-o", "json"))
	r := b.run("stats", "queue", "librery")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "stats queue librery: no campaign uses this queue; did you mean library?")
}

func TestStatsItems(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	golden(t, "stats_items", b.ok("stats", "items", "--since", "2026-05-03", "--hosts", "3"))
	golden(t, "stats_items_json", b.ok("stats", "items", "--campaign", "news", "--tag", "rss", "--since", "2026-05-03 18:00", "--hosts", "1", "-o", "json"))
	for want, args := range map[string][]string{
		"did you mean library?": {"--queue", "librery"}, "did you mean rss?": {"--tag", "rsss"}, "did you mean news?": {"--campaign", "nws"}, "not a time": {"--since", "soon"},
	} {
		r := b.run(append([]string{"stats", "items"}, args...)...)
		require.Equal(t, program.ExitUsage, r.code, args)
		require.Contains(t, r.err, want)
	}
}
