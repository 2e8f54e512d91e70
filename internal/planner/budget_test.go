package planner

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

func TestBudgetInWords(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "v.db"), store.Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	for day, n := range map[int]int64{20261122: 12, 20261101: 300, 20261031: 5000} {
		_, err := s.Spend(t.Context(), rows.Spend{Campaign: "news", Entry: "a", Run: 1, Day: day, Requests: 1, Bytes: n * 1024, Documents: n})
		require.NoError(t, err)
	}
	c := &campaigns.Campaign{
		Name: "news", Budget: []campaigns.Allowance{{What: "requests", N: 20000, Per: "day"}, {What: "bytes", N: 5 << 30, Per: "month"}},
		Entries: []campaigns.Entry{{Name: "a", Budget: []campaigns.Allowance{{What: "documents", N: 500, Per: "run"}}}},
	}
	list, err := BudgetOf(t.Context(), s, c, time.Date(2026, 11, 22, 23, 30, 0, 0, time.UTC))
	require.NoError(t, err)
	require.Equal(t, "1 of 20000 requests this day, 312KiB of 5GiB this month, 500 documents a run (a)", BudgetWords(list))
	require.Equal(t, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), list[1].Until)
	c.Schedule = &campaigns.Schedule{TimeZone: "Europe/Rome"}
	list, err = BudgetOf(t.Context(), s, c, time.Date(2026, 11, 22, 23, 30, 0, 0, time.UTC))
	require.NoError(t, err)
	require.Zero(t, list[0].Used, "it is the 23rd in Rome")
}
