package activities

import (
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// `log` of the campaign decides what is kept of its runs, on the same process.
func TestTheLevelOfACampaignsLog(t *testing.T) {
	t.Parallel()
	for level, want := range map[string][]string{
		"":      {"run opened", "run closed"},
		"error": nil,
		"debug": {"run opened", "an item begins", "a page was committed", "an item ends", "run closed"},
	} {
		w := newWorld(t)
		news := campaign("news", "a")
		news.Log = level
		w.apply(news)
		w.script.on("a", pages(page(1, "x")))
		o := w.open(steps.Start{Campaign: "news"})
		_, err := w.fetch(o)
		require.NoError(t, err)
		w.close(o)
		w.Flush()
		lines, _, err := w.store.RunLog(t.Context(), rows.LogFilter{Run: o.Run, Level: slog.LevelDebug})
		require.NoError(t, err)
		var got []string
		for _, l := range lines {
			if got = append(got, l.Message); l.Message == "an item begins" {
				require.Equal(t, "a", l.Item)
				require.Contains(t, l.More, "attempt=1")
			}
		}
		for _, message := range want {
			require.Contains(t, got, message, "log: %s", level)
		}
		require.True(t, level == "debug" || len(got) == len(want), "log: %s: %v", level, got)
	}
}

// A store that is away costs lines, not work.
func TestALogThatCannotBeKept(t *testing.T) {
	t.Parallel()
	kept := 0
	l := &runLogs{log: slog.New(slog.DiscardHandler), keep: func(_ context.Context, lines []rows.LogLine) error {
		kept += len(lines)
		return context.DeadlineExceeded
	}}
	for range logMost + 10 {
		l.add(rows.LogLine{})
	}
	require.Len(t, l.lines, logMost)
	l.flush()
	require.Equal(t, logBatch, kept, "the first batch failed: the others are not tried")
	require.Empty(t, l.lines)
}
