package polite

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// pacer is the rate limiter of one host: a queue ordered by priority, then by arrival. For
// a host with a gap, requests are reserved across processes.
type pacer struct {
	host         string
	rule         func(host string) Rule
	reservations Reservations // nil: no other processes
	refs         int          // guarded by turns.mu

	background *background // calls of reservations

	mu          sync.Mutex
	queue       []*waiter
	rate        queueRate
	inFlight    int
	ended       time.Time // the last response
	free        time.Time // ended plus the gap that held then
	rest        time.Time // as the host asked
	restWhy     string
	timer       *time.Timer
	reservation *reservation // asks for the next request; nil: not asking
	lease       *lease       // of the granted reservation; nil: none
	queued      int          // priority of the queue entry while not asking; 0: none
}

// enter waits for the rate limit. After nil, leave must be called once.
func (p *pacer) enter(ctx context.Context, v terms) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &waiter{priority: cmp.Or(v.priority, usualPriority), ready: make(chan error, 1)}
	p.mu.Lock()
	if r := p.postpone(w, v); r != nil {
		p.mu.Unlock()
		return r
	}
	p.join(w)
	p.admit()
	p.mu.Unlock()
	select {
	case err := <-w.ready:
		return err
	case <-ctx.Done():
		return p.giveUp(ctx, w)
	}
}

// leave ends a request; the gap starts now.
func (p *pacer) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	gap := p.rule(p.host).Every
	p.ended = time.Now()
	p.free = p.ended.Add(gap)
	p.finish(gap)
	p.admit()
}

// finish removes a request from those in flight: at once, or after its reservation is
// released. The lock is held.
func (p *pacer) finish(gap time.Duration) {
	if p.lease == nil {
		p.inFlight--
		return
	}
	h := p.lease
	p.lease = nil
	p.background.run(func() { p.release(h, gap) })
}

// learn records until when the host asked for no requests.
func (p *pacer) learn(until time.Time, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.After(p.rest) {
		p.rest, p.restWhy = until, why
	}
	p.admit()
}

// admit starts the requests that the rule permits now, and schedules itself if others
// only have to wait. The lock is held.
func (p *pacer) admit() {
	for len(p.queue) > 0 {
		now, rule := time.Now(), p.rule(p.host)
		if r := p.refuse(rule, now); r != nil {
			p.clear(r)
			break
		}
		if p.inFlight >= rule.width() {
			return
		}
		if p.shared(rule) && p.queued != p.queue[0].priority {
			p.reserve() // other processes must know the priority at once
			return
		}
		if wait := p.due(rule).Sub(now); wait > 0 {
			p.wake(wait)
			return
		}
		if p.shared(rule) {
			p.reserve()
			return
		}
		p.start()
	}
	p.leaveQueue()
}

// leaveQueue removes the queue entry if there is one. The lock is held.
func (p *pacer) leaveQueue() {
	if p.queued > 0 {
		p.queued = 0
		p.background.run(p.dequeue)
	}
}

// wake calls admit after a pause, at the latest when the rule may have changed.
func (p *pacer) wake(after time.Duration) {
	after = min(after, lookAgain)
	if p.timer != nil {
		p.timer.Reset(after)
		return
	}
	p.timer = time.AfterFunc(after, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.admit()
	})
}

// idle reports whether the pacer can be dropped without loss.
func (p *pacer) idle(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.inFlight == 0 && p.reservation == nil && len(p.queue) == 0 && !now.Before(p.free) && !now.Before(p.rest) && p.rate.empty(now)
}
