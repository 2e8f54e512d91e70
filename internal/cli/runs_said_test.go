package cli

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// TestNotesOfCancelAreShown: what was said to a run stands where one looks.
func TestNotesOfCancelAreShown(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	_, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r-9", WorkflowID: "weather-9", Campaign: "weather", Version: 1, StartedAt: moment()}})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	b.ok("runs", "cancel", "weather-9", "--note", "wrong list")
	require.Contains(t, b.ok("runs", "show", "weather-9"), "said        cancel by marta 18:10 CEST: wrong list\n")
}

// TestTwoRunsInOneSecondHaveTwoNames: also when the first has ended already.
func TestTwoRunsInOneSecondHaveTwoNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.ok("trigger", "news", "-d")
	first := b.engine.started[0].ID
	s := b.openStore()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r-new", WorkflowID: first, Campaign: "news", Version: 1, StartedAt: moment()}})
	require.NoError(t, err)
	require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: g.Run.ID, Outcome: outcomes.Done, At: moment()}))
	require.NoError(t, s.Close())
	b.ok("trigger", "news", "-d")
	require.Len(t, b.engine.started, 2)
	require.NotEqual(t, first, b.engine.started[1].ID)
}
