package bench

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// feeds serves any number of feeds of one entry. From the second round on, 19 of 20
// are unchanged (304).
type feeds struct {
	*httptest.Server
	round         atomic.Int64
	first, others atomic.Int64 // requests, to 127.0.0.2 and to all others
}

func newFeeds(b *testing.B) *feeds {
	b.Helper()
	f := &feeds{}
	f.Server = httptest.NewServer(f)
	b.Cleanup(f.Close)
	return f
}

func (f *feeds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasPrefix(r.Host, "127.0.0.2:") {
		f.first.Add(1)
	} else {
		f.others.Add(1)
	}
	version := int64(0)
	if n, err := strconv.Atoi(path.Base(r.URL.Path)); err == nil && n%20 == 7 {
		version = f.round.Load()
	}
	tag := fmt.Sprintf("%q", fmt.Sprint(r.URL.Path, version))
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/rss+xml")
	fmt.Fprintf(w, `<?xml version="1.0"?><rss version="2.0"><channel><title>News</title><item><title>Entry of round %[2]d</title>`+
		`<link>%[3]s%[1]s/%[2]d</link><guid>%[3]s%[1]s/%[2]d</guid><description>Some words.</description></item></channel></rss>`, r.URL.Path, version, f.URL)
}

// campaign writes a campaign of so many of them.
func (f *feeds) campaign(b *testing.B, dir string, items int) string {
	b.Helper()
	var list strings.Builder
	list.WriteString("id,url\n")
	for i := range items {
		fmt.Fprintf(&list, "f%d,%s/f/%d\n", i, f.URL, i)
	}
	require.NoError(b, os.WriteFile(filepath.Join(dir, "feeds.csv"), []byte(list.String()), 0o600))
	return campaignFile(b, dir, fmt.Sprintf("project: bench\nhosts:\n  127.0.0.1: { connections: %d }\ncampaigns:\n"+
		"  polls: { fetcher: feed, processors: %[1]d, split: { file: feeds.csv, key: id } }\n", inFlight))
}

// BenchmarkPolls polls half as many feeds as size says, 19 of 20 of them unchanged,
// through the real server, the real worker and SQLite, beside plain requests for the
// same feeds. VENDEMMIA_BENCH_PROFILE names a file for the worker's processor profile.
func BenchmarkPolls(b *testing.B) {
	items := size(b) / 2
	for b.Loop() {
		polls(b, items)
	}
}

func polls(b *testing.B, items int) {
	dir, f := b.TempDir(), newFeeds(b)
	starter, worker := build(b, dir)
	h := up(b, dev.HouseOptions{
		Dir: filepath.Join(dir, "house"), Worker: worker, Store: "bench.db", Name: "bench-1",
		Args: []string{"--item-slots", fmt.Sprint(inFlight), "--allow-network", "127.0.0.0/8"},
	})
	defer func() { require.NoError(b, h.Down()) }()
	apply(b, starter, h, f.campaign(b, dir, items))
	c, err := temporalx.Dial(b.Context(), temporalx.Target{Address: h.Server.Address, Alone: true})
	require.NoError(b, err)
	defer c.Close()
	f.poll(b, c, "polls-1", items)
	f.round.Add(1)
	before, beforeServer := processorTime(b, h.Worker.PID()), processorTime(b, h.Server.PID())
	profiled := profile(b, h)
	f.poll(b, c, "polls-2", items/20)
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(items) }
	b.ReportMetric(per(processorTime(b, h.Worker.PID())-before), "worker-µs/item")
	b.ReportMetric(per(processorTime(b, h.Server.PID())-beforeServer), "temporal-µs/item")
	b.ReportMetric(float64(items)/lastRun(b, h, "polls").Seconds(), "items/s")
	b.ReportMetric(float64(peak(b, h.Worker.PID()))/1024, "worker-MiB")
	b.ReportMetric(float64(items)/f.plainly(b, items).Seconds(), "plain-304/s")
	b.ReportMetric(0, "ns/op")
	profiled()
}

// poll runs the campaign and requires so many new documents.
func (f *feeds) poll(b *testing.B, c client.Client, id string, expected int) {
	b.Helper()
	run, err := c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: steps.QueueControl}, steps.CampaignWorkflow, steps.Start{Campaign: "polls"})
	require.NoError(b, err)
	var sum steps.Summary
	require.NoError(b, run.Get(b.Context(), &sum))
	require.Equal(b, expected, sum.Documents.New, sum)
}

// lastRun is how long the last run of a campaign took.
func lastRun(b *testing.B, h *dev.House, campaign string) time.Duration {
	b.Helper()
	s, err := store.Open(b.Context(), h.Store, store.Options{})
	require.NoError(b, err)
	defer s.Close()
	run, err := s.FindRun(b.Context(), campaign)
	require.NoError(b, err)
	return run.ClosedAt.Sub(run.StartedAt)
}

// plainly asks for all feeds with a plain client.
func (f *feeds) plainly(b *testing.B, items int) time.Duration {
	b.Helper()
	plain := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: inFlight}}
	defer plain.CloseIdleConnections()
	began := time.Now()
	var g errgroup.Group
	g.SetLimit(inFlight)
	for i := range items {
		g.Go(func() error { return f.unchanged(plain, fmt.Sprint("/f/", i)) })
	}
	require.NoError(b, g.Wait())
	return time.Since(began)
}

func (f *feeds) unchanged(plain *http.Client, feed string) error {
	req, err := http.NewRequest(http.MethodGet, f.URL+feed, nil)
	if err != nil {
		return err
	}
	req.Header.Set("If-None-Match", fmt.Sprintf("%q", feed+"0"))
	resp, err := plain.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// profile takes the worker's processor profile until its end is called.
func profile(b *testing.B, h *dev.House) (end func()) {
	b.Helper()
	file := os.Getenv("VENDEMMIA_BENCH_PROFILE")
	if file == "" {
		return func() {}
	}
	var g errgroup.Group
	g.Go(func() error {
		resp, err := http.Get("http://" + h.Health + "/debug/pprof/profile?seconds=20")
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		out, err := os.Create(file)
		if err != nil {
			return err
		}
		defer out.Close()
		_, err = io.Copy(out, resp.Body)
		return err
	})
	return func() { require.NoError(b, g.Wait()) }
}
