package polite

import (
	"fmt"
	"time"
)

const (
	// shortRest is how long a request waits for a resting host; for a longer rest
	// it fails at once, so that the item frees its slot.
	shortRest = 30 * time.Second
	// pauseLeast and pauseMost bound when a request to a paused host is tried again.
	pauseLeast = 5 * time.Second
	pauseMost  = 10 * time.Minute
)

// refusal is why a request to a host is not sent now.
type refusal struct {
	text     string
	rest     time.Duration
	deferred bool // decided here; else the host asked for it
	all      bool // applies to all requests
}

func (r *refusal) Error() string { return r.text }

// refuse returns why requests are not to wait, or nil. The lock is held.
func (p *pacer) refuse(rule Rule, now time.Time) *refusal {
	if rule.Paused != "" {
		return &refusal{text: "the host is paused: " + rule.Paused, rest: pauseAgain(rule, now), deferred: true, all: true}
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
		return &refusal{text: text, rest: rest, all: true}
	}
	return nil
}

// pauseAgain returns when to check whether a pause is over: soon at first, less often the
// longer it lasts, and not after its own end.
func pauseAgain(rule Rule, now time.Time) time.Duration {
	again := min(max(now.Sub(rule.PausedAt), pauseLeast), pauseMost)
	if left := rule.PausedUntil.Sub(now); left > 0 {
		again = min(again, left)
	}
	return again
}

// due returns the earliest time of the next request, as far as this process knows. The
// lock is held.
func (p *pacer) due(rule Rule) time.Time {
	due := p.rested(rule)
	if rule.Every > 0 && !p.ended.IsZero() {
		due = later(due, p.ended.Add(rule.Every))
	}
	return due
}

// rested returns until when the host asked for no requests. The lock is held.
func (p *pacer) rested(rule Rule) time.Time { return later(p.rest, rule.RestUntil) }

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
