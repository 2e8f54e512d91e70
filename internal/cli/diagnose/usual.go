package diagnose

import (
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// usualLine says what good runs before brought, for a run that is not good.
func usualLine(f Facts) []Line {
	good := goodRuns(f.Before)
	if f.Item != nil || len(good) == 0 {
		return nil
	}
	docs := make([]int, 0, len(good))
	for _, r := range good {
		docs = append(docs, r.Tally.Documents())
	}
	text := print.Count(median(docs), "document") + ", as the run before did"
	if len(good) > 1 {
		text = fmt.Sprintf("%s, in the middle of the %s good runs before", print.Count(median(docs), "document"), print.Number(len(good)))
	}
	return []Line{{"usually", text}}
}

// goodRuns are those that did their work.
func goodRuns(before []rows.Run) (good []rows.Run) {
	for _, r := range before {
		if r.Outcome == outcomes.Done || r.Outcome == outcomes.Unchanged || r.Outcome == outcomes.Warnings {
			good = append(good, r)
		}
	}
	return good
}

// usualTime is how long good runs take; 0: not known.
func usualTime(before []rows.Run) time.Duration {
	var took []time.Duration
	for _, r := range goodRuns(before) {
		took = append(took, r.ClosedAt.Sub(r.StartedAt))
	}
	if len(took) == 0 {
		return 0
	}
	return median(took)
}

func median[N ~int | ~int64](list []N) N {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}
