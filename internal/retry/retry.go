// Package retry decides whether and when an item is tried again after an error, by the
// rules of its campaign.
package retry

import (
	"math"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// Forever is the Rule.Times of a rule without a limit.
const Forever = -1

// Rule is one entry of a campaign's retry list; the first one that matches the error
// applies. docs/campaign-file.md explains the seven policies it can express.
type Rule struct {
	// When lists the kinds it matches; empty matches all.
	When []harvest.Kind `json:"when,omitempty"`
	// Times is the number of repeats (n repeats are n+1 attempts), or Forever.
	Times int `json:"times"`
	// Wait before the first repeat, multiplied by Factor (0 or 1: constant) for
	// each further one, up to Cap (0: none); Jitter is the share (0 to 1) by
	// which a wait is spread.
	Wait   time.Duration `json:"wait,omitempty"`
	Factor float64       `json:"factor,omitempty"`
	Cap    time.Duration `json:"cap,omitempty"`
	Jitter float64       `json:"jitter,omitempty"`
	// Within limits the time since the first attempt; 0 is no limit.
	Within time.Duration `json:"within,omitempty"`
	// ByAge gives the wait by the age of the item: that of the first step whose Until
	// is not reached. Past the last step the item is given up.
	ByAge []AgeStep `json:"by_age,omitempty"`
	// Queue moves the repeats to another task queue.
	Queue string `json:"queue,omitempty"`
}

// AgeStep is a wait of Wait while the item is younger than Until.
type AgeStep struct {
	Until time.Duration `json:"until"`
	Wait  time.Duration `json:"wait"`
}

// Failure is the input of a decision.
type Failure struct {
	Kind harvest.Kind
	// Attempts counts the attempts so far, this one included; Age is the time since
	// the first.
	Attempts int
	Age      time.Duration
	// RetryAfter is the wait that the source asked for; the longer wait applies.
	RetryAfter time.Duration
	// Spread, from 0 to 1, is the position of the wait within the jitter.
	Spread float64
}

// Decision is to try again after Wait, in Queue if set, or to give up because of Why.
type Decision struct {
	Retry bool
	Wait  time.Duration
	Queue string
	Why   outcomes.Why
}

// Decide returns what the first rule that matches f decides.
func Decide(rules []Rule, f Failure) Decision {
	i := slices.IndexFunc(rules, func(r Rule) bool {
		return len(r.When) == 0 || slices.Contains(r.When, f.Kind)
	})
	if i < 0 || rules[i].Times == 0 && len(rules[i].ByAge) == 0 {
		return Decision{Why: outcomes.WhyNotRetriable}
	}
	return rules[i].decide(f)
}

func (r Rule) decide(f Failure) Decision {
	if r.Times != Forever && f.Attempts > r.Times && !(r.Times == 0 && len(r.ByAge) > 0) {
		return Decision{Why: outcomes.WhyTriedTooManyTimes}
	}
	wait, ok := r.wait(f)
	if !ok {
		return Decision{Why: outcomes.WhyNotScheduledByPolicy}
	}
	wait = max(wait, f.RetryAfter)
	if r.Within > 0 && f.Age+wait > r.Within {
		return Decision{Why: outcomes.WhyNotScheduledByPolicy}
	}
	return Decision{Retry: true, Wait: wait, Queue: r.Queue}
}

// wait returns the pause before the next repeat; false past the last age step.
func (r Rule) wait(f Failure) (time.Duration, bool) {
	wait := r.Wait
	if len(r.ByAge) > 0 {
		i := slices.IndexFunc(r.ByAge, func(s AgeStep) bool { return f.Age < s.Until })
		if i < 0 {
			return 0, false
		}
		wait = r.ByAge[i].Wait
	} else if r.Factor > 1 {
		grown := float64(r.Wait) * math.Pow(r.Factor, float64(max(0, f.Attempts-1)))
		wait = time.Duration(min(grown, float64(maxWait)))
	}
	if r.Cap > 0 {
		wait = min(wait, r.Cap)
	}
	return wait + time.Duration(float64(wait)*r.Jitter*(2*f.Spread-1)), true
}

// maxWait bounds a growing wait, so that it cannot overflow.
const maxWait = 365 * 24 * time.Hour

// Default returns the rules of a campaign without a retry list.
func Default() []Rule {
	return []Rule{
		{When: []harvest.Kind{harvest.KindThrottled}, Times: 20, Wait: time.Minute},
		{When: []harvest.Kind{harvest.KindBlocked, harvest.KindGone, harvest.KindBroken, harvest.KindMisconfigured, harvest.KindBadRecord}},
		{Times: 5, Wait: 30 * time.Second, Factor: 2, Cap: 15 * time.Minute, Jitter: 0.2},
	}
}
