package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// A run that was started a moment ago is in Temporal and not in the store: it is
// waited for, not denied.
func TestWaitForARunThatNoWorkerHasOpened(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const id = "news-20260503T161000"
	require.Contains(t, b.run("runs", "wait", id, "--timeout", "50ms").err, "no worker has opened the run after 50ms")

	done := make(chan result, 1)
	go func() { done <- b.run("runs", "wait", id, "--timeout", "1m") }()
	s := b.openStore()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{WorkflowID: id, RunID: "r-9", Campaign: "news", Version: 1, StartedAt: moment()}})
	require.NoError(t, err)
	require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: g.Run.ID, Outcome: outcomes.Done, At: moment(), Summary: []byte(`{}`)}))
	require.NoError(t, s.Close())
	got := <-done
	require.Equal(t, program.ExitOK, got.code, got.err)

	b.engine.ended = "unknown"
	require.Contains(t, b.run("runs", "wait", "news-20260503T171000").err, "there is no such run")
}
