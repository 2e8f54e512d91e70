package print

import (
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// Reason is the reason beside an outcome in words: those of the fixed list are
// code words; free text stands as it is.
func Reason(why string) string {
	word, rest, _ := strings.Cut(why, ":")
	text, ok := reasons[harvest.Why(word)]
	if !ok {
		return why
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		text += ": " + rest
	}
	return text
}

var reasons = map[harvest.Why]string{
	harvest.WhyTriedTooManyTimes:    "tried as often as its retry rule allows",
	harvest.WhyNotRetriable:         "not tried again",
	harvest.WhyNotScheduledByPolicy: "its retry rule tries it no more",
	harvest.WhyWorkerLost:           "its workers died",
	harvest.WhyNextTick:             "the next run takes it",
	harvest.WhyTerminated:           "the run was terminated",
	harvest.WhyCancelled:            "the run was cancelled",
	harvest.WhyStoreRestored:        "the store was restored",
	harvest.WhyPaused:               "paused",
	harvest.WhyOverlap:              "another run was going on",
}
