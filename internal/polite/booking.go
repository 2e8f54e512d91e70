package polite

import (
	"context"
	"time"
)

// lookAgain is how soon who sleeps sees that a host's rule has changed.
const lookAgain = 2 * time.Second

// booking is a process asking for a host's next departure, on behalf of whoever
// is first in the queue when it is had.
type booking struct{ wake chan struct{} }

// poke makes it look at the queue again; nil is nobody.
func (b *booking) poke() {
	if b == nil {
		return
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// pause sleeps, at most until the queue has changed: woken.
func (b *booking) pause(d time.Duration) (woken bool) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return false
	case <-b.wake:
		return true
	}
}

// departure is what the fleet is asked for.
type departure struct {
	rule     Rule
	priority int
}

// book sees to it that somebody asks the fleet. The lock is held.
func (p *pacer) book() {
	if p.booking != nil {
		return
	}
	b := &booking{wake: make(chan struct{}, 1)}
	p.booking, p.lined = b, 0
	p.errands.run(func() { p.ask(b) })
}

// ask asks until a departure is had or nobody waits for one any more.
func (p *pacer) ask(b *booking) {
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
		case err != nil && failed < fleetFailures:
			failed++
			b.pause(fleetPause)
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
				p.depart()
				return
			}
			p.giveBack(wait)
			b.pause(min(wait, lookAgain))
		}
	}
}

// early is what is left of the gap after this process's own last answer, which the
// fleet may not have been told of; 0: nothing.
func (p *pacer) early() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(0, time.Until(p.due(p.rule(p.host))))
}

// askOnce asks the fleet. A departure that took as long to come as it is held for,
// because this process was stopped meanwhile, is late: it may be another's by now.
func (p *pacer) askOnce(want departure) (wait time.Duration, late bool, err error) {
	asked := time.Now()
	wait, err = p.call(func(ctx context.Context) (time.Duration, error) {
		return p.fleet.Book(ctx, p.host, want.rule.Every, want.priority)
	})
	return wait, time.Since(asked) >= Lease, err
}

// sleep waits for the moment to ask again, at most until the queue or the rule has
// changed.
func (p *pacer) sleep(b *booking, d time.Duration, rule Rule) {
	for end := time.Now().Add(d); d > 0; d = time.Until(end) {
		if b.pause(min(d, lookAgain)) || p.rule(p.host) != rule {
			return
		}
	}
}

// wants says whether a departure is still wanted, for whom, and what there is to
// wait for before the fleet need be asked.
func (p *pacer) wants() (wait time.Duration, want departure, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, rule := time.Now(), p.rule(p.host)
	if r := p.refuse(rule, now); r != nil {
		p.clear(r)
	}
	if len(p.queue) == 0 || !p.shared(rule) {
		return 0, departure{}, false
	}
	return p.rested(rule).Sub(now), departure{rule, p.queue[0].priority}, true
}

// withdraw ends the asking, unless somebody has come meanwhile.
func (p *pacer) withdraw() bool {
	p.leaveLine()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) > 0 && p.shared(p.rule(p.host)) {
		return false
	}
	p.booking = nil
	p.admit()
	return true
}

// leaveLine gives up the place in the fleet's queue.
func (p *pacer) leaveLine() {
	p.tell(func(ctx context.Context) error { return p.fleet.Withdraw(ctx, p.host) }) //nolint:errcheck // the place ends by itself
}

// over ends the wait of all who wait: the fleet cannot be asked.
func (p *pacer) over(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear(&refusal{text: "the host's next departure could not be booked: " + err.Error(), rest: Lease, held: true})
}

// giveBack gives back a departure that is not used; where it is another's by now,
// that one stays.
func (p *pacer) giveBack(gap time.Duration) {
	p.tell(func(ctx context.Context) error { return p.fleet.Release(ctx, p.host, gap, 0) }) //nolint:errcheck // it is asked for again, and has an end
}

// depart lets the first one go with the departure that was had, or gives it back
// when nobody waits any more.
func (p *pacer) depart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.booking = nil
	h := &holding{}
	if len(p.queue) == 0 {
		p.flying++
		p.errands.run(func() { p.release(h, 0) })
		return
	}
	p.held = h
	h.keep(p)
	p.launch()
}
