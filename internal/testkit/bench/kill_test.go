package bench

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// BenchmarkKill kills a worker that harvests eight sets while another worker is idle,
// and reports the seconds from the kill to the next page of the first and of the last
// item. The limit is the heartbeat timeout: before, the server does not know.
func BenchmarkKill(b *testing.B) {
	for b.Loop() {
		kill(b)
	}
	b.ReportMetric(temporalx.HeartbeatTimeout.Seconds(), "heartbeat-s")
	b.ReportMetric(0, "ns/op")
}

func kill(b *testing.B) {
	b.Helper()
	dir, r := b.TempDir(), repository(b, 100_000)
	starter, worker := build(b, dir)
	allow := []string{"--allow-network", "127.0.0.0/8"}
	h := up(b, dev.HouseOptions{Dir: filepath.Join(dir, "house"), Worker: worker, Store: "bench.db", Name: "killed", Args: allow})
	defer func() { require.NoError(b, h.Down()) }()
	of := harvestOf{repository: r, items: sets}
	of.address = delayed(b, r.URL(), 500*time.Millisecond)
	apply(b, starter, h, campaignFile(b, dir, of.campaign()))
	c, err := temporalx.Dial(b.Context(), temporalx.Target{Address: h.Server.Address, Alone: true})
	require.NoError(b, err)
	defer c.Close()
	_, err = c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: "records-1", TaskQueue: steps.QueueControl}, steps.CampaignWorkflow, steps.Start{Campaign: "records"})
	require.NoError(b, err)
	s, err := store.Open(b.Context(), h.Store, store.Options{})
	require.NoError(b, err)
	defer s.Close()
	pagesAfter(b, s, make([]int, sets))
	killed := h.Worker
	require.NoError(b, h.StartWorker(b.Context()))
	before := pages(b, s)
	killed.Kill()
	began := time.Now()
	first, last := pagesAfter(b, s, before)
	b.ReportMetric(first.Sub(began).Seconds(), "first-s")
	b.ReportMetric(last.Sub(began).Seconds(), "last-s")
}

// delayed serves an address with a delay for each response.
func delayed(b *testing.B, address string, by time.Duration) string {
	b.Helper()
	to, err := url.Parse(address)
	require.NoError(b, err)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: to.Scheme, Host: to.Host})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(by)
		proxy.ServeHTTP(w, r)
	}))
	b.Cleanup(s.Close)
	return s.URL + to.Path
}

// pages returns how many pages each item of the last run has committed.
func pages(b *testing.B, s *store.Store) []int {
	b.Helper()
	out := make([]int, sets)
	run, err := s.FindRun(b.Context(), "records")
	if err != nil {
		return out
	}
	items, err := s.RunItems(b.Context(), run.ID, rows.ItemFilter{})
	require.NoError(b, err)
	for i, item := range items {
		out[i] = item.Seq
		require.NotEqual(b, rows.ItemClosed, item.State, "%s ended before the kill was measured", item.Key)
	}
	return out
}

// pagesAfter waits until each item has committed another page, and returns when the
// first and the last one did.
func pagesAfter(b *testing.B, s *store.Store, before []int) (first, last time.Time) {
	b.Helper()
	done := make([]bool, len(before))
	require.Eventually(b, func() bool {
		all := true
		for i, n := range pages(b, s) {
			if n > before[i] && !done[i] {
				done[i], last = true, time.Now()
				if first.IsZero() {
					first = last
				}
			}
			all = all && done[i]
		}
		return all
	}, 5*time.Minute, 20*time.Millisecond)
	return first, last
}
