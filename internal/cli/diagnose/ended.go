package diagnose

import (
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func overlap(f Facts) finding {
	if f.Run == nil || f.Run.Outcome != outcomes.Skipped {
		return finding{clear: "overlap no"}
	}
	return finding{
		hit:   true,
		say:   fmt.Sprintf("the run at %s was skipped: %s.", f.Clock.Full(f.Run.Due()), skippedFor(f)),
		lines: nextLine(f),
	}
}

// skippedFor is why the run was skipped, with the policy where it does not say
// it itself.
func skippedFor(f Facts) string {
	if strings.Contains(f.Run.Why, "overlap is ") {
		return f.Run.Why
	}
	return fmt.Sprintf("%s (overlap is %s)", print.Dash(f.Run.Why), overlapOf(f))
}

// missed: a due time that no run answers to, looked for since the last run.
func missed(f Facts) finding {
	if found := missedRun(f); found.hit {
		return found
	}
	if f.Effective.Schedule == nil || f.Campaign == nil || f.Run.Open() {
		return finding{}
	}
	since := f.Campaign.Definition.AppliedAt
	if f.Run != nil && f.Run.StartedAt.After(since) {
		since = f.Run.Due()
	}
	late := f.Clock.Now().Add(-f.Effective.Schedule.Spread(f.Campaign.Name) - time.Minute)
	due := f.Effective.Schedule.Next(since, 1)
	if len(due) == 0 || !due[0].Before(late) {
		return finding{clear: "missed no"}
	}
	lines := []Line{{"catch-up", "a due time is made up for within " + print.Duration(f.Effective.Schedule.CatchUp)}}
	if f.Server != nil && f.Server.MissedCatchUp > 0 {
		lines = append(lines, Line{"Temporal", print.Count(f.Server.MissedCatchUp, "due time") + " outside the catch-up window, since the schedule was made"})
	}
	if f.Server != nil && f.Server.SkippedOverlap > 0 {
		lines = append(lines, Line{"Temporal", print.Count(f.Server.SkippedOverlap, "due time") + " skipped by overlap, since the schedule was made"})
	}
	return finding{hit: true, say: fmt.Sprintf("%s was due at %s, and the store knows of no run.", f.Campaign.Name, f.Clock.Full(due[0])), lines: append(lines, nextLine(f)...)}
}

// missedRun: nobody started it in time, and that was seen.
func missedRun(f Facts) finding {
	if f.Run == nil || f.Run.Outcome != outcomes.Missed {
		return finding{}
	}
	return finding{hit: true, say: fmt.Sprintf("the run due at %s was missed: %s.", f.Clock.Full(f.Run.Due()), print.Dash(f.Run.Why)), lines: nextLine(f)}
}

func byHand(f Facts) finding {
	if f.Campaign == nil || f.Effective.Schedule != nil || f.Run != nil {
		return finding{}
	}
	return finding{
		hit: true, say: f.Campaign.Name + " has no schedule: it runs by hand only, and nobody has started it.",
		lines: []Line{{"do", "starter trigger --campaign " + f.Campaign.Name}},
	}
}

// fine ends the list for a run that ended well.
func fine(f Facts) finding {
	return finding{
		hit:   true,
		say:   fmt.Sprintf("nothing is wrong: run %s ended %s.", f.Run.WorkflowID, f.Run.Outcome),
		lines: []Line{{"documents", fmt.Sprintf("%s new, %s changed, %s the same", print.Number(f.Run.Tally.New), print.Number(f.Run.Tally.Changed), print.Number(f.Run.Tally.Same))}},
	}
}

func notDue(f Facts) finding {
	if f.Campaign == nil {
		return finding{}
	}
	if f.Effective.Schedule == nil {
		return finding{hit: true, say: f.Campaign.Name + " has no schedule: it runs by hand only.", lines: lastLine(f)}
	}
	next := f.Effective.Schedule.Next(f.Clock.Now(), 1)
	if len(next) == 0 {
		return finding{hit: true, say: fmt.Sprintf("%s is never due again: its schedule (%s) has come to its end.", f.Campaign.Name, f.Effective.Schedule), lines: lastLine(f)}
	}
	return finding{
		hit:   true,
		say:   fmt.Sprintf("nothing is wrong: %s is not due before %s.", f.Campaign.Name, f.Clock.Full(next[0])),
		lines: append([]Line{{"schedule", f.Effective.Schedule.String()}}, lastLine(f)...),
	}
}

func lastLine(f Facts) []Line {
	if f.Run == nil {
		return []Line{{"last run", "none yet"}}
	}
	return []Line{{"last run", fmt.Sprintf("%s: %s, %s new", f.Run.WorkflowID, f.Run.Outcome, print.Number(f.Run.Tally.New))}}
}

func nextLine(f Facts) []Line {
	if f.Effective.Schedule == nil {
		return nil
	}
	if next := f.Effective.Schedule.Next(f.Clock.Now(), 1); len(next) > 0 {
		return []Line{{"next", f.Clock.Full(next[0])}}
	}
	return nil
}
