package harvest

import (
	"math"
	"slices"
	"time"
)

// Forever as RetryRule.Times repeats without end.
const Forever = -1

// RetryRule is one line of a campaign's retry list; the first that fits an
// error decides. docs/campaign-file.md explains the seven policies it can say.
type RetryRule struct {
	// When are the kinds it is for; empty is all.
	When []Kind `json:"when,omitempty"`
	// Times counts repeats (n repeats are n+1 attempts); Forever is no end.
	Times int `json:"times"`
	// Wait before the first repeat, multiplied by Factor (0 or 1: constant) for
	// each further one, up to Cap (0: none); Jitter is the share (0 to 1) by
	// which a wait is spread.
	Wait   time.Duration `json:"wait,omitempty"`
	Factor float64       `json:"factor,omitempty"`
	Cap    time.Duration `json:"cap,omitempty"`
	Jitter float64       `json:"jitter,omitempty"`
	// Within bounds the age since the first attempt, 0: none.
	Within time.Duration `json:"within,omitempty"`
	// ByAge waits by the age of the item: the first step whose Until is not
	// reached gives the wait; past the last one it is given up.
	ByAge []AgeStep `json:"by_age,omitempty"`
	// Queue moves the repeats to another task queue.
	Queue string `json:"queue,omitempty"`
}

// AgeStep waits Wait while the item is younger than Until.
type AgeStep struct {
	Until time.Duration `json:"until"`
	Wait  time.Duration `json:"wait"`
}

// Failure is what a retry decision looks at.
type Failure struct {
	Kind Kind
	// Attempts that burned so far, this one included; Age since the first.
	Attempts int
	Age      time.Duration
	// RetryAfter is what the source asked for; a longer one wins.
	RetryAfter time.Duration
	// Spread is a number from 0 to 1 that places the wait within the jitter.
	Spread float64
}

// Decision is the answer: again after Wait, or given up because of Why.
type Decision struct {
	Again bool
	Wait  time.Duration
	Queue string
	Why   Why
}

// Decide is the one place that decides about retries.
func Decide(rules []RetryRule, f Failure) Decision {
	i := slices.IndexFunc(rules, func(r RetryRule) bool {
		return len(r.When) == 0 || slices.Contains(r.When, f.Kind)
	})
	if i < 0 || rules[i].Times == 0 && len(rules[i].ByAge) == 0 {
		return Decision{Why: WhyNotRetriable}
	}
	return rules[i].decide(f)
}

func (r RetryRule) decide(f Failure) Decision {
	if r.Times != Forever && f.Attempts > r.Times && !(r.Times == 0 && len(r.ByAge) > 0) {
		return Decision{Why: WhyTriedTooManyTimes}
	}
	wait, ok := r.wait(f)
	if !ok {
		return Decision{Why: WhyNotScheduledByPolicy}
	}
	wait = max(wait, f.RetryAfter)
	if r.Within > 0 && f.Age+wait > r.Within {
		return Decision{Why: WhyNotScheduledByPolicy}
	}
	return Decision{Again: true, Wait: wait, Queue: r.Queue}
}

// wait computes the pause before the next repeat; false: past the last step.
func (r RetryRule) wait(f Failure) (time.Duration, bool) {
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

// maxWait keeps a growing wait far from overflow; no source is asked less often.
const maxWait = 365 * 24 * time.Hour

// DefaultRetry is the rule list of a campaign that gives none.
func DefaultRetry() []RetryRule {
	return []RetryRule{
		{When: []Kind{KindThrottled}, Times: 20, Wait: time.Minute},
		{When: []Kind{KindBlocked, KindGone, KindBroken, KindMisconfigured, KindBadRecord}},
		{Times: 5, Wait: 30 * time.Second, Factor: 2, Cap: 15 * time.Minute, Jitter: 0.2},
	}
}
