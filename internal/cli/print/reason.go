package print

import (
	"strings"

	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// Reason is the reason beside an outcome in words: those of the fixed list are
// code words; in free text moments come in the clock's zone.
func (c Clock) Reason(why string) string {
	why = c.Local(why)
	word, rest, _ := strings.Cut(why, ":")
	text, ok := reasons[outcomes.Why(word)]
	if !ok {
		return why
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		text += ": " + rest
	}
	return text
}

var reasons = map[outcomes.Why]string{
	outcomes.WhyTriedTooManyTimes:    "tried as often as its retry rule allows",
	outcomes.WhyNotRetriable:         "not tried again",
	outcomes.WhyNotScheduledByPolicy: "its retry rule tries it no more",
	outcomes.WhyWorkerLost:           "its workers died",
	outcomes.WhyNextTick:             "the run had no time left for it",
	outcomes.WhyTerminated:           "the run was terminated",
	outcomes.WhyCancelled:            "the run was cancelled",
	outcomes.WhyStoreRestored:        "the store was restored",
	outcomes.WhyPaused:               "paused",
	outcomes.WhyBudget:               "the budget is used up",
	outcomes.WhyOverlap:              "another run was going on",
}
