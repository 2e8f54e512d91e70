package polite

import (
	"context"
	"sync"
	"time"
)

// holding is a departure while it is used.
type holding struct {
	mu    sync.Mutex
	over  bool
	timer *time.Timer
}

// keep renews the departure until it is let go.
func (h *holding) keep(p *pacer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = time.AfterFunc(Lease/3, func() {
		p.tell(func(ctx context.Context) error { return p.fleet.Renew(ctx, p.host, p.rule(p.host).Every) }) //nolint:errcheck // tried again soon
		h.mu.Lock()
		defer h.mu.Unlock()
		if !h.over {
			h.timer.Reset(Lease / 3)
		}
	})
}

func (h *holding) letGo() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	if h.timer != nil {
		h.timer.Stop()
	}
}

// release tells the fleet that a departure was used, and for whom the next one is
// wanted. While it cannot be told, nobody departs: at the latest the lease ends.
func (p *pacer) release(h *holding, gap time.Duration) {
	h.letGo()
	next, told := p.next(), false
	for range fleetFailures {
		if told = p.tell(func(ctx context.Context) error { return p.fleet.Release(ctx, p.host, gap, next) }) == nil; told {
			break
		}
		time.Sleep(fleetPause)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if told {
		p.lined = next
	}
	p.flying--
	p.admit()
}

// next is the priority of who waits first; 0: nobody does.
func (p *pacer) next() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 || !p.shared(p.rule(p.host)) {
		return 0
	}
	return p.queue[0].priority
}
