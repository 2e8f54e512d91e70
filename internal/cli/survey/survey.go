package survey

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Bounds of how many are asked at once.
const (
	PerHost = 2
	Whole   = 16
)

// Target is an address and the fetcher that is to know it.
type Target struct {
	Fetcher string
	Address string
	Host    string
	// Auth names the sign-in, for Prepare: an address with another one is another target.
	Auth string
}

// Answer is what came of a Target.
type Answer struct {
	harvest.Finding
	// TLS is the version ("1.3"), "none" without TLS, BadCertificate, or ""
	// when that is not known.
	TLS string
	// First is how long the first answer took, without the wait for the host's
	// turn; 0: there was none.
	First time.Duration
	// Err is why it does not answer; nil: it does.
	Err error
}

// Prepare makes the Prober of a target. It asks through the client that wrap
// returns for one's own, and tells exchanges to record.
type Prepare func(t Target, wrap func(*http.Client) *http.Client, record func(visit.Exchange)) harvest.Prober

// Ask asks every target once and returns the answers in their order. Done is
// told after each how many have been asked; it is called by one at a time. When
// ctx ends the rest fail with its error.
func Ask(ctx context.Context, targets []Target, prepare Prepare, done func(n int)) []Answer {
	out := make([]Answer, len(targets))
	hosts := map[string]chan struct{}{}
	for _, t := range targets {
		if hosts[t.Host] == nil {
			hosts[t.Host] = make(chan struct{}, PerHost)
		}
	}
	all, report := make(chan struct{}, Whole), progress{done: done}
	var wg sync.WaitGroup
	for i, t := range targets {
		wg.Go(func() {
			// The host's place first: whoever waits for a slow host must not keep
			// others waiting.
			out[i].Err = within(ctx, hosts[t.Host], func() error {
				return within(ctx, all, func() error {
					out[i] = one(ctx, t, prepare)
					return out[i].Err
				})
			})
			report.next()
		})
	}
	wg.Wait()
	return out
}

// within does something while it holds one of the places.
func within(ctx context.Context, places chan struct{}, do func() error) error {
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
		return do()
	case <-ctx.Done():
		return ctx.Err()
	}
}

type progress struct {
	mu   sync.Mutex
	n    int
	done func(int)
}

func (p *progress) next() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	if p.done != nil {
		p.done(p.n)
	}
}

// one asks one target; a fetcher that panics is an error.
func one(ctx context.Context, t Target, prepare Prepare) (a Answer) {
	w := &watch{}
	defer func() {
		if p := recover(); p != nil {
			a.Err = harvest.Errorf(harvest.KindInternal, "probe", t.Address, "the fetcher panicked: %v", p)
		}
		a.TLS, a.First = w.seen()
	}()
	a.Finding, a.Err = prepare(t, w.wrap, w.record).Probe(ctx, t.Address)
	return a
}
