package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/vendemmia/vendemmia/harvest"
)

// scripted is what one item does.
type scripted func(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error]

// script is a source that is told what to do, item by item.
type script struct {
	mu    sync.Mutex
	items map[string]scripted
	asked map[string]int
	split func(harvest.Request) iter.Seq2[harvest.Element, error]
	last  harvest.Request
}

func (s *script) on(name string, do scripted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[name] = do
}

func (s *script) count(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[name]
}

type scriptParams struct {
	Name   string `json:"name" doc:"name of the item" required:"true"`
	URL    string `json:"url" doc:"address"`
	Token  string `json:"token" doc:"a secret" secret:"true"`
	Fields string `json:"fields" doc:"what is extracted" extraction:"true"`
	Max    int    `json:"max" doc:"how many"`
}

// fetcher is the scripted fetcher. An item without a script brings one document
// the first time and nothing new after that.
type fetcher struct{ *script }

func (f fetcher) Describe() harvest.Description {
	return harvest.Description{Summary: "Does what a test says.", Params: scriptParams{}, Identity: []string{"name"}}
}

func (fetcher) Exhaustive() {}

func (f fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	p, err := harvest.DecodeParams[scriptParams](req.Params)
	if err != nil {
		return func(yield func(harvest.Page, error) bool) { yield(harvest.Page{}, err) }
	}
	f.mu.Lock()
	f.asked[p.Name]++
	f.last = req
	do := f.items[p.Name]
	f.mu.Unlock()
	if do == nil {
		do = pages(page(1, p.Name+"-1"))
	}
	return do(ctx, req)
}

func (f fetcher) Split(_ context.Context, req harvest.Request) iter.Seq2[harvest.Element, error] {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked["split"]++
	return f.split(req)
}

// page is a page of documents with ids, its checkpoint n.
func page(n int, ids ...string) harvest.Page {
	p := harvest.Page{Checkpoint: json.RawMessage(fmt.Sprintf(`{"page":%d}`, n)), Listed: len(ids), Done: int64(n)}
	for _, id := range ids {
		p.Documents = append(p.Documents, harvest.Document{ID: id, Title: "title of " + id})
	}
	return p
}

// pages yields the pages after the checkpoint, or one that says "nothing new".
func pages(list ...harvest.Page) scripted {
	return func(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			var at struct{ Page int }
			if len(req.Checkpoint) > 0 && json.Unmarshal(req.Checkpoint, &at) != nil {
				return
			}
			if at.Page >= len(list) {
				yield(harvest.Page{Checkpoint: req.Checkpoint, NotModified: true}, nil)
				return
			}
			for _, p := range list[at.Page:] {
				if !yield(p, nil) {
					return
				}
			}
		}
	}
}

func fails(err error) scripted {
	return func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) { yield(harvest.Page{}, err) }
	}
}

func kindError(k harvest.Kind) error {
	return harvest.Errorf(k, "get", "https://a.example/x?token=1", "no luck")
}

// holds is a source that waits until it is let go, or its context ends.
func holds(began chan<- struct{}, letGo <-chan struct{}, then harvest.Page) scripted {
	return func(ctx context.Context, _ harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			began <- struct{}{}
			select {
			case <-letGo:
				if yield(then, nil) {
					yield(page(99, "after-the-stop"), nil)
				}
			case <-ctx.Done():
				yield(harvest.Page{}, ctx.Err())
			}
		}
	}
}

var errTransport = errors.New("connection refused")
