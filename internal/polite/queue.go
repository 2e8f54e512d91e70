package polite

import (
	"context"
	"slices"
	"time"
)

// terms say how a request waits in the queue.
type terms struct {
	priority int
	yields   bool // fails with a time to come back instead of waiting long
}

// waiter is a request in the queue. ready gets one value: nil to start, or why not.
type waiter struct {
	priority int
	ready    chan error
}

// postpone returns a refusal if the waiter is to come back later, or nil if it may wait.
// The lock is held.
func (p *pacer) postpone(w *waiter, v terms) error {
	if !v.yields {
		return nil
	}
	now, rule := time.Now(), p.rule(p.host)
	if r := p.rate.postpone(p.position(w)+p.inFlight, w.priority, p.due(rule).Sub(now), rule.Every, now); r != nil {
		return r
	}
	return nil
}

// position returns the index behind all waiters of the same priority. The lock is held.
func (p *pacer) position(w *waiter) int {
	i := len(p.queue)
	for i > 0 && p.queue[i-1].priority > w.priority {
		i--
	}
	return i
}

// join adds a waiter to the queue. The lock is held.
func (p *pacer) join(w *waiter) {
	i := p.position(w)
	p.queue = slices.Insert(p.queue, i, w)
	if i == 0 {
		p.reservation.poke()
	}
}

// giveUp removes a waiter from the queue, or ends its request if that was started at the
// same moment.
func (p *pacer) giveUp(ctx context.Context, w *waiter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, w); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
	} else if err := <-w.ready; err == nil {
		p.finish(0)
	}
	p.reservation.poke()
	p.admit()
	return ctx.Err()
}

// launch lets the first of the queue go. The lock is held.
func (p *pacer) start() {
	p.inFlight++
	p.queue[0].ready <- nil
	p.queue = p.queue[1:]
	p.rate.sent(time.Now(), len(p.queue) > 0)
}

func (p *pacer) clear(r error) {
	for _, w := range p.queue {
		w.ready <- r
	}
	p.queue = nil
	p.rate.cleared()
}
