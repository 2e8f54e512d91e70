package polite

import (
	"context"
	"slices"
	"time"
)

// visit is on whose behalf a turn is waited for.
type visit struct {
	priority int
	yields   bool // rather comes back than waits long
}

// waiter is one request in the queue; it gets one value: nil is "go".
type waiter struct {
	priority int
	ready    chan error
}

// turnAway returns why a waiter should rather come back; nil: it may wait. The lock
// is held.
func (p *pacer) turnAway(w *waiter, v visit) error {
	if !v.yields {
		return nil
	}
	now, rule := time.Now(), p.rule(p.host)
	if r := p.crowd.turnAway(p.place(w)+p.flying, w.priority, p.due(rule).Sub(now), rule.Every, now); r != nil {
		return r
	}
	return nil
}

// place is behind those who are as urgent. The lock is held.
func (p *pacer) place(w *waiter) int {
	i := len(p.queue)
	for i > 0 && p.queue[i-1].priority > w.priority {
		i--
	}
	return i
}

// join puts a waiter in its place. The lock is held.
func (p *pacer) join(w *waiter) {
	i := p.place(w)
	p.queue = slices.Insert(p.queue, i, w)
	if i == 0 {
		p.booking.poke()
	}
}

// giveUp takes a waiter out of the queue, or gives its turn back when it came
// at the same moment.
func (p *pacer) giveUp(ctx context.Context, w *waiter) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, w); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
	} else if err := <-w.ready; err == nil {
		p.land(0)
	}
	p.booking.poke()
	p.admit()
	return ctx.Err()
}

// launch lets the first of the queue go. The lock is held.
func (p *pacer) launch() {
	p.flying++
	p.queue[0].ready <- nil
	p.queue = p.queue[1:]
	p.crowd.departs(time.Now(), len(p.queue) > 0)
}

func (p *pacer) clear(r error) {
	for _, w := range p.queue {
		w.ready <- r
	}
	p.queue = nil
	p.crowd.scatters()
}
