package watch

import (
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// RunWord is a run's outcome, or where it is.
func RunWord(r rows.Run) string {
	switch {
	case r.State == rows.RunClosed:
		return string(r.Outcome)
	case r.Paused != "":
		return "paused"
	case r.Stop != "":
		return "stopping"
	case r.State == rows.RunOpen:
		return "running"
	default:
		return string(r.State)
	}
}

// RunExit is the exit code a run's end stands for. An expectation with else:
// fail makes a failure of an outcome that is only a warning by itself.
func RunExit(sum steps.Summary, strict bool) int {
	switch s := sum.Outcome.Severity(); {
	case s == outcomes.Bad || sum.Failed != "":
		return program.ExitRunFailed
	case s == outcomes.Warn && strict:
		return program.ExitWarnings
	default:
		return program.ExitOK
	}
}

// BecameLine says what became of what was listed.
func BecameLine(t harvest.Tally) string {
	text := fmt.Sprintf("%s new · %s changed · %s unchanged · %s deleted",
		print.Number(t.New), print.Number(t.Changed), print.Number(t.Same), print.Number(t.Deleted))
	if n := t.Documents() + t.Same + t.Quarantined - t.Listed; n > 0 && n <= t.Deleted {
		text += fmt.Sprintf(" (%s no longer listed)", print.Number(n))
	}
	if t.Quarantined > 0 {
		text += " · " + print.Number(t.Quarantined) + " quarantined"
	}
	return text
}

func LabelOf(it rows.RunItem) string {
	if it.Label != "" {
		return it.Label
	}
	return it.Key
}

// WaitExit is the exit code for somebody who waited for a result: a run that
// was cancelled brought none.
func WaitExit(sum steps.Summary, strict bool) int {
	if sum.Outcome == outcomes.Cancelled {
		return program.ExitRunFailed
	}
	return RunExit(sum, strict)
}
