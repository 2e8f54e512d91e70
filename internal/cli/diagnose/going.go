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
	if p := f.Run.Place; p != nil {
		return finding{
			hit: true, say: fmt.Sprintf("run %s waits %s.", f.Run.WorkflowID, p.Words()),
			lines: []Line{{"see", "starter registry show " + p.Registry}, {"do", "starter registry add " + p.Registry + " --url URL --max-running N"}},
		}
	}
	return finding{hit: true, say: fmt.Sprintf("run %s waits in line: the run before has not ended (overlap is %s).", f.Run.WorkflowID, overlapOf(f))}
}

// failing: the run gets nowhere, for a reason on our own side.
func failing(f Facts) finding {
	if !f.Run.Open() || f.Run.Failing == "" {
		return finding{}
	}
	return finding{
		hit: true, say: fmt.Sprintf("run %s gets nowhere: its steps fail and are tried again, at most a minute apart.", f.Run.WorkflowID),
		lines: []Line{{"error", f.Run.Failing}, {"then", "it goes on by itself once the cause is gone"}},
	}
}

// unrouted: workers with versions poll, and the server may give none of them a run.
func unrouted(f Facts) finding {
	if f.Unrouted == "" || f.Run.Open() { // one that was begun has its version
		return finding{}
	}
	return finding{
		hit: true, say: fmt.Sprintf("no version of worker deployment %s is current: its workers poll and get no new runs.", f.Unrouted),
		lines: []Line{
			{"do", "temporal worker deployment set-current-version --deployment-name " + f.Unrouted + " --build-id BUILD"},
			{"see", "temporal worker deployment describe --name " + f.Unrouted},
		},
	}
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
		if n == 0 && !takesNone(f.Roster, queue) {
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
	work := print.Number(f.Run.Held)
	if f.Run.Processors > 0 {
		work += " of " + print.Count(f.Run.Processors, "processor")
	}
	lines := []Line{{"closed", fmt.Sprintf("%s of %s; %s at work", print.Number(closed), print.Count(f.Run.Items, "item"), work)}}
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
