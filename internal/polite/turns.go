package polite

import (
	"context"
	"sync"
	"time"
)

// keepPacers is how many hosts are remembered before idle ones are dropped.
const keepPacers = 64

// turns holds the pacer of every host in use.
type turns struct {
	rule  func(host string) Rule
	fleet Fleet

	mu      sync.Mutex
	pacers  map[string]*pacer
	sweepAt int

	errands errands // of all pacers with the fleet
}

func newTurns(rule func(string) Rule, fleet Fleet) *turns {
	return &turns{rule: rule, fleet: fleet, pacers: map[string]*pacer{}, sweepAt: keepPacers}
}

// turn is the right to have one request in flight.
type turn struct {
	turns  *turns
	pacer  *pacer
	waited time.Duration
}

// enter waits for a host's turn; the turn must be ended once.
func (t *turns) enter(ctx context.Context, host string, v visit) (*turn, error) {
	start, p := time.Now(), t.take(host)
	if err := p.enter(ctx, v); err != nil {
		t.put(p)
		return nil, err
	}
	return &turn{turns: t, pacer: p, waited: time.Since(start)}, nil
}

func (t *turn) end() {
	t.pacer.leave()
	t.turns.put(t.pacer)
}

// gap is the host's gap as the rule has it now.
func (t *turn) gap() time.Duration { return t.turns.rule(t.pacer.host).Every }

func (t *turns) take(host string) *pacer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.pacers) >= t.sweepAt {
		t.sweep(time.Now())
	}
	p, ok := t.pacers[host]
	if !ok {
		p = &pacer{host: host, rule: t.rule, fleet: t.fleet, errands: &t.errands}
		t.pacers[host] = p
	}
	p.refs++
	return p
}

func (t *turns) put(p *pacer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p.refs--
}

// sweep drops idle pacers. It runs again when as many have been added as are
// left, so its cost per request stays constant.
func (t *turns) sweep(now time.Time) {
	for host, p := range t.pacers {
		if p.refs == 0 && p.idle(now) {
			delete(t.pacers, host)
		}
	}
	t.sweepAt = max(keepPacers, 2*len(t.pacers))
}
