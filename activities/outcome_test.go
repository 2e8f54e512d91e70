package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func TestRunOutcome(t *testing.T) {
	t.Parallel()
	type counts = map[outcomes.Outcome]int
	const (
		done, unchanged, skipped, empty, partial = outcomes.Done, outcomes.Unchanged, outcomes.Skipped, outcomes.Empty, outcomes.Partial
		throttled, blocked, gone, broken         = outcomes.Throttled, outcomes.Blocked, outcomes.Gone, outcomes.Broken
		failed, misconfigured, cancelled         = outcomes.Failed, outcomes.Misconfigured, outcomes.Cancelled
		warnings                                 = outcomes.Warnings
	)
	five := campaigns.Count{Share: 0.05}
	for _, c := range []struct {
		name   string
		facts  RunFacts
		want   outcomes.Outcome
		failed bool
		why    string
	}{
		{name: "all done", facts: RunFacts{Items: counts{done: 3}}, want: done},
		{name: "one done", facts: RunFacts{Items: counts{done: 1, unchanged: 9}}, want: done},
		{name: "done and paused", facts: RunFacts{Items: counts{done: 1, skipped: 2}}, want: done},
		{name: "all unchanged", facts: RunFacts{Items: counts{unchanged: 9}}, want: unchanged},
		{name: "unchanged and paused", facts: RunFacts{Items: counts{unchanged: 9, skipped: 1}}, want: unchanged},
		{name: "all paused", facts: RunFacts{Items: counts{skipped: 2}}, want: skipped},
		{name: "no item at all", facts: RunFacts{}, want: empty, why: "there was no item to fetch"},
		{name: "no item at all, else fail", facts: RunFacts{Expect: campaigns.RunExpectation{Fail: true}}, want: empty, failed: true},
		{name: "all empty", facts: RunFacts{Items: counts{empty: 2}}, want: empty},
		{name: "all empty, else fail", facts: RunFacts{Items: counts{empty: 2}, Expect: campaigns.RunExpectation{Fail: true}}, want: empty, failed: true},
		{name: "one empty of many", facts: RunFacts{Items: counts{empty: 1, unchanged: 9}}, want: warnings, why: "1 of 10 items needs attention: 1 empty"},
		{name: "all partial", facts: RunFacts{Items: counts{partial: 2}}, want: warnings, why: "2 of 2 items need attention: 2 partial"},
		{name: "a partial, a throttled, tolerated", facts: RunFacts{Items: counts{done: 74, unchanged: 57, partial: 1, throttled: 1}, Tolerate: five}, want: warnings, why: "2 of 133 items need attention: 1 partial, 1 throttled"},
		{name: "beyond the share", facts: RunFacts{Items: counts{done: 124, throttled: 7, broken: 2}, Tolerate: five}, want: failed, failed: true, why: "9 of 133 items, 5% tolerated; 7 throttled, 2 broken"},
		{name: "just the share", facts: RunFacts{Items: counts{done: 95, gone: 5}, Tolerate: five}, want: warnings},
		{name: "a share is rounded down", facts: RunFacts{Items: counts{done: 27, gone: 2}, Tolerate: five}, want: failed, failed: true},
		{name: "a share is at least one", facts: RunFacts{Items: counts{done: 8, gone: 1}, Tolerate: five}, want: warnings},
		{name: "one of two", facts: RunFacts{Items: counts{done: 1, gone: 1}, Tolerate: five}, want: warnings},
		{name: "the only one", facts: RunFacts{Items: counts{gone: 1}, Tolerate: five}, want: gone, failed: true},
		{name: "one that is misconfigured", facts: RunFacts{Items: counts{done: 129, misconfigured: 1}, Tolerate: five}, want: failed, failed: true},
		{name: "none tolerated", facts: RunFacts{Items: counts{done: 99, gone: 1}}, want: failed, failed: true, why: "1 of 100 items; 1 gone"},
		{name: "a number tolerated", facts: RunFacts{Items: counts{done: 9, gone: 2}, Tolerate: campaigns.Count{N: 2}}, want: warnings},
		{name: "all throttled", facts: RunFacts{Items: counts{throttled: 1}, Tolerate: five}, want: throttled, failed: true},
		{name: "all gone, all tolerated", facts: RunFacts{Items: counts{gone: 3}, Tolerate: campaigns.Count{Share: 1}}, want: gone, failed: true, why: "3 of 3 items, 100% tolerated; 3 gone"},
		{name: "all blocked but the paused", facts: RunFacts{Items: counts{blocked: 3, skipped: 1}}, want: blocked, failed: true},
		{name: "all bad, each in its way", facts: RunFacts{Items: counts{gone: 1, broken: 1}, Tolerate: campaigns.Count{Share: 1}}, want: failed, failed: true},
		{name: "nothing succeeded", facts: RunFacts{Items: counts{empty: 5, gone: 1}, Tolerate: campaigns.Count{Share: 0.5}}, want: failed, failed: true},
		{name: "anything misconfigured", facts: RunFacts{Items: counts{done: 99, misconfigured: 1}, Tolerate: campaigns.Count{Share: 0.5}}, want: failed, failed: true, why: "1 misconfigured"},
		{name: "all misconfigured", facts: RunFacts{Items: counts{misconfigured: 2}}, want: misconfigured, failed: true},
		{name: "a cancelled item", facts: RunFacts{Items: counts{done: 2, cancelled: 1}}, want: warnings},
		{name: "cancelled", facts: RunFacts{Items: counts{done: 2, cancelled: 1}, Cause: outcomes.WhyCancelled}, want: cancelled, why: "cancelled"},
		{name: "terminated", facts: RunFacts{Items: counts{done: 2, cancelled: 1}, Cause: outcomes.WhyTerminated}, want: cancelled, why: "terminated in Temporal"},
		{name: "restored", facts: RunFacts{Items: counts{cancelled: 1}, Cause: outcomes.WhyStoreRestored}, want: cancelled},
		{name: "waited in vain", facts: RunFacts{Cause: outcomes.WhyOverlap}, want: skipped},
		{name: "our own failure", facts: RunFacts{Items: counts{done: 5}, Error: "entry x: no such entry"}, want: failed, failed: true, why: "entry x: no such entry"},
		{name: "out of time, tolerated", facts: RunFacts{Items: counts{done: 99, failed: 1}, Tolerate: five, Cause: outcomes.WhyNextTick}, want: warnings},
		{name: "fewer documents than expected", facts: RunFacts{Items: counts{unchanged: 2}, Tally: harvest.Tally{Pages: 2}, Expect: campaigns.RunExpectation{MinDocuments: 1}}, want: empty, why: "0 documents listed, at least 1 expected"},
		{name: "listed is enough", facts: RunFacts{Items: counts{unchanged: 2}, Tally: harvest.Tally{Pages: 2, Listed: 20}, Expect: campaigns.RunExpectation{MinDocuments: 1}}, want: unchanged},
		{name: "all not modified is no lack", facts: RunFacts{Items: counts{unchanged: 2}, Tally: harvest.Tally{Pages: 2, NotModified: true}, Expect: campaigns.RunExpectation{MinDocuments: 1}}, want: unchanged},
		{name: "expected, else fail", facts: RunFacts{Items: counts{done: 1}, Expect: campaigns.RunExpectation{MinDocuments: 1, Fail: true}}, want: empty, failed: true},
		{name: "stale", facts: RunFacts{Items: counts{unchanged: 2}, Stale: true, Expect: campaigns.RunExpectation{FreshWithin: 72 * time.Hour}}, want: empty, why: "nothing new or changed within 3d"},
		{name: "nothing is expected of a trial", facts: RunFacts{Items: counts{done: 1}, Trial: true, Stale: true, Expect: campaigns.RunExpectation{MinDocuments: 9}}, want: done},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := RunOutcome(c.facts)
			require.Equal(t, c.want, got.Outcome, got.Why)
			require.Equal(t, c.failed, got.Failed, got.Why)
			require.Contains(t, got.Why, c.why)
		})
	}
}

// Whatever the counts, a run with bad items only is never green, and a run that
// is green has an item that succeeded.
func FuzzRunOutcomeIsNeverAGreenLie(f *testing.F) {
	f.Add(uint16(1), uint16(0), uint16(0), uint16(1), 0.5)
	f.Fuzz(func(t *testing.T, done, unchanged, empty, gone uint16, share float64) {
		v := RunOutcome(RunFacts{Items: map[outcomes.Outcome]int{
			outcomes.Done: int(done), outcomes.Unchanged: int(unchanged), outcomes.Empty: int(empty), outcomes.Gone: int(gone),
		}, Tolerate: campaigns.Count{Share: share}})
		if v.Outcome.Severity() == outcomes.OK && done+unchanged == 0 {
			t.Fatalf("%+v with nothing in it", v)
		}
		if gone > 0 && v.Outcome.Severity() == outcomes.OK {
			t.Fatalf("%+v with %d gone", v, gone)
		}
	})
}
