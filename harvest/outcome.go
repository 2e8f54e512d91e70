package harvest

import "slices"

// Outcome is the typed end of an item or of a run. One list of words serves
// both, the files (notify.when), the CLI and the search attribute.
type Outcome string

// The outcomes. Warnings and Missed are of runs only, Partial of items only.
const (
	OutcomeDone          Outcome = "done"
	OutcomeUnchanged     Outcome = "unchanged"
	OutcomeEmpty         Outcome = "empty"
	OutcomePartial       Outcome = "partial"
	OutcomeWarnings      Outcome = "warnings"
	OutcomeThrottled     Outcome = "throttled"
	OutcomeBlocked       Outcome = "blocked"
	OutcomeGone          Outcome = "gone"
	OutcomeBroken        Outcome = "broken"
	OutcomeMisconfigured Outcome = "misconfigured"
	OutcomeFailed        Outcome = "failed"
	OutcomeCancelled     Outcome = "cancelled"
	OutcomeSkipped       Outcome = "skipped"
	OutcomeMissed        Outcome = "missed"
)

// Outcomes returns all outcomes, the best first: the order of tables and of
// what needs a look.
func Outcomes() []Outcome {
	return []Outcome{
		OutcomeDone, OutcomeUnchanged, OutcomeSkipped, OutcomeEmpty, OutcomePartial, OutcomeWarnings,
		OutcomeThrottled, OutcomeBlocked, OutcomeGone, OutcomeBroken, OutcomeFailed,
		OutcomeMisconfigured, OutcomeCancelled, OutcomeMissed,
	}
}

// Valid reports whether o is one of Outcomes.
func (o Outcome) Valid() bool { return slices.Contains(Outcomes(), o) }

// Severity orders outcomes for people and notifications: OK < Warn < Bad.
type Severity int

// The severities.
const (
	OK Severity = iota
	Warn
	Bad
)

// Severity of an outcome, by the table of docs/outcomes.md.
func (o Outcome) Severity() Severity {
	switch o {
	case OutcomeDone, OutcomeUnchanged, OutcomeSkipped, OutcomeCancelled:
		return OK
	case OutcomeEmpty, OutcomePartial, OutcomeWarnings:
		return Warn
	default:
		return Bad
	}
}

// Failed reports whether an item with this outcome counts against `tolerate`.
func (o Outcome) Failed() bool { return o.Severity() == Bad }

// Why is the reason beside an outcome; some are words of a fixed list, others
// free text.
type Why string

// The fixed reasons.
const (
	WhyTriedTooManyTimes    Why = "tried-too-many-times"
	WhyNotRetriable         Why = "not-retriable"
	WhyNotScheduledByPolicy Why = "not-scheduled-by-policy"
	WhyWorkerLost           Why = "worker-lost"
	WhyNextTick             Why = "next-tick"
	WhyTerminated           Why = "terminated"
	WhyCancelled            Why = "cancelled"
	WhyStoreRestored        Why = "store-restored"
	WhyPaused               Why = "paused"
	WhyOverlap              Why = "overlap"
)

// Tally counts what an item or a run brought.
type Tally struct {
	Pages       int   `json:"pages,omitempty"`
	Listed      int   `json:"listed,omitempty"`
	New         int   `json:"new,omitempty"`
	Changed     int   `json:"changed,omitempty"`
	Same        int   `json:"same,omitempty"`
	Deleted     int   `json:"deleted,omitempty"`
	Quarantined int   `json:"quarantined,omitempty"`
	Asked       int   `json:"asked,omitempty"`
	Bytes       int64 `json:"bytes,omitempty"`
	// NotModified is true when every page said so; Partial when any did.
	NotModified bool `json:"not_modified,omitempty"`
	Partial     bool `json:"partial,omitempty"`
}

// Add sums two tallies.
func (t Tally) Add(o Tally) Tally {
	return Tally{
		Pages: t.Pages + o.Pages, Listed: t.Listed + o.Listed, New: t.New + o.New, Changed: t.Changed + o.Changed,
		Same: t.Same + o.Same, Deleted: t.Deleted + o.Deleted, Quarantined: t.Quarantined + o.Quarantined,
		Asked: t.Asked + o.Asked, Bytes: t.Bytes + o.Bytes,
		NotModified: t.Pages+o.Pages > 0 && (t.NotModified || t.Pages == 0) && (o.NotModified || o.Pages == 0),
		Partial:     t.Partial || o.Partial,
	}
}

// Documents counts what was new, changed or deleted.
func (t Tally) Documents() int { return t.New + t.Changed + t.Deleted }

// ItemOutcome says how an item ends that finished without an error. always
// tells whether the source listed something the last times: only then is
// nothing listed OutcomeEmpty.
func ItemOutcome(t Tally, always bool) Outcome {
	switch {
	case t.Partial || t.Quarantined > 0:
		return OutcomePartial
	case t.Documents() > 0:
		return OutcomeDone
	case t.Listed == 0 && !t.NotModified && always:
		return OutcomeEmpty
	default:
		return OutcomeUnchanged
	}
}
