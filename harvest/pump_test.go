package harvest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/panics"
)

// script is a fetcher that yields what it is told.
type script func(ctx context.Context, req harvest.Request, yield func(harvest.Page, error) bool)

func (s script) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) { s(ctx, req, yield) }
}

func pageOf(n, size int) harvest.Page {
	p := harvest.Page{Listed: size, Checkpoint: json.RawMessage(fmt.Sprint(n))}
	for i := range size {
		p.Documents = append(p.Documents, harvest.Document{ID: fmt.Sprintf("%d-%d", n, i)})
	}
	return p
}

type notebook struct {
	pages  []harvest.Page
	refuse error
}

func (n *notebook) Commit(_ context.Context, p harvest.Page) (harvest.Tally, error) {
	if n.refuse != nil {
		return harvest.Tally{}, n.refuse
	}
	n.pages = append(n.pages, p)
	t := harvest.PageTally(&p)
	t.New = len(p.Documents)
	return t, nil
}

// endless yields pages of three for as long as somebody listens.
func endless(_ context.Context, _ harvest.Request, yield func(harvest.Page, error) bool) {
	for n := 0; yield(pageOf(n, 3), nil); n++ {
	}
}

func TestPumpCommitsInOrder(t *testing.T) {
	t.Parallel()
	book := &notebook{}
	f := script(func(_ context.Context, _ harvest.Request, yield func(harvest.Page, error) bool) {
		for n := range 3 {
			require.Len(t, book.pages, n, "page n+1 is asked for after page n is committed")
			if !yield(pageOf(n, 2), nil) {
				return
			}
		}
	})
	sum, err := harvest.Pump(t.Context(), f, harvest.Request{}, book)
	require.NoError(t, err)
	require.Equal(t, harvest.Tally{Pages: 3, Listed: 6, New: 6}, sum)
}

func TestPumpStopsAtTheLastPage(t *testing.T) {
	t.Parallel()
	book := &notebook{}
	_, err := harvest.Pump(t.Context(), script(func(_ context.Context, _ harvest.Request, yield func(harvest.Page, error) bool) {
		p := pageOf(0, 1)
		p.Last = true
		if yield(p, nil) {
			yield(pageOf(1, 1), nil)
		}
	}), harvest.Request{}, book)
	require.NoError(t, err)
	require.Len(t, book.pages, 1)
}

func TestPumpLimit(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int][]int{1: {1}, 3: {3}, 4: {3, 1}, 7: {3, 3, 1}} {
		book := &notebook{}
		sum, err := harvest.Pump(t.Context(), script(endless), harvest.Request{Limit: limit}, book)
		require.NoError(t, err)
		var sizes []int
		for _, p := range book.pages {
			sizes = append(sizes, len(p.Documents))
		}
		require.Equal(t, want, sizes, "limit %d", limit)
		require.Equal(t, limit, sum.New)
	}
}

func TestPumpErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	sum, err := harvest.Pump(t.Context(), script(func(_ context.Context, _ harvest.Request, yield func(harvest.Page, error) bool) {
		if yield(pageOf(0, 2), nil) {
			yield(pageOf(1, 2), boom)
		}
	}), harvest.Request{}, &notebook{})
	require.ErrorIs(t, err, boom)
	require.Equal(t, 2, sum.New, "what was committed before stays; the page beside an error is ignored")

	_, err = harvest.Pump(t.Context(), script(endless), harvest.Request{}, &notebook{refuse: boom})
	require.ErrorIs(t, err, boom, "a page that was not committed ends the fetch")
}

func TestPumpPanic(t *testing.T) {
	t.Parallel()
	sum, err := harvest.Pump(t.Context(), script(func(_ context.Context, _ harvest.Request, yield func(harvest.Page, error) bool) {
		yield(pageOf(0, 2), nil)
		panic("out of range")
	}), harvest.Request{}, &notebook{})
	require.Equal(t, harvest.KindInternal, harvest.KindOf(err))
	require.Equal(t, 2, sum.New, "what was committed before the panic is counted")
	p, ok := errors.AsType[*panics.Panic](err)
	require.True(t, ok)
	require.NotEmpty(t, p.Stack)
	require.NotContains(t, err.Error(), "goroutine", "the stack is for logs")
}

func TestPumpCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	book := &notebook{}
	_, err := harvest.Pump(ctx, script(func(ctx context.Context, _ harvest.Request, yield func(harvest.Page, error) bool) {
		yield(pageOf(0, 1), nil)
		cancel()
	}), harvest.Request{}, book)
	require.ErrorIs(t, err, context.Canceled, "a fetcher that ends because it was told to has not finished")
	require.Len(t, book.pages, 1)
}

func TestPumpRefusesBreaches(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]harvest.Page{
		"too many documents":    pageOf(0, harvest.MaxPageDocuments+1),
		"no JSON":               {Checkpoint: json.RawMessage("{")},
		"a document without id": {Documents: []harvest.Document{{ID: "a"}, {Title: "no id"}}},
	} {
		book := &notebook{}
		_, err := harvest.Pump(t.Context(), script(func(_ context.Context, _ harvest.Request, yield func(harvest.Page, error) bool) {
			yield(p, nil)
		}), harvest.Request{}, book)
		require.Equal(t, harvest.KindInternal, harvest.KindOf(err), name)
		require.Empty(t, book.pages, name)
	}
	full := pageOf(0, harvest.MaxPageDocuments)
	require.NoError(t, full.Check())
	require.NoError(t, (&harvest.Page{}).Check())
}

func TestPageTally(t *testing.T) {
	t.Parallel()
	p := harvest.Page{Listed: 4, Rejects: make([]harvest.Reject, 2), Partial: true, NotModified: true}
	require.Equal(t, harvest.Tally{Pages: 1, Listed: 4, Same: 4, Quarantined: 2, Partial: true, NotModified: true}, harvest.PageTally(&p))
}
