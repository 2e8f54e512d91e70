package gazzetta_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/gazzetta"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/gazzetta"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/panics"
)

// wire hands requests to a handler without a network.
type wire struct {
	handler http.Handler
	// before is asked ahead of each request; may be nil.
	before func()
}

// RoundTrip is part of http.RoundTripper.
func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	if w.before != nil {
		w.before()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	rec := httptest.NewRecorder()
	cut := w.serve(rec, r)
	resp := rec.Result()
	resp.Request = r
	if cut {
		resp.Body = io.NopCloser(io.MultiReader(resp.Body, broken{}))
	}
	return resp, nil
}

// serve reports an answer that broke off.
func (w wire) serve(rec *httptest.ResponseRecorder, r *http.Request) (cut bool) {
	defer func() { cut = recover() != nil }()
	w.handler.ServeHTTP(rec, r)
	return false
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// shelf is a store that keeps the newest version of each document.
type shelf struct {
	docs       map[string]harvest.Document
	times      map[string]int // a document was yielded
	versions   map[string]int // of them with another content than the one before
	checkpoint json.RawMessage
	pages      []harvest.Page
}

func newShelf() *shelf {
	return &shelf{docs: map[string]harvest.Document{}, times: map[string]int{}, versions: map[string]int{}}
}

// Commit is part of harvest.Committer.
func (s *shelf) Commit(_ context.Context, p harvest.Page) (harvest.Tally, error) {
	for _, d := range p.Documents {
		if old, ok := s.docs[d.ID]; !ok || old.Sum() != d.Sum() {
			s.versions[d.ID]++
		}
		s.times[d.ID]++
		s.docs[d.ID] = d
	}
	s.checkpoint = slices.Clone(p.Checkpoint)
	s.pages = append(s.pages, p)
	return harvest.PageTally(&p), nil
}

func (s *shelf) ids() []string {
	ids := make([]string, 0, len(s.docs))
	for id := range s.docs {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// of returns the documents of a kind.
func (s *shelf) of(kind string) (docs []harvest.Document) {
	for _, id := range s.ids() {
		if s.docs[id].Kind == kind {
			docs = append(docs, s.docs[id])
		}
	}
	return docs
}

func (s *shelf) warnings() (all []string) {
	for _, p := range s.pages {
		all = append(all, p.Warnings...)
	}
	return all
}

// run is one item in one attempt.
type run struct {
	shelf *shelf
	sum   harvest.Tally
	err   error
}

func (r run) outcome() outcomes.Outcome {
	if r.err != nil {
		return outcomes.OfKind(harvest.KindOf(r.err))
	}
	return outcomes.OfItem(harvest.Tally{
		Partial: r.sum.Partial, Quarantined: r.sum.Quarantined, New: len(r.shelf.docs), Listed: r.sum.Listed, NotModified: r.sum.NotModified,
	}, true)
}

// fetch pumps one request into a shelf and checks every page.
func fetch(t *testing.T, site *replica.Site, s *shelf, req harvest.Request) run {
	t.Helper()
	if req.Checkpoint == nil {
		req.Checkpoint = s.checkpoint
	}
	req.Attempt = max(1, req.Attempt)
	before := len(s.pages)
	sum, err := harvest.Pump(t.Context(), gazzetta.New(&http.Client{Transport: wire{handler: site}}), req, s)
	for _, p := range s.pages[before:] {
		require.NoError(t, p.Check())
		acts := 0
		for _, d := range p.Documents {
			if d.Kind == "act" {
				acts++
			}
		}
		require.LessOrEqual(t, acts, 1, "a page is at most one act")
	}
	if p, ok := errors.AsType[*panics.Panic](err); ok {
		require.Fail(t, "panic", "%v\n%s", p.Value, p.Stack)
	}
	return run{s, sum, err}
}

func params(series, more string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"series":%q%s}`, series, more))
}
