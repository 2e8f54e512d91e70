package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func statsTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"nothing":                            statsNone,
		"now, latency, execution, hosts":     statsAll,
		"each queue by itself, and added up": statsByQueue,
	}
}

func stats(t *testing.T, s Store, f rows.StatsFilter) rows.Stats {
	t.Helper()
	f.Now = noon().Add(10 * time.Minute)
	got, err := s.Stats(t.Context(), f)
	require.NoError(t, err)
	return got
}

func statsNone(t *testing.T, s Store) {
	require.Equal(t, rows.Stats{}, stats(t, s, rows.StatsFilter{Since: noon()}))
}

// statsRun closes four items on two queues; they began 10, 20, 30 and 40 seconds
// after their run and took as long again. One more rests, two are due.
func statsRun(t *testing.T, s Store) {
	t.Helper()
	gate, err := s.OpenRun(t.Context(), newRun("1", ""))
	require.NoError(t, err)
	items := runItems(keys(7)...)
	for i := range items {
		items[i].Queue = map[bool]string{true: "library", false: "vendemmia-fetch"}[i%2 == 0]
	}
	require.NoError(t, s.AddItems(t.Context(), gate.Run.ID, items))
	_, err = s.SealRun(t.Context(), gate.Run.ID, 10, time.Time{})
	require.NoError(t, err)
	for i := range 5 {
		wait := time.Duration(i+1) * 10 * time.Second
		got, err := s.Claim(t.Context(), rows.Claim{Run: gate.Run.ID, Shared: true, Queue: items[i].Queue, Seat: int64(i), Epoch: int64(10 + i), Worker: "w", Max: 1, Now: noon().Add(wait)})
		require.NoError(t, err)
		require.Len(t, got.Items, 1)
		w := write(got.Items[0])
		w.At = noon().Add(2 * wait)
		w.Ledger = []visit.Exchange{{At: w.At, Method: "GET", Host: "example.org", URL: "https://example.org/", Status: 200, Bytes: 100, Took: time.Second, Waited: 2 * time.Second}}
		if i == 4 {
			commit(t, s, got.Items[0], reopened(w, noon().Add(time.Hour)))
			continue
		}
		commit(t, s, got.Items[0], closed(w, outcomes.Done))
	}
}

func statsAll(t *testing.T, s Store) {
	statsRun(t, s)
	got := stats(t, s, rows.StatsFilter{Campaign: "news", Since: noon(), Delayed: 30 * time.Second, Slow: 40 * time.Second, Many: 1, Hosts: 5})
	require.Equal(t, []int{2, 1, 0, 0, 4}, []int{got.Queued, got.Postponed, got.Running, got.Stuck, got.Ended})
	want := rows.Spread{Average: 25 * time.Second, Median: 20 * time.Second, P95: 40 * time.Second}
	require.Equal(t, want, got.Latency)
	require.Equal(t, want, got.Execution)
	require.Equal(t, []int{2, 1, 4}, []int{got.Delayed, got.Slow, got.Many})
	require.Equal(t, []rows.HostCost{{Host: "example.org", Requests: 5, Bytes: 500, Took: 5 * time.Second, Waited: 10 * time.Second}}, got.Hosts)
	require.Equal(t, rows.Stats{}, stats(t, s, rows.StatsFilter{Campaign: "other"}))
	require.Equal(t, 2, stats(t, s, rows.StatsFilter{Since: noon().Add(time.Minute)}).Ended)
}

// Throughputs of the queues add up to that of all, as in recruiter's EnduranceTest.
func statsByQueue(t *testing.T, s Store) {
	statsRun(t, s)
	all, a, b := stats(t, s, rows.StatsFilter{}), stats(t, s, rows.StatsFilter{Queue: "library"}), stats(t, s, rows.StatsFilter{Queue: "vendemmia-fetch"})
	require.Equal(t, []int{4, 2, 2}, []int{all.Ended, a.Ended, b.Ended})
	require.Equal(t, all.Queued+all.Postponed, a.Queued+a.Postponed+b.Queued+b.Postponed)
	require.EqualValues(t, all.Hosts[0].Requests, a.Hosts[0].Requests+b.Hosts[0].Requests)
}
