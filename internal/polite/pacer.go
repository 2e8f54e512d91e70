package polite

import (
	"cmp"
	"context"
	"sync"
	"time"
)

// pacer is the queue in front of one host: the more urgent first, and of equals
// who came first. Where the host has a gap, departures are booked in the fleet.
type pacer struct {
	host  string
	rule  func(host string) Rule
	fleet Fleet // nil: this process is alone
	refs  int   // guarded by turns.mu

	errands *errands // with the fleet

	mu      sync.Mutex
	queue   []*waiter
	crowd   crowd
	flying  int
	ended   time.Time // of the last answer
	free    time.Time // ended plus the gap that held then
	rest    time.Time // learnt from the host itself
	restWhy string
	timer   *time.Timer
	booking *booking // asks the fleet for the next departure; nil: nobody does
	held    *holding // the departure that the fleet gave; nil: none
	lined   int      // priority of the place in the fleet's queue while nobody asks; 0: none
}

// enter waits for the host's turn. After nil, leave must be called once.
func (p *pacer) enter(ctx context.Context, v visit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &waiter{priority: cmp.Or(v.priority, usualPriority), ready: make(chan error, 1)}
	p.mu.Lock()
	if r := p.turnAway(w, v); r != nil {
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

// leave ends a turn; the gap counts from now.
func (p *pacer) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	gap := p.rule(p.host).Every
	p.ended = time.Now()
	p.free = p.ended.Add(gap)
	p.land(gap)
	p.admit()
}

// land takes a request out of the air: at once, or when the fleet knows. The lock
// is held.
func (p *pacer) land(gap time.Duration) {
	if p.held == nil {
		p.flying--
		return
	}
	h := p.held
	p.held = nil
	p.errands.run(func() { p.release(h, gap) })
}

// learn remembers that the host asked for rest.
func (p *pacer) learn(until time.Time, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until.After(p.rest) {
		p.rest, p.restWhy = until, why
	}
	p.admit()
}

// admit lets go whom the rule lets go now, and sees to it that it is called
// again when time alone is in the way. The lock is held.
func (p *pacer) admit() {
	for len(p.queue) > 0 {
		now, rule := time.Now(), p.rule(p.host)
		if r := p.refuse(rule, now); r != nil {
			p.clear(r)
			break
		}
		if p.flying >= rule.width() {
			return
		}
		if p.shared(rule) && p.lined != p.queue[0].priority {
			p.book() // others must know at once who waits here
			return
		}
		if wait := p.due(rule).Sub(now); wait > 0 {
			p.wake(wait)
			return
		}
		if p.shared(rule) {
			p.book()
			return
		}
		p.launch()
	}
	p.unline()
}

// unline gives up the place in the fleet's queue that nobody needs. The lock is
// held.
func (p *pacer) unline() {
	if p.lined > 0 {
		p.lined = 0
		p.errands.run(p.leaveLine)
	}
}

// wake calls admit again after a while, or when the rule may have changed.
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

// idle reports whether forgetting the pacer loses nothing.
func (p *pacer) idle(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flying == 0 && p.booking == nil && len(p.queue) == 0 && !now.Before(p.free) && !now.Before(p.rest) && p.crowd.empty(now)
}
