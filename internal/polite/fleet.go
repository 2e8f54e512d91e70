package polite

import (
	"context"
	"sync"
	"time"
)

// Fleet books departures to a host for all processes that ask it. Its methods
// may be called at once for different hosts; for one host a process calls them
// one after the other. "Now" is the fleet's own clock.
type Fleet interface {
	// Book asks for the host's next departure. It is had when wait is 0: no other
	// process has one, the gap after the last answer is over, and nobody more
	// urgent waits elsewhere. It is held for Lease, until renewed or released. Else
	// nothing is booked but a place in the queue, and wait is when to ask again.
	Book(ctx context.Context, host string, gap time.Duration, priority int) (wait time.Duration, err error)
	// Renew holds the departure for another Lease.
	Renew(ctx context.Context, host string, gap time.Duration) error
	// Release gives it back; the next one is due a gap from now. Twice is harmless.
	Release(ctx context.Context, host string, gap time.Duration) error
	// Withdraw gives up the place in the queue.
	Withdraw(ctx context.Context, host string) error
}

const (
	// Lease is how long a departure is held by a process that has died.
	Lease = 15 * time.Second
	// usualPriority is that of a visitor who names none.
	usualPriority = 3
	// fleetTimeout bounds one call; fleetPause is between calls that failed, and
	// fleetFailures how many of them end the wait.
	fleetTimeout  = 10 * time.Second
	fleetPause    = time.Second
	fleetFailures = 5
)

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

// pause sleeps, at most until the queue has changed.
func (b *booking) pause(d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-b.wake:
	}
}

func (p *pacer) shared(rule Rule) bool { return p.fleet != nil && rule.Every > 0 }

// book sees to it that somebody asks the fleet. The lock is held.
func (p *pacer) book() {
	if p.booking != nil {
		return
	}
	p.booking = &booking{wake: make(chan struct{}, 1)}
	go p.ask(p.booking)
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
			b.pause(wait)
			continue
		}
		wait, err := p.call(func(ctx context.Context) (time.Duration, error) {
			return p.fleet.Book(ctx, p.host, want.gap, want.priority)
		})
		switch {
		case err != nil && failed < fleetFailures:
			failed++
			b.pause(fleetPause)
		case err != nil:
			p.over(err)
			failed = 0
		case wait == 0:
			p.depart()
			return
		default:
			failed = 0
			b.pause(wait)
		}
	}
}

// departure is what the fleet is asked for.
type departure struct {
	gap      time.Duration
	priority int
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
	return p.due(rule).Sub(now), departure{rule.Every, p.queue[0].priority}, true
}

// withdraw ends the asking, unless somebody has come meanwhile.
func (p *pacer) withdraw() bool {
	p.call(func(ctx context.Context) (time.Duration, error) { return 0, p.fleet.Withdraw(ctx, p.host) }) //nolint:errcheck // the place in the queue ends by itself
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) > 0 && p.shared(p.rule(p.host)) {
		return false
	}
	p.booking = nil
	p.admit()
	return true
}

// over ends the wait of all who wait: the fleet cannot be asked.
func (p *pacer) over(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear(&refusal{text: "the host's next departure could not be booked: " + err.Error(), rest: Lease})
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
		go p.release(h, 0)
		return
	}
	p.held = h
	h.keep(p)
	p.launch()
}

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
		p.call(func(ctx context.Context) (time.Duration, error) {
			return 0, p.fleet.Renew(ctx, p.host, p.rule(p.host).Every)
		}) //nolint:errcheck // tried again soon
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

// release tells the fleet that a departure was used. While it cannot be told,
// nobody departs: at the latest the lease ends.
func (p *pacer) release(h *holding, gap time.Duration) {
	h.letGo()
	for range fleetFailures {
		if _, err := p.call(func(ctx context.Context) (time.Duration, error) { return 0, p.fleet.Release(ctx, p.host, gap) }); err == nil {
			break
		}
		time.Sleep(fleetPause)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flying--
	p.admit()
}

func (p *pacer) call(fn func(context.Context) (time.Duration, error)) (time.Duration, error) {
	ctx, stop := context.WithTimeout(context.Background(), fleetTimeout)
	defer stop()
	return fn(ctx)
}
