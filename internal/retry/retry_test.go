package retry_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/retry"
)

const second, minute, hour = time.Second, time.Minute, time.Hour

// again and never are decisions as a table shows them.
func again(wait time.Duration) retry.Decision {
	return retry.Decision{Retry: true, Wait: wait}
}

func never(why outcomes.Why) retry.Decision { return retry.Decision{Why: why} }

// TestPolicies says each of the old systems' policies in rules, and what they
// decide for the failures of one item, in order.
func TestPolicies(t *testing.T) {
	t.Parallel()
	type step struct {
		failure retry.Failure
		want    retry.Decision
	}
	for name, c := range map[string]struct {
		rules []retry.Rule
		steps []step
	}{
		"none": {
			rules: []retry.Rule{{Times: 0}},
			steps: []step{{retry.Failure{Attempts: 1}, never(outcomes.WhyNotRetriable)}},
		},
		"times": {
			rules: []retry.Rule{{Times: 2, Wait: minute}},
			steps: []step{
				{retry.Failure{Attempts: 1}, again(minute)},
				{retry.Failure{Attempts: 2, Age: minute}, again(minute)},
				{retry.Failure{Attempts: 3, Age: 2 * minute}, never(outcomes.WhyTriedTooManyTimes)},
			},
		},
		"forever": {
			rules: []retry.Rule{{Times: retry.Forever, Wait: minute}},
			steps: []step{
				{retry.Failure{Attempts: 1}, again(minute)},
				{retry.Failure{Attempts: 1_000_000, Age: 10_000 * hour}, again(minute)},
			},
		},
		"exponential": {
			rules: []retry.Rule{{Times: 40, Wait: second, Factor: 2}},
			steps: []step{
				{retry.Failure{Attempts: 1}, again(second)},
				{retry.Failure{Attempts: 2}, again(2 * second)},
				{retry.Failure{Attempts: 5}, again(16 * second)},
				{retry.Failure{Attempts: 40}, again(365 * 24 * hour)},
				{retry.Failure{Attempts: 41}, never(outcomes.WhyTriedTooManyTimes)},
			},
		},
		"exponential with a cap": {
			rules: []retry.Rule{{Times: retry.Forever, Wait: minute, Factor: 3, Cap: 5 * minute}},
			steps: []step{
				{retry.Failure{Attempts: 2}, again(3 * minute)},
				{retry.Failure{Attempts: 3}, again(5 * minute)},
				{retry.Failure{Attempts: 10_000}, again(5 * minute)},
			},
		},
		"for an interval": {
			rules: []retry.Rule{{Times: retry.Forever, Within: 10 * minute, Wait: minute, Factor: 2}},
			steps: []step{
				{retry.Failure{Attempts: 1}, again(minute)},
				{retry.Failure{Attempts: 3, Age: 3 * minute}, again(4 * minute)},
				{retry.Failure{Attempts: 3, Age: 6 * minute}, again(4 * minute)},
				{retry.Failure{Attempts: 4, Age: 7 * minute}, never(outcomes.WhyNotScheduledByPolicy)},
			},
		},
		"timetable": {
			rules: []retry.Rule{{ByAge: []retry.AgeStep{{Until: 5 * minute, Wait: minute}, {Until: hour, Wait: 5 * minute}, {Until: 24 * hour, Wait: hour}}}},
			steps: []step{
				{retry.Failure{Attempts: 1}, again(minute)},
				{retry.Failure{Attempts: 5, Age: 5*minute - 1}, again(minute)},
				{retry.Failure{Attempts: 6, Age: 5 * minute}, again(5 * minute)},
				{retry.Failure{Attempts: 40, Age: 23 * hour}, again(hour)},
				{retry.Failure{Attempts: 41, Age: 24 * hour}, never(outcomes.WhyNotScheduledByPolicy)},
			},
		},
		"timetable with an end of its own": {
			rules: []retry.Rule{{Times: 1, ByAge: []retry.AgeStep{{Until: hour, Wait: minute}}}},
			steps: []step{
				{retry.Failure{Attempts: 1}, again(minute)},
				{retry.Failure{Attempts: 2}, never(outcomes.WhyTriedTooManyTimes)},
			},
		},
		"filter": {
			rules: []retry.Rule{{When: []harvest.Kind{harvest.KindTimeout}, Times: 3, Wait: second}, {Times: 0}},
			steps: []step{
				{retry.Failure{Kind: harvest.KindTimeout, Attempts: 1}, again(second)},
				{retry.Failure{Kind: harvest.KindBroken, Attempts: 1}, never(outcomes.WhyNotRetriable)},
			},
		},
		"a filter without an end is one too": {
			rules: []retry.Rule{{When: []harvest.Kind{harvest.KindTimeout}, Times: 3, Wait: second}},
			steps: []step{{retry.Failure{Kind: harvest.KindBroken, Attempts: 1}, never(outcomes.WhyNotRetriable)}},
		},
		"select by kind, the first that fits": {
			rules: []retry.Rule{
				{When: []harvest.Kind{harvest.KindTimeout, harvest.KindUnreachable}, Times: 9, Wait: second},
				{When: []harvest.Kind{harvest.KindUnreachable}, Times: 9, Wait: hour},
				{Times: 9, Wait: minute},
			},
			steps: []step{
				{retry.Failure{Kind: harvest.KindUnreachable, Attempts: 1}, again(second)},
				{retry.Failure{Kind: harvest.KindServerError, Attempts: 1}, again(minute)},
			},
		},
		"other group": {
			rules: []retry.Rule{{Times: 1, Wait: second, Queue: "slow"}},
			steps: []step{{retry.Failure{Attempts: 1}, retry.Decision{Retry: true, Wait: second, Queue: "slow"}}},
		},
		"a longer Retry-After wins": {
			rules: []retry.Rule{{Times: 9, Wait: minute, Cap: 2 * minute}},
			steps: []step{
				{retry.Failure{Attempts: 1, RetryAfter: hour}, again(hour)},
				{retry.Failure{Attempts: 1, RetryAfter: second}, again(minute)},
			},
		},
		"a Retry-After beyond the interval ends it": {
			rules: []retry.Rule{{Times: retry.Forever, Wait: minute, Within: hour}},
			steps: []step{{retry.Failure{Attempts: 1, RetryAfter: 2 * hour}, never(outcomes.WhyNotScheduledByPolicy)}},
		},
		"jitter places the wait": {
			rules: []retry.Rule{{Times: 9, Wait: 100 * second, Jitter: 0.2}},
			steps: []step{
				{retry.Failure{Attempts: 1, Spread: 0}, again(80 * second)},
				{retry.Failure{Attempts: 1, Spread: 0.5}, again(100 * second)},
				{retry.Failure{Attempts: 1, Spread: 1}, again(120 * second)},
			},
		},
		"no rules": {steps: []step{{retry.Failure{Attempts: 1}, never(outcomes.WhyNotRetriable)}}},
	} {
		for i, s := range c.steps {
			require.Equal(t, s.want, retry.Decide(c.rules, s.failure), "%s, step %d", name, i+1)
		}
	}
}

func TestDefaultRetry(t *testing.T) {
	t.Parallel()
	rules := retry.Default()
	for _, k := range harvest.Kinds() {
		d := retry.Decide(rules, retry.Failure{Kind: k, Attempts: 1, Spread: 0.5})
		switch k {
		case harvest.KindBlocked, harvest.KindGone, harvest.KindBroken, harvest.KindMisconfigured, harvest.KindBadRecord:
			require.False(t, d.Retry, "%s does not get better by asking again", k)
		case harvest.KindThrottled:
			require.Equal(t, again(minute), d)
		default:
			require.Equal(t, again(30*second), d, k)
		}
	}
	require.Equal(t, outcomes.WhyTriedTooManyTimes, retry.Decide(rules, retry.Failure{Kind: harvest.KindTimeout, Attempts: 6}).Why)
}
