package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// A run that is closed leaves no claims behind, and those that go on are listed
// without their sums.
func TestAClosedRunLeavesNoClaims(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	it := oneItem(t, s)
	claims := func() int64 {
		n, err := number(s.reader(t.Context()), `SELECT count(*) FROM claims`)
		require.NoError(t, err)
		return n
	}
	require.Positive(t, claims())
	require.NoError(t, s.Write(t.Context(), onePageOf(it, 3, "x")).Err)
	open, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
	require.Zero(t, open[0].Tally)
	require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: it.Run, Outcome: outcomes.Done, At: time.Now()}))
	require.Zero(t, claims())
	open, err = s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Empty(t, open)
}
