package polite

import (
	"context"
	"time"
)

// lookAgain is the longest delay until a changed rule of a host is noticed.
const lookAgain = 2 * time.Second

// reservation asks for a host's next request, for the waiter that is first when it is
// granted.
type reservation struct{ wake chan struct{} }

// poke makes it look at the queue again. It may be called on nil.
func (b *reservation) poke() {
	if b == nil {
		return
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// pause waits for d or until poke; woken reports the latter.
func (b *reservation) pause(d time.Duration) (woken bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-b.wake:
		return true
	}
}

// wanted is what to reserve.
type wanted struct {
	rule     Rule
	priority int
}

// reserve starts asking unless it is under way. The lock is held.
func (p *pacer) reserve() {
	if p.reservation != nil {
		return
	}
	b := &reservation{wake: make(chan struct{}, 1)}
	p.reservation, p.queued = b, 0
	p.background.run(func() { p.ask(b) })
}

// ask asks until a reservation is granted or no waiter is left.
func (p *pacer) ask(b *reservation) {
	for failed := 0; ; {
		wait, want, ok := p.wants()
		if !ok {
			if p.withdraw() {
				return
			}
			continue
		}
		if wait > 0 {
			b.pause(min(wait, lookAgain))
			continue
		}
		wait, late, err := p.askOnce(want)
		switch {
		case err != nil && failed < reserveFailures:
			failed++
			b.pause(reservePause)
		case err != nil:
			p.over(err)
			failed = 0
		case wait > 0:
			failed = 0
			p.sleep(b, wait, want.rule)
		case late:
			p.giveBack(0)
		default:
			if wait = p.early(); wait == 0 {
				p.startReserved()
				return
			}
			p.giveBack(wait)
			b.pause(min(wait, lookAgain))
		}
	}
}

// early returns the rest of the gap after this process's own last response, which may not
// be released yet; 0 if the gap is over.
func (p *pacer) early() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, time.Until(p.due(p.rule(p.host))))
}

// askOnce calls Reserve. The answer is late if it took longer than Lease, because this
// process was stopped: the reservation may be another's by now.
func (p *pacer) askOnce(want wanted) (wait time.Duration, late bool, err error) {
	asked := time.Now()
	wait, err = p.call(func(ctx context.Context) (time.Duration, error) {
		return p.reservations.Reserve(ctx, p.host, want.rule.Every, want.priority)
	})
	return wait, time.Since(asked) >= Lease, err
}

// sleep waits until it is time to ask again, or the queue or rule changed.
func (p *pacer) sleep(b *reservation, d time.Duration, rule Rule) {
	for end := time.Now().Add(d); d > 0; d = time.Until(end) {
		if b.pause(min(d, lookAgain)) || p.rule(p.host) != rule {
			return
		}
	}
}

// wants reports whether a reservation is still wanted, what for, and how long to wait
// before asking.
func (p *pacer) wants() (wait time.Duration, want wanted, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, rule := time.Now(), p.rule(p.host)
	if r := p.refuse(rule, now); r != nil {
		p.clear(r)
	}
	if len(p.queue) == 0 || !p.shared(rule) {
		return 0, wanted{}, false
	}
	return p.rested(rule).Sub(now), wanted{rule, p.queue[0].priority}, true
}

// withdraw stops asking, unless a new waiter has come.
func (p *pacer) withdraw() bool {
	p.dequeue()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) > 0 && p.shared(p.rule(p.host)) {
		return false
	}
	p.reservation = nil
	p.admit()
	return true
}

// dequeue removes the queue entry.
func (p *pacer) dequeue() {
	p.notify(func(ctx context.Context) error { return p.reservations.Withdraw(ctx, p.host) }) // the entry expires by itself
}

// over refuses all waiters: Reserve keeps failing.
func (p *pacer) over(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear(&refusal{text: "the next request to the host could not be reserved: " + err.Error(), rest: Lease, deferred: true})
}

// giveBack releases an unused reservation; one that is another's by now stays.
func (p *pacer) giveBack(gap time.Duration) {
	p.notify(func(ctx context.Context) error { return p.reservations.Release(ctx, p.host, gap, 0) }) // it expires by itself
}

// startReserved starts the first waiter's request with the granted reservation, or
// releases it if no waiter is left.
func (p *pacer) startReserved() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reservation = nil
	h := &lease{}
	if len(p.queue) == 0 {
		p.inFlight++
		p.background.run(func() { p.release(h, 0) })
		return
	}
	p.lease = h
	h.keep(p)
	p.start()
}
