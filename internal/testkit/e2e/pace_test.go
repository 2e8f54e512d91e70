package e2e

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// The pace of hosts, seen by the hosts themselves while four workers ask them.

// visit is one request as the host saw it: the end is taken before the last byte
// of the answer leaves, so it is never later than the worker's.
type visit struct {
	path       string
	begin, end time.Time
}

// street is some hosts, each at a loopback address of its own.
type street struct {
	answer time.Duration
	pages  int // of each feed, one request each
	port   int

	mu     sync.Mutex
	visits map[string][]visit
}

func newStreet(t *testing.T, hosts, pages int, answer time.Duration) *street {
	t.Helper()
	s := &street{answer: answer, pages: pages, visits: map[string][]visit{}}
	for i := range hosts {
		l, err := net.Listen("tcp", fmt.Sprintf("%s:%d", houseNumber(i), s.port))
		require.NoError(t, err)
		s.port = l.Addr().(*net.TCPAddr).Port
		server := &http.Server{Handler: s} // it serves this test only
		go server.Serve(l)                 // it ends when it is closed
		t.Cleanup(func() { server.Close() })
	}
	return s
}

func houseNumber(i int) string { return fmt.Sprintf("127.0.%d.%d", 1+i/250, 1+i%250) }

func (s *street) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begin := time.Now()
	time.Sleep(s.answer) // what this host takes to answer
	host, _, _ := net.SplitHostPort(r.Host)
	s.mu.Lock()
	s.visits[host] = append(s.visits[host], visit{r.URL.Path, begin, time.Now()})
	s.mu.Unlock()
	next, page := "", 0
	if _, err := fmt.Sscanf(r.URL.Query().Get("page"), "%d", &page); err != nil {
		page = 1
	}
	if page < s.pages {
		next = fmt.Sprintf(`"next_url": "http://%s%s?page=%d",`, r.Host, r.URL.Path, page+1)
	}
	w.Header().Set("Content-Type", "application/feed+json")
	fmt.Fprintf(w, `{"version": "https://jsonfeed.org/version/1.1", "title": "t", %s "items": [{"id": "%s%s#%d", "content_text": "e"}]}`, next, host, r.URL.Path, page)
}

// of returns a host's visits in the order of their beginning.
func (s *street) of(host string) []visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.visits[host])
	slices.SortFunc(list, func(a, b visit) int { return a.begin.Compare(b.begin) })
	return list
}

// pace is what a host's visits come to.
type pace struct {
	shortest time.Duration // gap between an answer and the next request
	stretch  float64       // of the time that gaps and answers take
}

func (s *street) pace(host string, gap time.Duration) pace {
	list := s.of(host)
	p := pace{shortest: time.Hour}
	least := list[0].end.Sub(list[0].begin)
	for i := 1; i < len(list); i++ {
		p.shortest = min(p.shortest, list[i].begin.Sub(list[i-1].end))
		least += gap + list[i].end.Sub(list[i].begin)
	}
	p.stretch = list[len(list)-1].end.Sub(list[0].begin).Seconds() / least.Seconds()
	return p
}

// campaign writes a campaign of so many feeds on each host and applies it.
func (s *street) campaign(h *house, name string, hosts, feeds int, gap time.Duration, lines string) {
	var csv strings.Builder
	csv.WriteString("id,url\n")
	for f := range feeds {
		for i := range hosts {
			fmt.Fprintf(&csv, "%s-%d-%d,http://%s:%d/%s/%d\n", name, i, f, houseNumber(i), s.port, name, f)
		}
	}
	h.write(name+".csv", csv.String())
	h.write(name+".yaml", fmt.Sprintf("project: e2e\nhosts: { \"*\": { every: %s } }\ncampaigns:\n  %s:\n    fetcher: feed\n    split: { file: %s.csv, key: id }\n%s", gap, name, name, indent(lines)))
	_, code := h.starter("campaigns", "apply", name+".yaml", "--yes")
	require.Equal(h.t, 0, code, "apply")
}

func TestPaceOfTheFleet(t *testing.T) {
	t.Parallel()
	require.Zero(t, keepPace(t, 12, 3, 2, 200*time.Millisecond), "nothing is asked for twice")
}

func TestSoakPaceOfTheFleet(t *testing.T) {
	soak(t)
	// Of 450 activities at once a starved development server takes some for dead.
	keepPace(t, 200, 4, 8, time.Second)
}

// keepPace returns how many requests were repeated.
func keepPace(t *testing.T, hosts, feeds, pages int, gap time.Duration) (repeated int) {
	h, s := newPostgresHouse(t), newStreet(t, hosts, pages, gap/10)
	// With the heartbeat of the other tests a worker that is late counts as dead.
	h.fleet(fleetSize, "--item-slots", fmt.Sprint(hosts), "--heartbeat", "30s")
	s.campaign(h, "pace", hosts, feeds, gap, fmt.Sprintf("chunk: 1\nprocessors: %d", min(hosts*feeds, 450)))
	require.Equal(t, outcomes.Done, h.result(h.start("pace-1", steps.Start{Campaign: "pace"})).Outcome)
	shortest, mean, worst := time.Hour, 0.0, 0.0
	for i := range hosts {
		require.GreaterOrEqual(t, len(s.of(houseNumber(i))), feeds*pages)
		repeated += len(s.of(houseNumber(i))) - feeds*pages
		p := s.pace(houseNumber(i), gap)
		shortest, mean, worst = min(shortest, p.shortest), mean+p.stretch/float64(hosts), max(worst, p.stretch)
	}
	t.Logf("%d workers, %d hosts, %d requests each: shortest gap %s of %s asked; time against gaps and answers: mean %.3f, worst %.3f; %d requests repeated",
		fleetSize, hosts, feeds*pages, shortest.Round(time.Millisecond), gap, mean, worst, repeated)
	require.GreaterOrEqual(t, shortest, gap, "no gap is ever shorter than asked")
	return repeated
}

// A run of low priority that keeps a host busy delays a normal one by at most one
// request.
func TestPaceTheMoreUrgentGoesFirst(t *testing.T) {
	t.Parallel()
	const gap = 300 * time.Millisecond
	h, s := newPostgresHouse(t), newStreet(t, 1, 1, gap/10)
	h.fleet(fleetSize, "--item-slots", "8")
	s.campaign(h, "low", 1, 60, gap, "priority: low\nprocessors: 16\nchunk: 1")
	s.campaign(h, "normal", 1, 4, gap, "processors: 4\nchunk: 1")
	h.start("low-1", steps.Start{Campaign: "low"})
	host := houseNumber(0)
	h.eventually("the low run is under way", time.Minute, func() bool { return len(s.of(host)) > 3 })
	require.Equal(t, outcomes.Done, h.result(h.start("normal-1", steps.Start{Campaign: "normal"})).Outcome)
	normal, between := 0, 0
	for _, v := range s.of(host) {
		switch {
		case isNormal(v):
			normal++
		case normal > 0 && normal < 4:
			between++
		}
	}
	require.Equal(t, 4, normal)
	t.Logf("4 normal requests among 60 low ones: %d low ones between the first and the last of them", between)
	require.LessOrEqual(t, between, 3, "each of the others was delayed by at most one")
}

func isNormal(v visit) bool { return strings.HasPrefix(v.path, "/normal/") }

// Items of a host that will not have a free moment for long hold no processor, no
// place in a worker and no activity: those of the other host all come through.
func TestPaceASlowHostHoldsNoPlace(t *testing.T) {
	t.Parallel()
	h, s := newHouse(t), newStreet(t, 2, 1, 0)
	h.work("--item-slots", "2")
	slow, fast := houseNumber(0), houseNumber(1)
	var csv strings.Builder
	csv.WriteString("id,url\n")
	for i := range 30 {
		fmt.Fprintf(&csv, "fast-%d,http://%s:%d/fast/%d\n", i, fast, s.port, i)
		if i < 10 {
			fmt.Fprintf(&csv, "slow-%d,http://%s:%d/slow/%d\n", i, slow, s.port, i)
		}
	}
	h.write("mixed.csv", csv.String())
	h.write("mixed.yaml", fmt.Sprintf("project: e2e\nhosts: { %s: { every: 1h } }\ncampaigns:\n  mixed: { fetcher: feed, split: { file: mixed.csv, key: id }, processors: 2, chunk: 1, timeouts: { item: 12h, run: 24h } }\n", slow))
	_, code := h.starter("campaigns", "apply", "mixed.yaml", "--yes")
	require.Equal(t, 0, code)
	h.start("mixed-1", steps.Start{Campaign: "mixed"})
	h.eventually("the other host's items come through", time.Minute, func() bool { return len(s.of(fast)) == 30 && len(s.of(slow)) == 1 })
	h.eventually("the slow host's items wait, and none of them at work", time.Minute, func() bool {
		return len(h.itemsOf("mixed-1", rows.ItemOpen)) == 9 && len(h.itemsOf("mixed-1", rows.ItemClaimed)) == 0
	})
	out, _ := h.starter("why", "mixed")
	require.Contains(t, strings.Join(strings.Fields(out), " "), "the host is busy or resting")
}

// A host that is paused in the middle of a run is asked by no worker until it is
// resumed; what had to wait has counted as nothing.
func TestPacePausedInTheMiddle(t *testing.T) {
	t.Parallel()
	const gap, feeds = 100 * time.Millisecond, 60
	h, s := newPostgresHouse(t), newStreet(t, 1, 1, gap/10)
	h.fleet(2, "--item-slots", "8")
	s.campaign(h, "paused", 1, feeds, gap, "processors: 16\nchunk: 1")
	host := houseNumber(0)
	run := h.start("paused-1", steps.Start{Campaign: "paused"})
	h.eventually("the run is under way", time.Minute, func() bool { return len(s.of(host)) > 3 })
	_, code := h.starter("hosts", "pause", host, "--note", "they rebuild", "--yes")
	require.Equal(t, 0, code)
	paused := time.Now()
	h.eventually("no item is at work", time.Minute, func() bool { return len(h.itemsOf("paused-1", rows.ItemClaimed)) == 0 })
	visits := s.of(host)
	t.Logf("the last request came %s after the pause, %d of %d", visits[len(visits)-1].begin.Sub(paused).Round(time.Millisecond), len(visits), feeds)
	require.Less(t, len(visits), feeds)
	out, _ := h.starter("why", host)
	require.Contains(t, out, "they rebuild")
	require.Len(t, s.of(host), len(visits), "nothing is asked while it is paused")
	_, code = h.starter("hosts", "resume", host, "--yes")
	require.Equal(t, 0, code)
	require.Equal(t, outcomes.Done, h.result(run).Outcome)
	require.Len(t, s.of(host), feeds)
	for _, it := range h.itemsOf("paused-1", rows.ItemClosed) {
		require.Zero(t, it.Throttles, it.Key)
	}
}

// itemsOf are a run's items in some state.
func (h *house) itemsOf(workflowID string, state rows.ItemState) []rows.RunItem {
	h.t.Helper()
	run, err := h.open().FindRun(h.t.Context(), workflowID)
	require.NoError(h.t, err)
	items, err := h.open().RunItems(h.t.Context(), run.ID, rows.ItemFilter{States: []rows.ItemState{state}})
	require.NoError(h.t, err)
	return items
}
