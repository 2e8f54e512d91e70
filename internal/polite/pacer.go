package polite

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// shortRest is how long a request waits for a resting host; for a longer rest
// it fails at once, so that the item gives its place to others.
const shortRest = 30 * time.Second

// pacer is the queue in front of one host: first come, first served.
type pacer struct {
	host string
	rule func(host string) Rule
	refs int // guarded by turns.mu

	mu      sync.Mutex
	queue   []chan error // each gets one value: nil is "go"
	flying  int
	ended   time.Time // of the last answer
	free    time.Time // ended plus the gap that held then
	rest    time.Time // learnt from the host itself
	restWhy string
	timer   *time.Timer
}

// refusal says why a host takes no request now.
type refusal struct {
	text string
	rest time.Duration
}

func (r *refusal) Error() string { return r.text }

// enter waits for the host's turn. After nil, leave must be called once.
func (p *pacer) enter(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ready := make(chan error, 1)
	p.mu.Lock()
	p.queue = append(p.queue, ready)
	p.admit()
	p.mu.Unlock()
	select {
	case err := <-ready:
		return err
	case <-ctx.Done():
		return p.giveUp(ctx, ready)
	}
}

// giveUp takes a waiter out of the queue, or gives its turn back when it came
// at the same moment.
func (p *pacer) giveUp(ctx context.Context, ready chan error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.Index(p.queue, ready); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
	} else if err := <-ready; err == nil {
		p.flying--
	}
	p.admit()
	return ctx.Err()
}

// leave ends a turn; the gap counts from now.
func (p *pacer) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flying--
	p.ended = time.Now()
	p.free = p.ended.Add(p.rule(p.host).Every)
	p.admit()
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
			return
		}
		if p.flying >= rule.width() {
			return
		}
		if wait := p.due(rule).Sub(now); wait > 0 {
			p.wake(wait)
			return
		}
		p.flying++
		p.queue[0] <- nil
		p.queue = p.queue[1:]
	}
}

// due is the earliest moment of the next departure.
func (p *pacer) due(rule Rule) time.Time {
	due := later(p.rest, rule.RestUntil)
	if rule.Every > 0 && !p.ended.IsZero() {
		due = later(due, p.ended.Add(rule.Every))
	}
	return due
}

func (p *pacer) refuse(rule Rule, now time.Time) *refusal {
	if rule.Paused != "" {
		return &refusal{text: "the host is paused: " + rule.Paused}
	}
	until, why := rule.RestUntil, rule.RestWhy
	if p.rest.After(until) {
		until, why = p.rest, p.restWhy
	}
	if rest := until.Sub(now); rest > shortRest {
		text := fmt.Sprintf("the host rests until %s", until.UTC().Format(time.RFC3339))
		if why != "" {
			text += ": " + why
		}
		return &refusal{text: text, rest: rest}
	}
	return nil
}

func (p *pacer) clear(r *refusal) {
	for _, ready := range p.queue {
		ready <- r
	}
	p.queue = nil
}

func (p *pacer) wake(after time.Duration) {
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
	return p.flying == 0 && len(p.queue) == 0 && !now.Before(p.free) && !now.Before(p.rest)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
