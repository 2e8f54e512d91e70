package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func runPaused(f Facts) finding {
	if !f.Run.Open() || f.Run.Paused == "" {
		return finding{}
	}
	return finding{
		hit: true, say: fmt.Sprintf("run %s is paused %s.", f.Run.WorkflowID, f.Run.Paused),
		lines: []Line{{"do", "starter runs resume " + f.Run.WorkflowID}},
	}
}

func stopping(f Facts) finding {
	if !f.Run.Open() || f.Run.Stop == "" {
		return finding{}
	}
	return finding{hit: true, say: fmt.Sprintf("run %s was told to stop (%s) and does so at its next page.", f.Run.WorkflowID, f.Run.Stop), lines: progress(f)}
}

func inLine(f Facts) finding {
	if !f.Run.Open() || f.Run.State != rows.RunWaiting {
		return finding{}
	}
	return finding{hit: true, say: fmt.Sprintf("run %s waits in line: the run before has not ended (overlap is %s).", f.Run.WorkflowID, overlapOf(f))}
}

func overlapOf(f Facts) campaigns.Overlap {
	if f.Effective.Schedule == nil {
		return campaigns.OverlapSkip
	}
	return f.Effective.Schedule.Overlap
}

func workers(f Facts) finding {
	if f.Pollers == nil {
		return finding{}
	}
	var nobody []string
	most := 0
	for queue, n := range f.Pollers {
		most = max(most, n)
		if n == 0 {
			nobody = append(nobody, queue)
		}
	}
	if len(nobody) == 0 {
		return finding{clear: fmt.Sprintf("workers %d", most)}
	}
	slices.Sort(nobody)
	say := "no worker polls " + strings.Join(nobody, ", ") + ": a run would be started and nobody would do its work."
	if f.Run.Open() {
		say = fmt.Sprintf("run %s is started, and no worker polls %s.", f.Run.WorkflowID, strings.Join(nobody, ", "))
	}
	return finding{hit: true, say: say, lines: []Line{{"do", "start one: worker"}, {"see", "starter workers"}}}
}

// waiting returns the items that are not due yet: the subject's own, or all.
func waiting(f Facts) []rows.RunItem {
	if !f.Run.Open() {
		return nil
	}
	if f.Item != nil {
		if f.Item.Now == nil || !f.Item.Now.NotBefore.After(f.Clock.Now()) {
			return nil
		}
		return []rows.RunItem{*f.Item.Now}
	}
	var out []rows.RunItem
	for _, it := range f.Run.Look {
		if it.State == rows.ItemOpen && it.NotBefore.After(f.Clock.Now()) {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(a, b rows.RunItem) int { return a.NotBefore.Compare(b.NotBefore) })
	return out
}

// resting: nothing is at work, and what waits, waits for hosts.
func resting(f Facts) finding {
	waits := waiting(f)
	if len(f.Rest) == 0 {
		return finding{clear: "host resting no"}
	}
	until := map[string]Rest{}
	for _, r := range f.Rest {
		until[r.Host] = r
	}
	for _, it := range waits {
		if r, ok := until[it.Host]; ok && f.Run.Held == 0 {
			return finding{
				hit:   true,
				say:   fmt.Sprintf("run %s waits for %s, which rests until %s.", f.Run.WorkflowID, r.Host, f.Clock.Full(r.Until)),
				lines: append([]Line{{"because", r.Why}}, waitLines(f, waits)...),
			}
		}
	}
	return finding{}
}

// retrying: nothing is at work, and the next attempt is not due.
func retrying(f Facts) finding {
	waits := waiting(f)
	if len(waits) == 0 || f.Run.Held > 0 && f.Item == nil {
		return finding{}
	}
	what := print.Count(len(waits), "item") + " of run " + f.Run.WorkflowID
	if f.Item != nil {
		what = f.Item.Key
	}
	return finding{
		hit: true, say: fmt.Sprintf("%s waits for another attempt, due %s.", what, f.Clock.Full(waits[0].NotBefore)), lines: waitLines(f, waits),
	}
}

func waitLines(f Facts, waits []rows.RunItem) []Line {
	var out []Line
	for _, it := range waits[:min(5, len(waits))] {
		text := fmt.Sprintf("%s: attempt %d at %s", it.Key, it.Attempts+it.Throttles+1, f.Clock.Time(it.NotBefore))
		if it.Error != "" {
			text += "; before: " + it.Error
		} else if it.Kind != "" {
			text += "; before: " + string(it.Kind)
		}
		out = append(out, Line{"item", text})
	}
	if n := len(waits) - 5; n > 0 {
		out = append(out, Line{"", fmt.Sprintf("and %s more", print.Number(n))})
	}
	if !f.Run.Deadline.IsZero() {
		out = append(out, Line{"until", "the run must end by " + f.Clock.Full(f.Run.Deadline)})
	}
	return out
}

// endedThere: somebody closed the workflow, or it is gone, and we were not told.
func endedThere(f Facts) finding {
	if !f.Run.Open() || f.Run.EndedThere == "" {
		return finding{}
	}
	return finding{
		hit: true,
		say: fmt.Sprintf("run %s is open in the store and has ended in Temporal (%s).", f.Run.WorkflowID, f.Run.EndedThere),
		lines: []Line{
			{"so", "what it committed stays; its other items are not done"},
			{"then", "the next start takes its place at once; else housekeeping closes it as terminated, within a quarter of an hour"},
			{"do", "starter trigger --campaign " + f.Run.Campaign},
		},
	}
}

// deadline: a run that goes on past its end is one whose workflow is gone.
func deadline(f Facts) finding {
	if !f.Run.Open() || f.Run.Deadline.IsZero() || f.Clock.Now().Before(f.Run.Deadline.Add(10*time.Minute)) {
		return finding{}
	}
	return finding{
		hit:   true,
		say:   fmt.Sprintf("run %s should have ended by %s and is still open in the store.", f.Run.WorkflowID, f.Clock.Full(f.Run.Deadline)),
		lines: []Line{{"then", "housekeeping closes it as terminated when its workflow is closed or unknown"}, {"do", "starter runs cancel " + f.Run.WorkflowID}},
	}
}

func goingOn(f Facts) finding {
	if !f.Run.Open() {
		return finding{clear: "a run going on no"}
	}
	say := fmt.Sprintf("run %s is going on, since %s.", f.Run.WorkflowID, seconds(f.Clock.Now().Sub(f.Run.StartedAt)))
	if f.Item != nil && f.Item.Now != nil && f.Item.Now.State == rows.ItemClaimed {
		say = fmt.Sprintf("%s is being fetched now, by %s, in run %s.", f.Item.Key, print.Dash(f.Item.Now.Worker), f.Run.WorkflowID)
	}
	if overlapOf(f) == campaigns.OverlapSkip && !f.Run.DueAt.IsZero() && f.Effective.Schedule != nil {
		if next := f.Effective.Schedule.Next(f.Run.DueAt, 1); len(next) > 0 && next[0].Before(f.Clock.Now()) {
			say = fmt.Sprintf("the run due at %s was skipped: run %s has been going on for %s, and overlap is skip.",
				f.Clock.Full(next[0]), f.Run.WorkflowID, seconds(f.Clock.Now().Sub(f.Run.StartedAt)))
		}
	}
	return finding{hit: true, say: say, lines: progress(f)}
}

func progress(f Facts) []Line {
	closed := 0
	for _, t := range f.Run.Totals {
		if t.Outcome != "" {
			closed += t.Items
		}
	}
	lines := []Line{{"closed", fmt.Sprintf("%s of %s; %s at work", print.Number(closed), print.Count(f.Run.Items, "item"), print.Number(f.Run.Held))}}
	for _, it := range f.Run.Look[:min(5, len(f.Run.Look))] {
		if it.State != rows.ItemClosed {
			lines = append(lines, Line{string(it.State), openText(it, f.Clock)})
		}
	}
	return append(lines, Line{"see", "starter runs watch " + f.Run.WorkflowID})
}

func openText(it rows.RunItem, c print.Clock) string {
	text := it.Key
	if it.Total > 0 {
		text += fmt.Sprintf(", %s of %s", print.Number(it.Done), print.Number(it.Total))
	} else if it.Seq > 0 {
		text += ", " + print.Count(it.Seq, "page")
	}
	if it.Worker != "" && it.State == rows.ItemClaimed {
		text += ", by " + it.Worker
	}
	if it.NotBefore.After(c.Now()) {
		text += ", not before " + c.Time(it.NotBefore)
	}
	if it.Kind != "" && it.Kind != harvest.Kind(it.Outcome) {
		text += " (" + string(it.Kind) + ")"
	}
	return text
}
