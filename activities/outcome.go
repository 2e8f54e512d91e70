package activities

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// RunFacts is what the outcome of a run is found from.
type RunFacts struct {
	Items    map[outcomes.Outcome]int // closed items by outcome
	Tally    harvest.Tally
	Tolerate campaigns.Count
	Expect   campaigns.RunExpectation
	// Stale: nothing new or changed has come within Expect.FreshWithin.
	Stale bool
	// Trial: nothing was stored, so nothing is expected.
	Trial bool
	// Cause is why the run ended before its items did; Error our own failure.
	Cause outcomes.Why
	Error string
	Now   time.Time
}

// Verdict is a run's outcome. Failed says that the workflow fails, too.
type Verdict struct {
	Outcome outcomes.Outcome
	Failed  bool
	Why     string
}

// RunOutcome applies the table of docs/outcomes.md: the worst of the items,
// unless tolerated; failed when more than tolerate failed, when nothing
// succeeded, or when anything is misconfigured; never green with nothing in it.
// It is pure.
func RunOutcome(f RunFacts) Verdict {
	switch {
	case f.Cause == outcomes.WhyOverlap:
		return Verdict{Outcome: outcomes.Skipped, Why: string(f.Cause)}
	case f.Cause == outcomes.WhyCancelled, f.Cause == outcomes.WhyTerminated, f.Cause == outcomes.WhyStoreRestored:
		return Verdict{Outcome: outcomes.Cancelled, Why: cancelText(f.Cause)}
	case f.Error != "":
		return Verdict{Outcome: outcomes.Failed, Failed: true, Why: f.Error}
	}
	if v := f.ofFailures(); v.Outcome != "" {
		return v
	}
	return f.ofTheRest()
}

func cancelText(why outcomes.Why) string {
	if why == outcomes.WhyTerminated {
		return "terminated in Temporal"
	}
	return string(why)
}

func (f RunFacts) total() int {
	n := 0
	for _, items := range f.Items {
		n += items
	}
	return n
}

// allowed is how many items may fail. Of a share that is at least one: a dead source
// does not make a run of nine red.
func (f RunFacts) allowed() int {
	n := f.Tolerate.Of(f.total())
	if f.Tolerate.Share > 0 {
		return max(1, n)
	}
	return n
}

// bad counts the items that failed, of one outcome or of several.
func (f RunFacts) bad() (n int, all []outcomes.Outcome) {
	for _, o := range outcomes.All() {
		if o.Failed() && f.Items[o] > 0 {
			n += f.Items[o]
			all = append(all, o)
		}
	}
	return n, all
}

// ofFailures decides where items failed; no outcome where that is tolerated.
func (f RunFacts) ofFailures() Verdict {
	bad, kinds := f.bad()
	total, allowed := f.total(), f.allowed()
	idle := f.Items[outcomes.Skipped] + f.Items[outcomes.Cancelled]
	succeeded := f.Items[outcomes.Done] + f.Items[outcomes.Unchanged] + f.Items[outcomes.Partial]
	why := fmt.Sprintf("%d of %s", bad, items(total))
	if f.Tolerate != (campaigns.Count{}) {
		why += fmt.Sprintf(", %s tolerated", tolerated(f.Tolerate))
	}
	why += "; " + f.counted(kinds)
	switch {
	case bad == 0:
		return Verdict{}
	case len(kinds) == 1 && bad+idle == total:
		return Verdict{Outcome: kinds[0], Failed: true, Why: why}
	case succeeded == 0, bad > allowed, f.Items[outcomes.Misconfigured] > 0:
		return Verdict{Outcome: outcomes.Failed, Failed: true, Why: why}
	default:
		return Verdict{}
	}
}

func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}

func tolerated(c campaigns.Count) string {
	if c.Share > 0 {
		return fmt.Sprintf("%g%%", c.Share*100)
	}
	return fmt.Sprint(c.N)
}

// counted lists outcomes with their numbers: "7 throttled, 2 broken".
func (f RunFacts) counted(which []outcomes.Outcome) string {
	parts := make([]string, 0, len(which))
	for _, o := range slices.SortedStableFunc(slices.Values(which), func(a, b outcomes.Outcome) int { return cmp.Compare(f.Items[b], f.Items[a]) }) {
		parts = append(parts, fmt.Sprintf("%d %s", f.Items[o], o))
	}
	return strings.Join(parts, ", ")
}

// ofTheRest decides where all that failed is tolerated.
func (f RunFacts) ofTheRest() Verdict {
	total := f.total()
	var worse []outcomes.Outcome
	for _, o := range outcomes.All() {
		if f.Items[o] > 0 && (o.Severity() > outcomes.OK || o == outcomes.Cancelled) {
			worse = append(worse, o)
		}
	}
	switch {
	case total == 0:
		return Verdict{Outcome: outcomes.Empty, Failed: f.Expect.Fail, Why: "there was no item to fetch"}
	case f.Items[outcomes.Skipped] == total:
		return Verdict{Outcome: outcomes.Skipped, Why: "all items are paused or were skipped"}
	case f.Items[outcomes.Empty] > 0 && f.Items[outcomes.Empty]+f.Items[outcomes.Skipped] == total:
		return Verdict{Outcome: outcomes.Empty, Failed: f.Expect.Fail, Why: "nothing was listed where there always was something"}
	}
	if missing := f.missing(); missing != "" {
		return Verdict{Outcome: outcomes.Empty, Failed: f.Expect.Fail, Why: missing}
	}
	switch {
	case len(worse) > 0:
		return Verdict{Outcome: outcomes.Warnings, Why: fmt.Sprintf("%s: %s", needsLook(f, worse, total), f.counted(worse))}
	case f.Items[outcomes.Done] > 0:
		return Verdict{Outcome: outcomes.Done}
	default:
		return Verdict{Outcome: outcomes.Unchanged}
	}
}

func needsLook(f RunFacts, worse []outcomes.Outcome, total int) string {
	n := 0
	for _, o := range worse {
		n += f.Items[o]
	}
	if n == 1 {
		return fmt.Sprintf("1 of %s needs attention", items(total))
	}
	return fmt.Sprintf("%d of %s need attention", n, items(total))
}

// missing says what expect.run asks for and did not come. An answer "nothing
// new" of every source lists nothing and is no lack.
func (f RunFacts) missing() string {
	if f.Trial {
		return ""
	}
	t := f.Tally
	listed := max(t.Listed, t.Documents()+t.Same)
	if n := f.Expect.MinDocuments; n > 0 && listed < n && (listed > 0 || !t.NotModified || t.Pages == 0) {
		return fmt.Sprintf("%d documents listed, at least %d expected", listed, n)
	}
	if f.Stale {
		return fmt.Sprintf("nothing new or changed within %s", days(f.Expect.FreshWithin))
	}
	return ""
}
