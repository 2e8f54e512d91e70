// Package outcomes holds the words for how items and runs end, their severity, and how
// the outcome of an item follows from its tally or its error.
package outcomes

import (
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// Outcome is how an item or a run ended. Campaign files (notify.when), the CLI and
// the search attribute use these words.
type Outcome string

// The outcomes. Warnings and Missed are of runs only, Partial of items only.
const (
	Done          Outcome = "done"
	Unchanged     Outcome = "unchanged"
	Empty         Outcome = "empty"
	Partial       Outcome = "partial"
	Warnings      Outcome = "warnings"
	Throttled     Outcome = "throttled"
	Blocked       Outcome = "blocked"
	Gone          Outcome = "gone"
	Broken        Outcome = "broken"
	Misconfigured Outcome = "misconfigured"
	Failed        Outcome = "failed"
	Cancelled     Outcome = "cancelled"
	Skipped       Outcome = "skipped"
	Missed        Outcome = "missed"
)

// All returns all outcomes, the best first, as tables list them.
func All() []Outcome {
	return []Outcome{
		Done, Unchanged, Skipped, Empty, Partial, Warnings,
		Throttled, Blocked, Gone, Broken, Failed,
		Misconfigured, Cancelled, Missed,
	}
}

// Valid reports whether o is one of All.
func (o Outcome) Valid() bool { return slices.Contains(All(), o) }

// Severity orders outcomes for people and notifications: OK < Warn < Bad.
type Severity int

// The severities.
const (
	OK Severity = iota
	Warn
	Bad
)

// Severity returns the severity of an outcome; docs/outcomes.md has the table.
func (o Outcome) Severity() Severity {
	switch o {
	case Done, Unchanged, Skipped, Cancelled:
		return OK
	case Empty, Partial, Warnings:
		return Warn
	default:
		return Bad
	}
}

// OfKind returns the outcome of an item that gave up with an error of kind k.
func OfKind(k harvest.Kind) Outcome {
	switch k {
	case harvest.KindThrottled, harvest.KindBlocked, harvest.KindGone, harvest.KindBroken, harvest.KindMisconfigured:
		return Outcome(k)
	default:
		return Failed
	}
}

// Failed reports whether an item with this outcome counts against `tolerate`.
func (o Outcome) Failed() bool { return o.Severity() == Bad }

// Why is the reason for an outcome: one of the fixed words below, or free text.
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
	WhyBudget               Why = "budget"
	WhyOverlap              Why = "overlap"
)

// OfItem returns the outcome of an item that finished without an error. always
// reports whether the source listed something in earlier fetches: only then is an
// item that lists nothing Empty.
func OfItem(t harvest.Tally, always bool) Outcome {
	switch {
	case t.Partial || t.Quarantined > 0:
		return Partial
	case t.Documents() > 0:
		return Done
	case t.Listed == 0 && !t.NotModified && always:
		return Empty
	default:
		return Unchanged
	}
}

// Ending is one of the four ways in which a harvest ends for whoever asked for it.
type Ending string

// The endings.
const (
	EndedOK         Ending = "ok"
	EndedLater      Ending = "restart" // please restart me in some time
	EndedError      Ending = "error"
	EndedTerminated Ending = "terminated" // as told
)

// Ending returns the ending that an outcome is by itself: a run that the source broke
// off goes on where it was, so it asks to be started again. "" is of no outcome.
func (o Outcome) Ending() Ending {
	switch {
	case o == "":
		return ""
	case o == Cancelled:
		return EndedTerminated
	case o == Throttled, o == Missed:
		return EndedLater
	case o.Severity() == Bad:
		return EndedError
	default:
		return EndedOK
	}
}

// Words says an ending as people do.
func (e Ending) Words() string {
	switch e {
	case EndedOK:
		return "finished OK"
	case EndedLater:
		return "asks to be started again in some time"
	case EndedError:
		return "ended with an error"
	case EndedTerminated:
		return "terminated as told"
	default:
		return ""
	}
}
