package activities

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
)

// RunFacts is what the outcome of a run is found from.
type RunFacts struct {
	Items    map[harvest.Outcome]int // closed items by outcome
	Tally    harvest.Tally
	Tolerate harvest.Count
	Expect   campaigns.RunExpectation
	// Stale: nothing new or changed has come within Expect.FreshWithin.
	Stale bool
	// Trial: nothing was stored, so nothing is expected.
	Trial bool
	// Cause is why the run ended before its items did; Error our own failure.
	Cause harvest.Why
	Error string
	Now   time.Time
}

// Verdict is a run's outcome. Failed says that the workflow fails, too.
type Verdict struct {
	Outcome harvest.Outcome
	Failed  bool
	Why     string
}

// RunOutcome applies the table of docs/outcomes.md: the worst of the items,
// unless tolerated; failed when more than tolerate failed, when nothing
// succeeded, or when anything is misconfigured; never green with nothing in it.
// It is pure.
func RunOutcome(f RunFacts) Verdict {
	switch {
	case f.Cause == harvest.WhyOverlap:
		return Verdict{Outcome: harvest.OutcomeSkipped, Why: string(f.Cause)}
	case f.Cause == harvest.WhyCancelled, f.Cause == harvest.WhyTerminated, f.Cause == harvest.WhyStoreRestored:
		return Verdict{Outcome: harvest.OutcomeCancelled, Why: cancelText(f.Cause)}
	case f.Error != "":
		return Verdict{Outcome: harvest.OutcomeFailed, Failed: true, Why: f.Error}
	}
	if v := f.ofFailures(); v.Outcome != "" {
		return v
	}
	return f.ofTheRest()
}

func cancelText(why harvest.Why) string {
	if why == harvest.WhyTerminated {
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
func (f RunFacts) bad() (n int, all []harvest.Outcome) {
	for _, o := range harvest.Outcomes() {
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
	idle := f.Items[harvest.OutcomeSkipped] + f.Items[harvest.OutcomeCancelled]
	succeeded := f.Items[harvest.OutcomeDone] + f.Items[harvest.OutcomeUnchanged] + f.Items[harvest.OutcomePartial]
	why := fmt.Sprintf("%d of %s", bad, items(total))
	if f.Tolerate != (harvest.Count{}) {
		why += fmt.Sprintf(", %s tolerated", tolerated(f.Tolerate))
	}
	why += "; " + f.counted(kinds)
	switch {
	case bad == 0:
		return Verdict{}
	case len(kinds) == 1 && bad+idle == total:
		return Verdict{Outcome: kinds[0], Failed: true, Why: why}
	case succeeded == 0, bad > allowed, f.Items[harvest.OutcomeMisconfigured] > 0:
		return Verdict{Outcome: harvest.OutcomeFailed, Failed: true, Why: why}
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

func tolerated(c harvest.Count) string {
	if c.Share > 0 {
		return fmt.Sprintf("%g%%", c.Share*100)
	}
	return fmt.Sprint(c.N)
}

// counted lists outcomes with their numbers: "7 throttled, 2 broken".
func (f RunFacts) counted(which []harvest.Outcome) string {
	parts := make([]string, 0, len(which))
	for _, o := range slices.SortedStableFunc(slices.Values(which), func(a, b harvest.Outcome) int { return cmp.Compare(f.Items[b], f.Items[a]) }) {
		parts = append(parts, fmt.Sprintf("%d %s", f.Items[o], o))
	}
	return strings.Join(parts, ", ")
}

// ofTheRest decides where all that failed is tolerated.
func (f RunFacts) ofTheRest() Verdict {
	total := f.total()
	var worse []harvest.Outcome
	for _, o := range harvest.Outcomes() {
		if f.Items[o] > 0 && (o.Severity() > harvest.OK || o == harvest.OutcomeCancelled) {
			worse = append(worse, o)
		}
	}
	switch {
	case total == 0:
		return Verdict{Outcome: harvest.OutcomeEmpty, Failed: f.Expect.Fail, Why: "there was no item to fetch"}
	case f.Items[harvest.OutcomeSkipped] == total:
		return Verdict{Outcome: harvest.OutcomeSkipped, Why: "all items are paused or were skipped"}
	case f.Items[harvest.OutcomeEmpty] > 0 && f.Items[harvest.OutcomeEmpty]+f.Items[harvest.OutcomeSkipped] == total:
		return Verdict{Outcome: harvest.OutcomeEmpty, Failed: f.Expect.Fail, Why: "nothing was listed where there always was something"}
	}
	if missing := f.missing(); missing != "" {
		return Verdict{Outcome: harvest.OutcomeEmpty, Failed: f.Expect.Fail, Why: missing}
	}
	switch {
	case len(worse) > 0:
		return Verdict{Outcome: harvest.OutcomeWarnings, Why: fmt.Sprintf("%s: %s", needsLook(f, worse, total), f.counted(worse))}
	case f.Items[harvest.OutcomeDone] > 0:
		return Verdict{Outcome: harvest.OutcomeDone}
	default:
		return Verdict{Outcome: harvest.OutcomeUnchanged}
	}
}

func needsLook(f RunFacts, worse []harvest.Outcome, total int) string {
	n := 0
	for _, o := range worse {
		n += f.Items[o]
	}
	if n == 1 {
		return fmt.Sprintf("1 of %s needs a look", items(total))
	}
	return fmt.Sprintf("%d of %s need a look", n, items(total))
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
