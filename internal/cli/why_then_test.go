package cli

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/store"
)

// TestWhyThen asks about moments that have passed.
func TestWhyThen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at    string
		world func(*bench, *store.Store)
		cause string
	}{
		"not_applied": {"1 May 16:00", nil, "not applied"},
		"ran":         {"3 May 16:00", nil, "ran"},
		"not_due":     {"3 May 17:10", nil, "not due"},
		"no_run":      {"3 May 10:00", nil, "missed"},
		"missed":      {"3 May 10:00", missedNews, "missed"},
		"paused":      {"3 May 10:00", pausedThen, "paused"},
		"resumed":     {"3 May 12:00", pausedThen, "missed"},
		"overlap":     {"3 May 14:00", longNews, "overlap"},
		"not_seen":    {"3 May 12:00", longNews, "overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			askWhy(t, c.world, c.cause, "why_then_"+name, "news", "--at", c.at)
		})
	}
}

func TestWhyThenWantsACampaignAndThePast(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, args := range [][]string{{"why", "news", "--at", "4 May 16:00"}, {"why", "feed-001", "--at", "3 May 16:00"}, {"why", "news", "--at", "some day"}} {
		r := b.run(args...)
		require.Equal(t, program.ExitUsage, r.code, "%v: %s", args, r.err)
		require.Contains(t, r.err, "--at")
	}
}

func missedNews(b *bench, s *store.Store) {
	require.NoError(b.t, s.RecordRun(b.t.Context(), rows.Run{
		RunID: "r-m", WorkflowID: "news-m", Campaign: "news", Version: 1, State: rows.RunClosed, Outcome: outcomes.Missed, Why: "nothing started it within 1h",
		DueAt: utc(8, 0, 0), StartedAt: utc(8, 0, 0), ClosedAt: utc(9, 4, 0),
	}))
}

func pausedThen(b *bench, s *store.Store) {
	for at, verb := range map[time.Time]string{utc(7, 50, 0): "pause", utc(9, 0, 0): "resume"} {
		require.NoError(b.t, s.Record(b.t.Context(), rows.Event{At: at, By: "marta", Verb: verb, On: "news", Note: "feeds.csv under repair"}))
	}
}

// longNews: the run of 11:00 went on until 13:10, because of one item; the due time
// at 14:00 was recorded as left out, the one at 12:00 not.
func longNews(b *bench, s *store.Store) {
	ctx := b.t.Context()
	g, err := s.OpenRun(ctx, rows.NewRun{Run: rows.Run{RunID: "r-l", WorkflowID: "news-long", Campaign: "news", Version: 1, Lane: "l", StartedAt: utc(9, 0, 5)}})
	require.NoError(b.t, err)
	require.NoError(b.t, s.AddItems(ctx, g.Run.ID, []rows.RunItem{{Entry: "feed", Fetcher: "feed", Key: "a"}, {Ord: 1, Entry: "feed", Fetcher: "feed", Key: "b"}, {Ord: 2, Entry: "feed", Fetcher: "feed", Key: "c"}}))
	_, err = s.SealRun(ctx, g.Run.ID, 3, utc(18, 0, 0))
	require.NoError(b.t, err)
	c, err := s.Claim(ctx, rows.Claim{Run: g.Run.ID, Shared: true, Epoch: 1, Worker: "worker-a", Max: 10, Now: utc(9, 0, 6)})
	require.NoError(b.t, err)
	for i, it := range c.Items {
		settle := rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Done, Attempts: 1}
		at := utc(9, i+1, 0)
		if i == 2 {
			at, settle.Outcome, settle.Kind, settle.Error = utc(13, 9, 0), outcomes.Throttled, harvest.KindThrottled, "429, Retry-After 3h"
		}
		require.NoError(b.t, s.Write(ctx, rows.Write{
			Run: g.Run.ID, Ord: it.Ord, Epoch: 1, Item: units.Item{Campaign: "news", Entry: "feed", Key: it.Key}, Lane: "l", Fetcher: "feed", At: at, Settle: &settle, Attempt: 1, Worker: "worker-a",
		}).Err)
	}
	require.NoError(b.t, s.FinishRun(ctx, rows.Finish{Run: g.Run.ID, Outcome: outcomes.Warnings, At: utc(13, 10, 0)}))
	require.NoError(b.t, s.RecordRun(ctx, rows.Run{
		RunID: "r-s", WorkflowID: "news-s", Campaign: "news", Version: 1, State: rows.RunClosed, Outcome: outcomes.Skipped, Why: "run news-long was going on",
		DueAt: utc(12, 0, 0), StartedAt: utc(12, 0, 1), ClosedAt: utc(12, 0, 1),
	}))
}
