package storetest

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func spendingTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"limits of runs, days and months": defineSpending,
		"no request too many":             defineSpendingTogether,
		"spending moves with a campaign":  defineSpendingRenamed,
		"old spending goes":               defineSpendingCleaned,
	}
}

func defineSpending(t *testing.T, s Store) {
	limits := []rows.SpendLimit{
		{What: "requests", N: 3, Run: 7},
		{What: "bytes", N: 100, From: 20261122},
		{What: "documents", N: 1000, From: 20261101, Entry: "a"},
	}
	spend := func(sp rows.Spend) []int64 {
		sp.Campaign, sp.Limits = "news", limits
		left, err := s.Spend(t.Context(), sp)
		require.NoError(t, err)
		return left
	}
	require.Equal(t, []int64{3, 100, 1000}, spend(rows.Spend{Entry: "a", Run: 7, Day: 20261122, Requests: 1}))
	require.Equal(t, []int64{2, 60, 990}, spend(rows.Spend{Entry: "a", Run: 7, Day: 20261122, Bytes: 40, Documents: 10}))
	require.Equal(t, []int64{2, 60, 990}, spend(rows.Spend{Entry: "b", Run: 6, Day: 20261121, Requests: 1, Bytes: 999, Documents: 999}), "another run, another day, another entry")
	require.Equal(t, []int64{2, 0, 990}, spend(rows.Spend{Entry: "b", Run: 7, Day: 20261122, Requests: 1, Bytes: 60}), "bytes came, and no request is left")
	used, err := s.Spent(t.Context(), "news", rows.SpendLimit{What: "requests"})
	require.NoError(t, err)
	require.EqualValues(t, 2, used, "the refused one does not count")
	_, err = s.Spent(t.Context(), "news", rows.SpendLimit{What: "wine"})
	require.ErrorContains(t, err, "wine")
}

func defineSpendingCleaned(t *testing.T, s Store) {
	now := time.Now().UTC()
	day := func(age int) int {
		y, m, d := now.AddDate(0, 0, -age).Date()
		return y*10000 + int(m)*100 + d
	}
	for i, age := range []int{0, 31, 80, 200} {
		_, err := s.Spend(t.Context(), rows.Spend{Campaign: "news", Entry: "a", Run: int64(i + 900), Day: day(age), Requests: 1})
		require.NoError(t, err)
	}
	left := func() int64 {
		n, err := s.Spent(t.Context(), "news", rows.SpendLimit{What: "requests"})
		require.NoError(t, err)
		return n
	}
	for _, c := range []struct {
		keep time.Duration
		left int64
	}{{0, 4}, {100 * 24 * time.Hour, 3}, {24 * time.Hour, 2}} {
		rule := rows.Retention{Campaign: "news"}
		if c.keep > 0 {
			rule.Runs = now.Add(-c.keep)
		}
		_, err := s.Clean(t.Context(), rule)
		require.NoError(t, err)
		require.Equal(t, c.left, left(), "runs are kept for %s; two months of spending always stay", c.keep)
	}
}

func defineSpendingTogether(t *testing.T, s Store) {
	other := s.Again(t)
	var granted atomic.Int64
	var all sync.WaitGroup
	for i, process := range []Store{s, other, s, other} {
		all.Go(func() {
			for range 10 {
				left, err := process.Spend(t.Context(), rows.Spend{
					Campaign: "news", Entry: "a", Run: int64(i), Day: 20261122, Requests: 1,
					Limits: []rows.SpendLimit{{What: "requests", N: 13, From: 20261122}},
				})
				if err != nil {
					t.Error(err)
					return
				}
				if left[0] > 0 {
					granted.Add(1)
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 13, granted.Load())
}

func defineSpendingRenamed(t *testing.T, s Store) {
	apply := func(c rows.ApplyCampaign) {
		c.Digest, c.Spec = "sha256:"+c.Name, []byte(`{}`)
		_, err := s.Apply(t.Context(), rows.Application{Project: "p", Campaigns: []rows.ApplyCampaign{c}})
		require.NoError(t, err)
	}
	apply(rows.ApplyCampaign{Name: "old"})
	_, err := s.Spend(t.Context(), rows.Spend{Campaign: "old", Entry: "a", Run: 1, Day: 20261122, Requests: 1})
	require.NoError(t, err)
	apply(rows.ApplyCampaign{Name: "new", Was: []string{"old"}, WasEntry: map[string]string{"b": "a"}})
	used, err := s.Spent(t.Context(), "new", rows.SpendLimit{What: "requests", Entry: "b"})
	require.NoError(t, err)
	require.EqualValues(t, 1, used)
}
