package polite

import (
	"context"
	"sync"
	"time"
)

// keepPacers is the number of hosts to keep before idle ones are dropped.
const keepPacers = 64

// limiter is the rate limiter of a process: a pacer for every host in use.
type limiter struct {
	rule         func(host string) Rule
	reservations Reservations

	mu      sync.Mutex
	pacers  map[string]*pacer
	sweepAt int

	background background // calls of reservations, of all pacers
}

func newLimiter(rule func(string) Rule, reservations Reservations) *limiter {
	return &limiter{rule: rule, reservations: reservations, pacers: map[string]*pacer{}, sweepAt: keepPacers}
}

// permit allows one request in flight.
type permit struct {
	limiter *limiter
	pacer   *pacer
	waited  time.Duration
}

// enter waits for the rate limit of a host. The permit must be ended once.
func (t *limiter) enter(ctx context.Context, host string, v terms) (*permit, error) {
	start, p := time.Now(), t.take(host)
	if err := p.enter(ctx, v); err != nil {
		t.put(p)
		return nil, err
	}
	return &permit{limiter: t, pacer: p, waited: time.Since(start)}, nil
}

func (t *permit) end() {
	t.pacer.leave()
	t.limiter.put(t.pacer)
}

// gap returns the host's current gap.
func (t *permit) gap() time.Duration { return t.limiter.rule(t.pacer.host).Every }

func (t *limiter) take(host string) *pacer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pacers) >= t.sweepAt {
		t.sweep(time.Now())
	}
	p, ok := t.pacers[host]
	if !ok {
		p = &pacer{host: host, rule: t.rule, reservations: t.reservations, background: &t.background}
		t.pacers[host] = p
	}
	p.refs++
	return p
}

func (t *limiter) put(p *pacer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.refs--
}

// sweep drops idle pacers. It runs again when their number has doubled, so that the cost
// per request stays constant.
func (t *limiter) sweep(now time.Time) {
	for host, p := range t.pacers {
		if p.refs == 0 && p.idle(now) {
			delete(t.pacers, host)
		}
	}
	t.sweepAt = max(keepPacers, 2*len(t.pacers))
}
