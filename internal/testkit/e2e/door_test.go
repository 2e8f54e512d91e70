package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// guest is one request at a door: who asked, and how it ended.
type guest struct {
	path, agent string
	begin, end  time.Time // the end is taken before the answer's last byte leaves; zero: it waits
	left        bool      // hung up before it was answered
}

// door is a host that lets its guests wait until it is opened, and remembers them.
type door struct {
	*httptest.Server
	mu     sync.Mutex
	guests []*guest
	open   chan struct{}
}

func newDoor(t *testing.T) *door {
	t.Helper()
	d := &door{open: make(chan struct{})}
	d.Server = httptest.NewServer(d)
	t.Cleanup(func() {
		d.opens()
		d.Close()
	})
	return d
}

// opens answers who waits and who comes. It may be called twice.
func (d *door) opens() {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.open:
	default:
		close(d.open)
	}
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g := d.enter(r)
	select {
	case <-d.open:
	case <-r.Context().Done():
	}
	d.leave(g, r.Context().Err() != nil)
	w.Header().Set("Content-Type", "application/feed+json")
	fmt.Fprintf(w, `{"version": "https://jsonfeed.org/version/1.1", "title": "t", "items": [{"id": "%s", "content_text": "e"}]}`, r.URL.Path)
}

func (d *door) enter(r *http.Request) *guest {
	d.mu.Lock()
	defer d.mu.Unlock()
	g := &guest{path: r.URL.Path, agent: r.UserAgent(), begin: time.Now()}
	d.guests = append(d.guests, g)
	return g
}

func (d *door) leave(g *guest, hungUp bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	g.end, g.left = time.Now(), hungUp
}

// seen are the guests so far, in the order of their coming.
func (d *door) seen() []guest {
	d.mu.Lock()
	defer d.mu.Unlock()
	var all []guest
	for _, g := range d.guests {
		all = append(all, *g)
	}
	return all
}

// waits reports whether a guest of this kind is inside and unanswered.
func (d *door) waits(agent string) bool {
	return slices.ContainsFunc(d.seen(), func(g guest) bool { return strings.HasPrefix(g.agent, agent) && g.end.IsZero() })
}

// came reports whether a guest of this kind was ever inside.
func (d *door) came(agent string) bool {
	return slices.ContainsFunc(d.seen(), func(g guest) bool { return strings.HasPrefix(g.agent, agent) })
}

// campaign writes a campaign of so many feeds behind the door and applies it.
func (d *door) campaign(h *house, feeds int, gap time.Duration) {
	var csv strings.Builder
	csv.WriteString("id,url\n")
	for f := range feeds {
		fmt.Fprintf(&csv, "feed-%d,%s/%d\n", f, d.URL, f)
	}
	h.write("door.csv", csv.String())
	h.write("door.yaml", fmt.Sprintf(`project: e2e
hosts: { 127.0.0.1: { every: %s } }
campaigns:
  door: { fetcher: feed, split: { file: door.csv, key: id }, chunk: 1, processors: %d }
`, gap, feeds))
	if _, code := h.starter("campaigns", "apply", "door.yaml", "--yes"); code != 0 {
		h.t.Fatalf("apply: exit %d", code)
	}
}
