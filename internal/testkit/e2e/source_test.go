package e2e

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// source serves feeds of several pages, each page the older entries of the one
// before (RFC 5005), and counts what it was asked for.
type source struct {
	*httptest.Server
	feeds, pages, entries int
	delay                 time.Duration

	mu    sync.Mutex
	asked map[string]int // requests, by path
	held  chan struct{}  // closed when requests are answered again; nil: none is held
	until int            // so many are answered before
}

// hold answers n requests more and lets the others wait until release: what is
// done meanwhile finds the run in work, however slow the machine is.
func (s *source) hold(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held, s.until = make(chan struct{}), n
}

// release answers what waits and all that comes.
func (s *source) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
}

func newSource(t *testing.T, feeds, pages, entries int, delay time.Duration) *source {
	t.Helper()
	s := &source{feeds: feeds, pages: pages, entries: entries, delay: delay, asked: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		s.release()
		s.Close()
	})
	return s
}

// ids are all documents the source holds: what must be stored, once each.
func (s *source) ids() map[string]bool {
	ids := map[string]bool{}
	for feed := range s.feeds {
		for page := range s.pages {
			for entry := range s.entries {
				ids[id(feed, page, entry)] = true
			}
		}
	}
	return ids
}

func id(feed, page, entry int) string { return fmt.Sprintf("urn:e2e:%d:%d:%d", feed, page, entry) }

// twice counts the pages that were asked for more than once, and by how much.
func (s *source) twice() (pages, requests int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.asked {
		if n > 1 {
			pages, requests = pages+1, requests+n-1
		}
	}
	return pages, requests
}

// ServeHTTP answers /feed/N and /feed/N/PAGE.
func (s *source) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	feed, page, ok := address(r.URL.Path)
	if !ok || feed >= s.feeds || page >= s.pages {
		http.NotFound(w, r)
		return
	}
	held := s.count(r.URL.Path)
	select {
	case <-held:
	case <-r.Context().Done():
		return
	}
	select {
	case <-time.After(s.delay): // the source thinks
	case <-r.Context().Done():
		return
	}
	etag := fmt.Sprintf(`"%d-%d"`, feed, page)
	w.Header().Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/atom+xml")
	fmt.Fprint(w, s.atom(feed, page))
}

// count returns what a request has to wait for.
func (s *source) count(path string) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[path]++
	if s.held != nil && s.until <= 0 {
		return s.held
	}
	s.until--
	return closed
}

// closed is always ready.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

func address(path string) (feed, page int, ok bool) {
	parts := strings.Split(strings.TrimPrefix(path, "/feed/"), "/")
	feed, err := strconv.Atoi(parts[0])
	if err == nil && len(parts) > 1 {
		page, err = strconv.Atoi(parts[1])
	}
	return feed, page, err == nil && strings.HasPrefix(path, "/feed/")
}

func (s *source) atom(feed, page int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Feed %d</title><id>urn:e2e:%d</id>", xml.Header, feed, feed)
	if page+1 < s.pages {
		fmt.Fprintf(&b, `<link rel="next" href="/feed/%d/%d"/>`, feed, page+1)
	}
	for entry := range s.entries {
		at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC).Add(-time.Duration(page*s.entries+entry) * time.Hour)
		fmt.Fprintf(&b, "<entry><id>%s</id><title>Entry %d of page %d</title><updated>%s</updated><link href=\"/e/%d/%d/%d\"/><summary>Text of entry %d.</summary></entry>",
			id(feed, page, entry), entry, page, at.Format(time.RFC3339), feed, page, entry, entry)
	}
	b.WriteString("</feed>")
	return b.String()
}
