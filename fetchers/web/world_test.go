package web_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/web"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

// world is a site behind a server, and what was harvested of it.
type world struct {
	t          *testing.T
	base       string
	params     string
	checkpoint json.RawMessage
	client     *http.Client
	// unread is what is in quarantine, as a store would have it.
	unread []harvest.Unread
}

// inside answers without a network.
type inside struct{ http.Handler }

func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	i.ServeHTTP(rec, r)
	resp := rec.Result()
	resp.Request = r
	return resp, nil
}

func newWorld(t *testing.T, h http.Handler, params string) *world {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &world{t: t, base: server.URL, client: http.DefaultClient, params: strings.ReplaceAll(params, "BASE", server.URL)}
}

// harvested is what one run brought.
type harvested struct {
	pages []harvest.Page
	docs  []harvest.Document
	harvest.Tally
	err error
}

func (h harvested) ids() []string {
	var ids []string
	for _, d := range h.docs {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids
}

func (h harvested) warnings() string {
	var all []string
	for _, p := range h.pages {
		all = append(all, p.Warnings...)
	}
	return strings.Join(all, "\n")
}

// reasons are why pages and rows were set aside.
func (h harvested) reasons() string {
	var all []string
	for _, r := range h.rejects() {
		all = append(all, r.Reason)
	}
	return strings.Join(all, "\n")
}

func (h harvested) rejects() (all []harvest.Reject) {
	for _, p := range h.pages {
		all = append(all, p.Rejects...)
	}
	return all
}

// run harvests once, and keeps the checkpoint as a store would.
func (w *world) run(change ...func(*harvest.Request)) harvested {
	w.t.Helper()
	req := harvest.Request{Params: json.RawMessage(w.params), Checkpoint: w.checkpoint, Unread: w.unread, Attempt: 1}
	for _, c := range change {
		c(&req)
	}
	var h harvested
	h.Tally, h.err = harvest.Pump(w.t.Context(), web.New(w.client), req, harvest.CommitFunc(
		func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
			h.pages = append(h.pages, p)
			h.docs = append(h.docs, p.Documents...)
			if req.Limit == 0 {
				w.checkpoint = p.Checkpoint
				w.settle(p)
			}
			require.Equal(w.t, p.Listed, len(p.Documents)+len(p.Rejects)+p.Same, "the numbers of a page add up")
			return harvest.PageTally(&p), nil
		}))
	return h
}

// settle does what a store does with a page's rejects.
func (w *world) settle(p harvest.Page) {
	done := slices.Clone(p.Resolved)
	for _, d := range p.Documents {
		done = append(done, d.ID)
	}
	w.unread = slices.DeleteFunc(slices.Clone(w.unread), func(u harvest.Unread) bool { return slices.Contains(done, u.ID) })
	for _, r := range p.Rejects {
		if r.ID == "" {
			r.ID = harvest.Digest(r.Bytes)
		}
		if !slices.ContainsFunc(w.unread, func(u harvest.Unread) bool { return u.ID == r.ID }) {
			w.unread = append(w.unread, harvest.Unread{ID: r.ID, Where: r.Where})
		}
	}
}

const listParams = `{"url":"BASE/list","links":"ul.acts a","next":"a[rel=next]",` + pageFields + `}`

func small() *site.Site { return site.New(site.Config{Pages: 12, PerList: 5, Validators: true}) }

func prober() harvest.Prober { return web.New(http.DefaultClient).(*web.Fetcher) }
