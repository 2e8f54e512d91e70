package worker

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// tollgate are sites with a feed each, which answer once they are let through. Each is a
// host of its own: none waits for another one's pace, nor does the registry.
type tollgate struct {
	t       *testing.T
	mu      sync.Mutex
	through map[string]bool
	asked   []string // in order
	change  chan struct{}
}

func newTollgate(t *testing.T) *tollgate {
	t.Helper()
	g := &tollgate{t: t, through: map[string]bool{}, change: make(chan struct{})}
	return g
}

// site is the address of one more site, a host of its own.
func (g *tollgate) site(n int) string {
	address := host(g.t, n, g.serve)
	g.t.Cleanup(func() { g.let("*") }) // before the server waits for its answers
	return address
}

// host serves on another address of 127.0.0.0/8, which is a host of its own.
func host(t *testing.T, n int, handler http.HandlerFunc) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", fmt.Sprintf("127.0.0.%d:0", 10+n))
	require.NoError(t, err)
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}}
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

func (g *tollgate) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.Trim(r.URL.Path, "/")
	if path == "robots.txt" {
		http.NotFound(w, r)
		return
	}
	g.mu.Lock()
	g.asked = append(g.asked, path)
	g.mu.Unlock()
	for !g.may(path) {
		select {
		case <-g.changed():
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Content-Type", "application/rss+xml")
	fmt.Fprintf(w, rss, path)
}

func (g *tollgate) may(path string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.through[path] || g.through["*"]
}

func (g *tollgate) changed() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.change
}

// let lets a path through from now on; "*": all.
func (g *tollgate) let(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.through[path] = true
	close(g.change)
	g.change = make(chan struct{})
}

// shut holds a path again.
func (g *tollgate) shut(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.through[path] = false
}

// seen are the paths that were asked for, in order.
func (g *tollgate) seen() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string{}, g.asked...)
}

// runs are the states of all runs of the registry's campaigns, by workflow id.
func (h *house) runs() map[string]rows.Run {
	h.t.Helper()
	list, err := h.store.Runs(h.ctx, rows.RunFilter{})
	require.NoError(h.t, err)
	out := map[string]rows.Run{}
	for _, r := range list {
		out[r.WorkflowID] = r
	}
	return out
}

func (h *house) count(states ...rows.RunState) (n int) {
	h.t.Helper()
	list, err := h.store.Runs(h.ctx, rows.RunFilter{States: states})
	require.NoError(h.t, err)
	return len(list)
}

func (h *house) until(what string, done func() bool) {
	h.t.Helper()
	require.Eventually(h.t, done, time.Minute, 20*time.Millisecond, what)
}

// Five jobs are due at once and two may run: never more than two do, the others begin in
// the order in which they were due, and all end.
func TestARegistryBoundsItsRuns(t *testing.T) {
	t.Parallel()
	h, site := newHouse(t), newTollgate(t)
	h.put(2)
	for n, j := range five(h) {
		j["params"], j["run"] = map[string]any{"url": fmt.Sprint(site.site(n), "/", n)}, "once"
		h.service.Put(j)
	}
	require.Equal(t, 5, h.synced().Applied.Started)
	h.until("three wait", func() bool { return h.count(rows.RunWaiting) == 3 && len(site.seen()) == 2 })
	line, err := h.store.RegistryLine(h.ctx, "house")
	require.NoError(t, err)
	require.Len(t, line, 3)
	h.synced()
	for n, run := range line {
		if n > 0 {
			require.False(t, run.Due().Before(line[n-1].Due()))
		}
		last := h.service.Last(strings.TrimPrefix(run.Campaign, "reg-house-"))
		require.Equal(t, "waiting", last["state"])
		require.EqualValues(t, n, last["before"])
		require.Equal(t, []string{"waiting, nobody before you", "waiting, 1 before you", "waiting, 2 before you"}[n], last["text"])
	}
	for _, run := range line { // one goes, one begins
		site.let(site.seen()[len(site.seen())-2])
		begun := strings.TrimPrefix(run.Campaign, "reg-house-")
		h.until(begun+" begins", func() bool {
			require.LessOrEqual(t, h.count(rows.RunOpening, rows.RunOpen), 2)
			return site.seen()[len(site.seen())-1] == begun
		})
	}
	site.let("*")
	h.until("all end", func() bool { return h.count(rows.RunClosed) == 5 })
	for _, run := range h.runs() {
		require.Equal(t, outcomes.Done, run.Outcome)
	}
	require.Len(t, site.seen(), 5)
}
