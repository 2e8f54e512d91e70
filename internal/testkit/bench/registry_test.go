package bench

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/dev"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/registry"
	"github.com/vendemmia/vendemmia/store"
)

// BenchmarkRegistry follows a registry of a tenth as many jobs as size says, through the
// real server, the real worker and SQLite: the round in which all are new, and one in
// which nothing has changed. Requests are those to the registry, reports among them.
func BenchmarkRegistry(b *testing.B) {
	for b.Loop() {
		follow(b, size(b)/10)
	}
	b.ReportMetric(0, "ns/op")
}

func follow(b *testing.B, jobs int) {
	b.Helper()
	dir, service := b.TempDir(), replica.New(list(jobs)...)
	server := httptest.NewServer(service)
	defer server.Close()
	starter, worker := build(b, dir)
	h := up(b, dev.HouseOptions{Dir: filepath.Join(dir, "house"), Worker: worker, Store: "bench.db", Name: "bench-1", Args: []string{"--allow-network", "127.0.0.0/8"}})
	defer func() { require.NoError(b, h.Down()) }()
	starterDoes(b, starter, h, "registry", "add", "many", "--url", server.URL, "--every", "24h")
	for _, round := range []string{"first", "second"} {
		asked, began := len(service.Requests()), time.Now()
		before, beforeServer := processorTime(b, h.Worker.PID()), processorTime(b, h.Server.PID())
		starterDoes(b, starter, h, "registry", "sync", "many")
		b.ReportMetric(time.Since(began).Seconds(), round+"-s")
		b.ReportMetric(float64(len(service.Requests())-asked), round+"-requests")
		b.ReportMetric((processorTime(b, h.Worker.PID()) - before).Seconds(), round+"-worker-cpu-s")
		b.ReportMetric((processorTime(b, h.Server.PID()) - beforeServer).Seconds(), round+"-temporal-cpu-s")
		requireFollowed(b, h, jobs)
	}
	b.ReportMetric(float64(peak(b, h.Worker.PID()))/1024, "worker-MiB")
}

// list is jobs that are not due meanwhile.
func list(jobs int) []replica.Job {
	due := time.Now().UTC().Add(12 * time.Hour).Format("15:04")
	out := make([]replica.Job, jobs)
	for i := range out {
		out[i] = replica.Job{
			"id": fmt.Sprint(i), "name": fmt.Sprint("Job ", i), "timing": "daily at " + due, "fetcher": "pulse", "params": map[string]any{"n": i},
		}
	}
	return out
}

// requireFollowed requires that each job is a campaign, and that the registry was told.
func requireFollowed(b *testing.B, h *dev.House, jobs int) {
	b.Helper()
	s, err := store.Open(b.Context(), h.Store, store.Options{})
	require.NoError(b, err)
	defer s.Close()
	list, err := s.RegistryJobs(b.Context(), "many")
	require.NoError(b, err)
	require.Len(b, list, jobs)
	for _, j := range list {
		require.Equal(b, rows.JobActive, j.State, j.ID)
		require.Equal(b, j.Listed, j.Applied, j.ID)
		require.Empty(b, j.Problem, j.ID)
		require.NotEmpty(b, j.Reported, j.ID)
	}
}
