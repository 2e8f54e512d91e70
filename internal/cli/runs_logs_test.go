package cli

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func TestRunsLogs(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	r, err := s.FindRun(t.Context(), newsRun)
	require.NoError(t, err)
	require.NoError(t, s.KeepLog(t.Context(), []rows.LogLine{
		{Run: r.ID, At: utc(16, 0, 1), Level: slog.LevelDebug, Worker: "worker-a", Item: "feed-001", Message: "asked", More: "status=200"},
		{Run: r.ID, At: utc(16, 0, 2), Level: slog.LevelWarn, Worker: "worker-b", Message: "a page was dropped"},
	}))
	require.NoError(t, s.Close())
	require.Equal(t, "18:00:01 debug worker-a  asked  item=feed-001  status=200\n18:00:02 warn  worker-b  a page was dropped\n", b.ok("runs", "logs", "news"))
	require.NotContains(t, b.ok("runs", "logs", "news", "--level", "warn", "--follow"), "asked")
	require.Contains(t, b.ok("runs", "logs", "news", "--item", "feed-002"), "No lines match; 2 lines of this run are kept.")
	require.Contains(t, b.run("runs", "logs", "news", "--level", "wran").err, "did you mean warn?")
	require.Contains(t, b.ok("runs", "logs", "news", "-o", "json"), `"level": "WARN"`)
}

func TestTheWebUITakesTheFiltersItHas(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	link := b.ok("runs", "list", "--web", "--state", "archived", "--tag", "press", "--trigger", "hand", "--since", "2026-05-01")
	for _, want := range []string{"ExecutionStatus+%21%3D+%22Running%22", "Tags+%3D+%22press%22", "Trigger+in+%28%22hand%22%29", "StartTime+%3E%3D+%222026-0"} {
		require.Contains(t, link, want)
	}
	for _, args := range [][]string{{"--state", "queued"}, {"--state", "scheduled"}, {"--why", "x"}, {"--text", "x"}, {"--attempts", "2"}, {"--sort", "took"}, {"--skip", "2"}} {
		require.Contains(t, b.run(append([]string{"runs", "list", "--web"}, args...)...).err, "the Web UI cannot", args[0])
	}
}
