package runs

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// TestRepeats: a further attempt asks once for what did not come; the pages after
// it are new.
func TestRepeats(t *testing.T) {
	t.Parallel()
	rd := reading{told: map[int64]rows.LedgerLine{}, again: map[int64]int{}, hosts: map[string]bool{}, workers: map[string]bool{}}
	for _, line := range []struct {
		ord     int64
		attempt int
	}{{1, 1}, {2, 1}, {1, 2}, {1, 2}, {2, 1}, {1, 2}, {1, 3}, {2, 2}} {
		rd.add(rows.LedgerLine{Ord: line.ord, Attempt: line.attempt, Exchange: visit.Exchange{Status: 200}})
	}
	require.Equal(t, 8, rd.sum.Requests)
	require.Equal(t, 3, rd.sum.Repeats)
}
