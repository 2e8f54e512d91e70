package feed_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/harvest"
)

// archive is an Atom feed over several pages (RFC 5005, section 3) that knows
// its validators. A page is long enough to be cut in its middle.
type archive struct {
	pages, size int
	// blind servers know no validators.
	blind bool
	// grown are entries that came to be since, before all others.
	grown int
}

func (a archive) ids() []string {
	var ids []string
	for n := range a.pages * a.size {
		ids = append(ids, fmt.Sprintf("tag:example.org,2026:%d", n))
	}
	return ids
}

func (a archive) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("page"))
	etag := fmt.Sprintf(`"v%d-%d"`, a.grown, n)
	if !a.blind {
		w.Header().Set("ETag", etag)
		w.Header().Set("Last-Modified", "Mon, 02 Mar 2026 10:00:00 GMT")
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Type", "application/atom+xml")
	fmt.Fprint(w, a.page(n)) // the client may be gone
}

func (a archive) page(n int) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Città</title>`)
	all := a.pages*a.size + a.grown
	if (n+1)*a.size < all {
		fmt.Fprintf(&b, `<link rel="next" href="/feed?page=%d"/>`, n+1)
	}
	for i := n*a.size - a.grown; i < min((n+1)*a.size, all)-a.grown; i++ {
		fmt.Fprintf(&b, `<entry><id>tag:example.org,2026:%d</id><title>Perché %d</title><link href="/e/%d"/>`+
			`<updated>2026-03-%02dT10:00:00Z</updated><summary>È così.</summary></entry>`, i, i, i, 1+(i+28)%28)
	}
	return b.String() + "</feed>"
}

// growing is the feed, with another entry before all others after each call of grow.
func (a archive) growing() (source http.Handler, grow func() (id string)) {
	var n atomic.Int64
	source = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := a
		now.grown = int(n.Load())
		now.ServeHTTP(w, r)
	})
	return source, func() string { return fmt.Sprintf("tag:example.org,2026:%d", -n.Add(1)) }
}

func conformance(a archive) fetchertest.Case {
	return fetchertest.Case{
		New: feed.New, Source: a, IDs: a.ids(), Pages: a.pages, Growing: a.growing,
		Params: func(base string) json.RawMessage {
			return json.RawMessage(`{"url":` + strconv.Quote(base+"/feed") + `}`)
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(archive{pages: 4, size: 7}))
}

func TestConformanceWithoutValidators(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(archive{pages: 3, size: 5, blind: true}))
}

var _ harvest.Prober = (*feed.Fetcher)(nil)
