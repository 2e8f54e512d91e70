package fetchertest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

// record keeps what was committed, as a store would.
type record struct {
	mu    sync.Mutex
	pages []harvest.Page
}

// Commit is part of harvest.Committer.
func (r *record) Commit(_ context.Context, p harvest.Page) (harvest.Tally, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pages = append(r.pages, p)
	return harvest.PageTally(&p), nil
}

func (r *record) documents() []harvest.Document {
	var docs []harvest.Document
	for _, p := range r.pages {
		docs = append(docs, p.Documents...)
	}
	return docs
}

func (r *record) ids() []string { return idsOf(r.documents()) }

func idsOf(docs []harvest.Document) []string {
	var ids []string
	for _, d := range docs {
		ids = append(ids, d.ID)
	}
	slices.Sort(ids)
	return ids
}

func (r *record) sums() map[string]string {
	sums := map[string]string{}
	for _, d := range r.documents() {
		sums[d.ID] = d.Sum()
	}
	return sums
}

// checkpoint is the last committed one.
func (r *record) checkpoint() json.RawMessage {
	if len(r.pages) == 0 {
		return nil
	}
	return r.pages[len(r.pages)-1].Checkpoint
}

// fetch pumps one request and checks what holds for every page.
func fetch(t *testing.T, f harvest.Fetcher, req harvest.Request) (*record, harvest.Tally, error) {
	t.Helper()
	r := &record{}
	sum, err := harvest.Pump(t.Context(), f, req, r)
	r.check(t)
	if req.Limit == 0 {
		r.checkSum(t)
	}
	return r, sum, err
}

// checkSum: what was listed came, was set aside, or is known to be the same.
func (r *record) checkSum(t *testing.T) {
	t.Helper()
	for i := range r.pages {
		p := &r.pages[i]
		tally := harvest.PageTally(p)
		require.Equal(t, tally.Listed, len(p.Documents)+len(p.Rejects)+tally.Same,
			"page %d lists %d: %d documents, %d rejects, %d the same (Page.Same)", i+1, p.Listed, len(p.Documents), len(p.Rejects), tally.Same)
	}
}

// check holds for every page of every fetch.
func (r *record) check(t *testing.T) {
	t.Helper()
	for i, p := range r.pages {
		require.NoError(t, p.Check(), "page %d", i+1)
		require.LessOrEqual(t, len(p.Checkpoint), maxCheckpoint, "the checkpoint of page %d grows with the source", i+1)
		for _, d := range p.Documents {
			requireText(t, d)
		}
	}
}

const maxCheckpoint = 16 << 10

// requireText checks that a document can be stored as JSON without loss.
func requireText(t *testing.T, d harvest.Document) {
	t.Helper()
	for _, s := range []string{d.ID, d.URL, d.Title, d.Kind, d.MediaType, d.Parent} {
		require.True(t, utf8.ValidString(s), "%q of document %q is not valid UTF-8", s, d.ID)
	}
	_, err := json.Marshal(d.Fields)
	require.NoError(t, err, "the fields of document %q", d.ID)
	require.NotEmpty(t, d.Kind, "document %q has no kind", d.ID)
}

func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }
