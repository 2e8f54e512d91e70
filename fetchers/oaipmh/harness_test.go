package oaipmh_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// spoil may answer instead of a sound repository; false: it does not.
type spoil func(w http.ResponseWriter, q url.Values) bool

// stand is a repository with a fault, and what was asked of it.
type stand struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
	heads []http.Header
	raw   []string
}

func serve(t *testing.T, s http.Handler, fault spoil) *stand {
	t.Helper()
	st := &stand{}
	st.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		st.mu.Lock()
		st.asked, st.heads, st.raw = append(st.asked, brief(r.URL.Query())), append(st.heads, r.Header), append(st.raw, r.URL.RawQuery)
		st.mu.Unlock()
		if fault == nil || !fault(w, r.URL.Query()) {
			s.ServeHTTP(w, r)
		}
	}))
	st.Start()
	t.Cleanup(st.Close)
	return st
}

// brief writes a request without what all have.
func brief(q url.Values) string {
	text := q.Get("verb")
	for _, name := range []string{"set", "from", "until", "resumptionToken"} {
		if q.Has(name) {
			text += " " + strings.ToLower(strings.TrimPrefix(name, "resumption")) + "=" + q.Get(name)
		}
	}
	return text
}

func (s *stand) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *stand) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = nil
}

// result is what a fetch came to.
type result struct {
	pages   []harvest.Page
	tally   harvest.Tally
	err     error
	rejects []harvest.Reject
}

// Commit is part of harvest.Committer.
func (r *result) Commit(_ context.Context, p harvest.Page) (harvest.Tally, error) {
	r.pages, r.rejects = append(r.pages, p), append(r.rejects, p.Rejects...)
	t := harvest.PageTally(&p)
	t.New = len(p.Documents)
	return t, p.Check()
}

func (r *result) documents() (docs []harvest.Document) {
	for _, p := range r.pages {
		docs = append(docs, p.Documents...)
	}
	return docs
}

// ids are the identifiers that came, each once, in order.
func (r *result) ids() []string {
	var ids []string
	for _, d := range r.documents() {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func (r *result) warnings() (all []string) {
	for _, p := range r.pages {
		all = append(all, p.Warnings...)
	}
	return all
}

// outcome is how the item would end where there always was something.
func (r *result) outcome() string {
	if r.err != nil {
		return string(harvest.KindOf(r.err))
	}
	return string(outcomes.OfItem(r.tally, true))
}

func (r *result) checkpoint() json.RawMessage {
	if len(r.pages) == 0 {
		return nil
	}
	return r.pages[len(r.pages)-1].Checkpoint
}

func politely(t *testing.T, timeout time.Duration) *http.Client {
	t.Helper()
	c := polite.New(polite.Settings{
		Product: "Vendemmia/test", MaxBody: 1 << 20, Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Rules: func(string) polite.Rule { return polite.Rule{Connections: 8} },
		// A test's server is in trouble on purpose, and has no time to be spared.
		Slow: func(context.Context, string, time.Duration, string) error { return nil },
	})
	t.Cleanup(c.Close)
	return c.HTTP(visit.Visitor{Contact: "ops@example.org", Timeout: timeout})
}

// params are the url and what else is given, as JSON members.
func (s *stand) params(more string) json.RawMessage {
	return json.RawMessage(`{"url":"` + s.URL + `/oai"` + more + `}`)
}

func (s *stand) fetch(t *testing.T, req harvest.Request) *result {
	t.Helper()
	return pump(t, oaipmh.New(politely(t, 20*time.Second)), s, req)
}

func pump(t *testing.T, f harvest.Fetcher, s *stand, req harvest.Request) *result {
	t.Helper()
	if req.Params == nil {
		req.Params = s.params("")
	}
	r := &result{}
	r.tally, r.err = harvest.Pump(t.Context(), f, req, r)
	for _, p := range r.pages {
		require.LessOrEqual(t, len(p.Checkpoint), 16<<10)
	}
	return r
}

func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }
