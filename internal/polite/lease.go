package polite

import (
	"context"
	"sync"
	"time"
)

// lease keeps a granted reservation while its request is in flight.
type lease struct {
	mu    sync.Mutex
	over  bool
	timer *time.Timer
}

// keep renews the reservation until end.
func (h *lease) keep(p *pacer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(Lease/3, func() {
		p.notify(func(ctx context.Context) error { return p.reservations.Renew(ctx, p.host, p.rule(p.host).Every) }) // the next tick retries
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.over {
			h.timer.Reset(Lease / 3)
		}
	})
}

func (h *lease) end() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	if h.timer != nil {
		h.timer.Stop()
	}
}

// release ends a reservation and asks for the next waiter. Until that succeeds, or the
// lease ends, no request is sent to the host.
func (p *pacer) release(h *lease, gap time.Duration) {
	h.end()
	next, released := p.next(), false
	for range reserveFailures {
		if released = p.notify(func(ctx context.Context) error { return p.reservations.Release(ctx, p.host, gap, next) }) == nil; released {
			break
		}
		time.Sleep(reservePause)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if released {
		p.queued = next
	}
	p.inFlight--
	p.admit()
}

// next returns the priority of the first waiter; 0 if there is none.
func (p *pacer) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 || !p.shared(p.rule(p.host)) {
		return 0
	}
	return p.queue[0].priority
}
