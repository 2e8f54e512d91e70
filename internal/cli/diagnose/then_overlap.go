package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// overlapThen: another run was going on, and the policy leaves a second one out.
func overlapThen(f Facts, t Then) finding {
	skipped := t.Ran != nil && t.Ran.Outcome == outcomes.Skipped
	if !skipped && (t.Ran != nil || t.Holder == nil || policyThen(t) != campaigns.OverlapSkip) {
		return finding{clear: "overlap no"}
	}
	if t.Holder == nil {
		return finding{hit: true, say: fmt.Sprintf("%s: %s.", didNot(f, t), print.Dash(t.Ran.Why)), lines: nowLines(f, t)}
	}
	say := fmt.Sprintf("%s: the run before was still going on, and overlap is %s", didNot(f, t), policyThen(t))
	if at := t.Definition.File; at != "" {
		say += fmt.Sprintf(" (%s:%d)", at, t.Definition.Line)
	}
	return finding{hit: true, say: say + ".", lines: append(holderLines(f, t), nowLines(f, t)...)}
}

func policyThen(t Then) campaigns.Overlap {
	if t.Effective.Schedule == nil {
		return campaigns.OverlapSkip
	}
	return t.Effective.Schedule.Overlap
}

// holderLines tell the story of the run that was in the way.
func holderLines(f Facts, t Then) []Line {
	h := t.Holder
	lines := []Line{{stamp(f, t, h.StartedAt), h.WorkflowID + " started"}}
	lines = append(lines, lastOpenLine(f, t)...)
	lines = append(lines, Line{stamp(f, t, t.At), "due, and left out"})
	if h.State != rows.RunClosed {
		return append(lines, Line{"now", "that run is still going on: starter why " + h.WorkflowID})
	}
	text := fmt.Sprintf("that run ended: %s, %s", h.Outcome, seconds(h.ClosedAt.Sub(h.StartedAt)))
	if usual := usualTime(f.Before); usual > 0 {
		text += fmt.Sprintf(" (usually %s)", seconds(usual))
	}
	return append(lines, Line{stamp(f, t, h.ClosedAt), text})
}

// lastOpenLine names what the run waited for in the end: the items that closed
// after the moment, or are not closed.
func lastOpenLine(f Facts, t Then) []Line {
	var late []rows.RunItem
	since := t.Holder.StartedAt
	for _, it := range t.HolderItems {
		if it.State != rows.ItemClosed || it.ClosedAt.After(t.At) {
			late = append(late, it)
		} else if it.ClosedAt.After(since) {
			since = it.ClosedAt
		}
	}
	if len(late) == 0 {
		return nil
	}
	slices.SortStableFunc(late, func(a, b rows.RunItem) int { return b.ClosedAt.Compare(a.ClosedAt) })
	var names []string
	for _, it := range late[:min(3, len(late))] {
		names = append(names, lateText(it))
	}
	text := fmt.Sprintf("%s of %s closed; waiting for %s", print.Number(len(t.HolderItems)-len(late)), print.Count(len(t.HolderItems), "item"), strings.Join(names, ", "))
	if n := len(late) - 3; n > 0 {
		text += fmt.Sprintf(" and %s more", print.Number(n))
	}
	return []Line{{stamp(f, t, since), text}}
}

func lateText(it rows.RunItem) string {
	switch {
	case it.Error != "":
		return it.Key + " (" + it.Error + ")"
	case it.Kind != "":
		return it.Key + " (" + string(it.Kind) + ")"
	default:
		return it.Key
	}
}

// stamp is the time of day, or, of another day, the date.
func stamp(f Facts, t Then, at time.Time) string {
	if here, there := f.Clock.In(at), f.Clock.In(t.At); here.YearDay() != there.YearDay() || here.Year() != there.Year() {
		return here.Format("2 Jan")
	}
	return f.Clock.Time(at)
}
