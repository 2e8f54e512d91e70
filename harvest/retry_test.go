package harvest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

const second, minute, hour = time.Second, time.Minute, time.Hour

// again and never are decisions as a table shows them.
func again(wait time.Duration) harvest.Decision {
	return harvest.Decision{Again: true, Wait: wait}
}

func never(why harvest.Why) harvest.Decision { return harvest.Decision{Why: why} }

// TestPolicies says each of the old systems' policies in rules, and what they
// decide for the failures of one item, in order.
func TestPolicies(t *testing.T) {
	t.Parallel()
	type step struct {
		failure harvest.Failure
		want    harvest.Decision
	}
	for name, c := range map[string]struct {
		rules []harvest.RetryRule
		steps []step
	}{
		"none": {
			rules: []harvest.RetryRule{{Times: 0}},
			steps: []step{{harvest.Failure{Attempts: 1}, never(harvest.WhyNotRetriable)}},
		},
		"times": {
			rules: []harvest.RetryRule{{Times: 2, Wait: minute}},
			steps: []step{
				{harvest.Failure{Attempts: 1}, again(minute)},
				{harvest.Failure{Attempts: 2, Age: minute}, again(minute)},
				{harvest.Failure{Attempts: 3, Age: 2 * minute}, never(harvest.WhyTriedTooManyTimes)},
			},
		},
		"forever": {
			rules: []harvest.RetryRule{{Times: harvest.Forever, Wait: minute}},
			steps: []step{
				{harvest.Failure{Attempts: 1}, again(minute)},
				{harvest.Failure{Attempts: 1_000_000, Age: 10_000 * hour}, again(minute)},
			},
		},
		"exponential": {
			rules: []harvest.RetryRule{{Times: 40, Wait: second, Factor: 2}},
			steps: []step{
				{harvest.Failure{Attempts: 1}, again(second)},
				{harvest.Failure{Attempts: 2}, again(2 * second)},
				{harvest.Failure{Attempts: 5}, again(16 * second)},
				{harvest.Failure{Attempts: 40}, again(365 * 24 * hour)},
				{harvest.Failure{Attempts: 41}, never(harvest.WhyTriedTooManyTimes)},
			},
		},
		"exponential with a cap": {
			rules: []harvest.RetryRule{{Times: harvest.Forever, Wait: minute, Factor: 3, Cap: 5 * minute}},
			steps: []step{
				{harvest.Failure{Attempts: 2}, again(3 * minute)},
				{harvest.Failure{Attempts: 3}, again(5 * minute)},
				{harvest.Failure{Attempts: 10_000}, again(5 * minute)},
			},
		},
		"for an interval": {
			rules: []harvest.RetryRule{{Times: harvest.Forever, Within: 10 * minute, Wait: minute, Factor: 2}},
			steps: []step{
				{harvest.Failure{Attempts: 1}, again(minute)},
				{harvest.Failure{Attempts: 3, Age: 3 * minute}, again(4 * minute)},
				{harvest.Failure{Attempts: 3, Age: 6 * minute}, again(4 * minute)},
				{harvest.Failure{Attempts: 4, Age: 7 * minute}, never(harvest.WhyNotScheduledByPolicy)},
			},
		},
		"timetable": {
			rules: []harvest.RetryRule{{ByAge: []harvest.AgeStep{{Until: 5 * minute, Wait: minute}, {Until: hour, Wait: 5 * minute}, {Until: 24 * hour, Wait: hour}}}},
			steps: []step{
				{harvest.Failure{Attempts: 1}, again(minute)},
				{harvest.Failure{Attempts: 5, Age: 5*minute - 1}, again(minute)},
				{harvest.Failure{Attempts: 6, Age: 5 * minute}, again(5 * minute)},
				{harvest.Failure{Attempts: 40, Age: 23 * hour}, again(hour)},
				{harvest.Failure{Attempts: 41, Age: 24 * hour}, never(harvest.WhyNotScheduledByPolicy)},
			},
		},
		"timetable with an end of its own": {
			rules: []harvest.RetryRule{{Times: 1, ByAge: []harvest.AgeStep{{Until: hour, Wait: minute}}}},
			steps: []step{
				{harvest.Failure{Attempts: 1}, again(minute)},
				{harvest.Failure{Attempts: 2}, never(harvest.WhyTriedTooManyTimes)},
			},
		},
		"filter": {
			rules: []harvest.RetryRule{{When: []harvest.Kind{harvest.KindTimeout}, Times: 3, Wait: second}, {Times: 0}},
			steps: []step{
				{harvest.Failure{Kind: harvest.KindTimeout, Attempts: 1}, again(second)},
				{harvest.Failure{Kind: harvest.KindBroken, Attempts: 1}, never(harvest.WhyNotRetriable)},
			},
		},
		"a filter without an end is one too": {
			rules: []harvest.RetryRule{{When: []harvest.Kind{harvest.KindTimeout}, Times: 3, Wait: second}},
			steps: []step{{harvest.Failure{Kind: harvest.KindBroken, Attempts: 1}, never(harvest.WhyNotRetriable)}},
		},
		"select by kind, the first that fits": {
			rules: []harvest.RetryRule{
				{When: []harvest.Kind{harvest.KindTimeout, harvest.KindUnreachable}, Times: 9, Wait: second},
				{When: []harvest.Kind{harvest.KindUnreachable}, Times: 9, Wait: hour},
				{Times: 9, Wait: minute},
			},
			steps: []step{
				{harvest.Failure{Kind: harvest.KindUnreachable, Attempts: 1}, again(second)},
				{harvest.Failure{Kind: harvest.KindServerError, Attempts: 1}, again(minute)},
			},
		},
		"other group": {
			rules: []harvest.RetryRule{{Times: 1, Wait: second, Queue: "slow"}},
			steps: []step{{harvest.Failure{Attempts: 1}, harvest.Decision{Again: true, Wait: second, Queue: "slow"}}},
		},
		"a longer Retry-After wins": {
			rules: []harvest.RetryRule{{Times: 9, Wait: minute, Cap: 2 * minute}},
			steps: []step{
				{harvest.Failure{Attempts: 1, RetryAfter: hour}, again(hour)},
				{harvest.Failure{Attempts: 1, RetryAfter: second}, again(minute)},
			},
		},
		"a Retry-After beyond the interval ends it": {
			rules: []harvest.RetryRule{{Times: harvest.Forever, Wait: minute, Within: hour}},
			steps: []step{{harvest.Failure{Attempts: 1, RetryAfter: 2 * hour}, never(harvest.WhyNotScheduledByPolicy)}},
		},
		"jitter places the wait": {
			rules: []harvest.RetryRule{{Times: 9, Wait: 100 * second, Jitter: 0.2}},
			steps: []step{
				{harvest.Failure{Attempts: 1, Spread: 0}, again(80 * second)},
				{harvest.Failure{Attempts: 1, Spread: 0.5}, again(100 * second)},
				{harvest.Failure{Attempts: 1, Spread: 1}, again(120 * second)},
			},
		},
		"no rules": {steps: []step{{harvest.Failure{Attempts: 1}, never(harvest.WhyNotRetriable)}}},
	} {
		for i, s := range c.steps {
			require.Equal(t, s.want, harvest.Decide(c.rules, s.failure), "%s, step %d", name, i+1)
		}
	}
}

func TestDefaultRetry(t *testing.T) {
	t.Parallel()
	rules := harvest.DefaultRetry()
	for _, k := range harvest.Kinds() {
		d := harvest.Decide(rules, harvest.Failure{Kind: k, Attempts: 1, Spread: 0.5})
		switch k {
		case harvest.KindBlocked, harvest.KindGone, harvest.KindBroken, harvest.KindMisconfigured, harvest.KindBadRecord:
			require.False(t, d.Again, "%s does not get better by asking again", k)
		case harvest.KindThrottled:
			require.Equal(t, again(minute), d)
		default:
			require.Equal(t, again(30*second), d, k)
		}
	}
	require.Equal(t, harvest.WhyTriedTooManyTimes, harvest.Decide(rules, harvest.Failure{Kind: harvest.KindTimeout, Attempts: 6}).Why)
}
