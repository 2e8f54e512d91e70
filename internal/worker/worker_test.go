package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/fx"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/config"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/process"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
)

// buffer is a stream that may be read while it is written.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// newProgram is a worker in a folder of its own, with nobody at the other end
// unless the environment says so.
func newProgram(t *testing.T, env map[string]string, args ...string) (program, *buffer) {
	t.Helper()
	out := &buffer{}
	all := map[string]string{"TEMPORAL_ADDRESS": "127.0.0.1:1", "TEMPORAL_CONFIG_FILE": os.DevNull}
	for name, value := range env {
		all[name] = value
	}
	return program{fetchers: fetchers.Builtin(), Env: process.Env{
		Name: "worker", Args: args, Dir: t.TempDir(), Version: "dev", Stdin: strings.NewReader(""), Stdout: out, Stderr: out,
		Getenv: func(name string) string { return all[name] }, Environ: func() []string { return nil },
	}}, out
}

func settings(t *testing.T, p program, flags map[string]string) config.Settings {
	t.Helper()
	s, err := config.Load(config.Input{Flags: flags, Getenv: p.Getenv, Dir: p.Dir})
	require.NoError(t, err)
	return s
}

func TestWiringIsComplete(t *testing.T) {
	t.Parallel()
	p, _ := newProgram(t, nil)
	require.NoError(t, fx.ValidateApp(p.parts(t.Context(), settings(t, p, nil))))
}

func TestWiringIsReallyBuilt(t *testing.T) {
	t.Parallel()
	p, out := newProgram(t, nil)
	s := settings(t, p, map[string]string{"create": "true", "health-address": "127.0.0.1:0", "instance": "lib", "queues": "library,vendemmia-control"})
	var st *service
	var h *health
	built := fx.New(p.parts(t.Context(), s), fx.Populate(&st, &h))
	require.NoError(t, built.Err())
	require.NoError(t, built.Start(t.Context()))
	require.Equal(t, []string{"lib-vendemmia-control", "lib-library"}, st.queues())
	require.NotNil(t, st.activities(nil))

	get := func(path string) (int, string) {
		resp, err := http.Get("http://" + h.address + path)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(body)
	}
	code, _ := get("/live")
	require.Equal(t, http.StatusOK, code)
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "waits for Temporal") }, time.Minute, 20*time.Millisecond)
	code, text := get("/ready")
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, text, "waits for Temporal at 127.0.0.1:1")
	st.Metrics.ItemClosed("feed", outcomes.Done)
	st.Metrics.RunClosed("news", outcomes.Done, time.Unix(1_800_000_000, 0))
	st.Metrics.RunClosed("news", outcomes.Failed, time.Unix(1_800_000_900, 0))
	st.Metrics.Page("feed", harvest.Tally{New: 3, Same: 2})
	st.Metrics.Exchange(visit.Exchange{Status: 200, Bytes: 10})
	_, text = get("/metrics")
	for _, want := range []string{
		`vendemmia_items_total{fetcher="feed",outcome="done"} 1`, `vendemmia_documents_total{change="new",fetcher="feed"} 3`,
		`vendemmia_exchanges_total{kind="",status="200"} 1`, "vendemmia_items_in_flight 0", "go_goroutines",
		`vendemmia_runs_total{campaign="news",outcome="done"} 1`, `vendemmia_runs_total{campaign="news",outcome="failed"} 1`,
		`vendemmia_run_last_success_timestamp_seconds{campaign="news"} 1.8e+09`, `vendemmia_build_info{version="dev"} 1`,
	} {
		require.Contains(t, text, want)
	}
	require.Contains(t, text, `vendemmia_queue_items{queue="lib-library",state="due"} 0`)
	someItems(t, st.Store, "lib-library")
	require.Eventually(t, func() bool { // a count may be some seconds old
		_, text = get("/metrics")
		return strings.Contains(text, `vendemmia_queue_items{queue="lib-library",state="due"} 2`)
	}, time.Minute, 100*time.Millisecond)
	for _, want := range []string{
		`vendemmia_queue_items{queue="lib-library",state="due"} 2`, `vendemmia_queue_items{queue="lib-library",state="running"} 1`,
		`vendemmia_queue_oldest_due_seconds{queue="lib-library"} 3`, `vendemmia_runs{state="open"} 1`, `vendemmia_runs{state="waiting"} 0`,
	} {
		require.Contains(t, text, want)
	}
	require.NoError(t, built.Stop(t.Context()))
	require.Equal(t, "is stopping", st.state())
}

// someItems opens a run of an hour ago: two items are due, one is with a worker.
func someItems(t *testing.T, s *store.Store, queue string) {
	t.Helper()
	ago := time.Now().Add(-time.Hour)
	g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r", WorkflowID: "news-1", Campaign: "news", StartedAt: ago}})
	require.NoError(t, err)
	var items []rows.RunItem
	for i := range 3 {
		items = append(items, rows.RunItem{Ord: int64(i), Entry: "feed", Key: string(rune('a' + i)), Fetcher: "feed", Queue: queue})
	}
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	got, err := s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Shared: true, Queue: queue, Epoch: 1, Worker: "w", Max: 1, Now: time.Now()})
	require.NoError(t, err)
	require.Len(t, got.Items, 1)
}

func TestWorkerWaitsForTemporalAndStopsWhenTold(t *testing.T) {
	t.Parallel()
	p, out := newProgram(t, nil, "--create")
	ctx, stop := context.WithCancel(t.Context())
	code := make(chan int)
	go func() { code <- Main(ctx, p.Env, p.fetchers) }()
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "waits for Temporal") }, time.Minute, 20*time.Millisecond)
	stop()
	require.Equal(t, process.OK, <-code)
	require.Contains(t, out.String(), "stopped")
}

func TestWorkerSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no store", nil, process.Error, ".vendemmia/vendemmia.db"},
		{"unknown flag", []string{"--item-slot", "3"}, process.Usage, "unknown flag: --item-slot"},
		{"bad value", []string{"--item-slots", "many"}, process.Usage, `item-slots "many" (--item-slots): a number from 1`},
		{"argument", []string{"news"}, process.Usage, `"news": worker takes flags only`},
		{"no config file", []string{"--config-file", "none.yaml"}, process.Usage, "none.yaml"},
		{"address in use", []string{"--create", "--health-address", "256.0.0.1:1"}, process.Error, "--health-address"},
		{"other store", []string{"--store", "postgres://u:secret@h:port/db"}, process.Error, "the address cannot be read"},
		{"version", []string{"--version"}, process.OK, "worker dev"},
		{"help", []string{"--help"}, process.OK, "--health-address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, out := newProgram(t, nil, c.args...)
			require.Equal(t, c.code, Main(t.Context(), p.Env, p.fetchers), out.String())
			require.Contains(t, out.String(), c.want)
			require.NotContains(t, out.String(), "secret@")
		})
	}
}

func TestHostRules(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "v.db"), store.Options{Create: true})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Apply(t.Context(), rows.Application{Project: "p", At: time.Now(), Hosts: []rows.Host{
		{Name: "*", Every: time.Second, Connections: 3},
		{Name: "a.example", Every: 2 * time.Second},
		{Name: "b.example", Connections: 9},
		{Name: "d.example", Every: time.Minute, Robots: "ignore", CA: "-----BEGIN CERTIFICATE-----"},
	}})
	require.NoError(t, err)
	p, _ := newProgram(t, nil)
	h := &hosts{store: s, log: p.newLog(config.Settings{})}
	require.NoError(t, h.read(t.Context()))
	require.Equal(t, 2*time.Second, h.rule("a.example").Every)
	require.Equal(t, 9, h.rule("b.example").Connections)
	require.Zero(t, h.rule("b.example").Every, "what it says itself holds")
	require.Equal(t, time.Second, h.rule("c.example").Every)
	until := time.Now().Add(time.Hour).Truncate(time.Second)
	h.rest(t.Context(), "c.example", until, "HTTP status 429")
	require.WithinDuration(t, until, h.rule("c.example").RestUntil, 0)
	require.Equal(t, "HTTP status 429", h.rule("c.example").RestWhy)
	require.Equal(t, time.Second, h.rule("c.example").Every, "a host that rests keeps the rule of all others")
	require.NoError(t, h.slow(t.Context(), "a.example", 4*time.Second, "it answered 503"))
	require.Equal(t, 4*time.Second, h.rule("a.example").Slow)
	require.Equal(t, 2*time.Second, h.rule("a.example").Every, "its own gap stays")
	require.NoError(t, h.slow(t.Context(), "a.example", 0, "it answered 200"))
	require.Zero(t, h.rule("a.example").Slow)
	require.NoError(t, h.delay(t.Context(), "a.example", 10*time.Second, time.Hour))
	require.Equal(t, 10*time.Second, h.rule("a.example").Every, "what its robots.txt asks for")
	require.NoError(t, h.delay(t.Context(), "d.example", time.Hour, time.Hour))
	require.Equal(t, time.Minute, h.rule("d.example").Every, "which is to be ignored")
	require.Equal(t, "-----BEGIN CERTIFICATE-----", h.rule("d.example").CA)
	require.Empty(t, h.rule("a.example").CA)
	require.Equal(t, "paused by marta", pauseText(rows.Pause{By: "marta"}))
}

func TestLogIsJSONWhenAsked(t *testing.T) {
	t.Parallel()
	p, out := newProgram(t, nil)
	p.newLog(config.Settings{LogFormat: "json", LogLevel: "warn"}).Warn("careful", "run", "news-1")
	p.newLog(config.Settings{LogFormat: "json", LogLevel: "warn"}).Info("not said")
	var line map[string]any
	require.NoError(t, json.Unmarshal([]byte(out.String()), &line))
	require.Equal(t, "news-1", line["run"])
}
