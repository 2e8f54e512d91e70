package diagnose

import (
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func overlap(f Facts) finding {
	if f.Run == nil || f.Run.Outcome != harvest.OutcomeSkipped {
		return finding{clear: "overlap no"}
	}
	return finding{
		hit:   true,
		say:   fmt.Sprintf("the run at %s was skipped: %s.", f.Clock.Full(dueOf(f.Run.Run)), skippedFor(f)),
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

func dueOf(r rows.Run) time.Time {
	if r.DueAt.IsZero() {
		return r.StartedAt
	}
	return r.DueAt
}

// missed: a due time that no run answers to, looked for since the last run.
func missed(f Facts) finding {
	if f.Run != nil && f.Run.Outcome == harvest.OutcomeMissed {
		return finding{hit: true, say: fmt.Sprintf("the run due at %s was missed: %s.", f.Clock.Full(dueOf(f.Run.Run)), print.Dash(f.Run.Why)), lines: nextLine(f)}
	}
	if f.Effective.Schedule == nil || f.Campaign == nil || f.Run.Open() {
		return finding{}
	}
	since := f.Campaign.Definition.AppliedAt
	if f.Run != nil && f.Run.StartedAt.After(since) {
		since = dueOf(f.Run.Run)
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

func byHand(f Facts) finding {
	if f.Campaign == nil || f.Effective.Schedule != nil || f.Run != nil {
		return finding{}
	}
	return finding{
		hit: true, say: f.Campaign.Name + " has no schedule: it runs by hand only, and nobody has started it.",
		lines: []Line{{"do", "starter trigger --campaign " + f.Campaign.Name}},
	}
}

func outcome(f Facts) finding {
	if f.Run == nil || f.Run.Open() {
		return finding{}
	}
	if !bad(f.Run.Outcome) && f.Run.Outcome != harvest.OutcomeCancelled {
		return finding{clear: "last run " + string(f.Run.Outcome)}
	}
	say := fmt.Sprintf("last run %s: %s", f.Clock.Full(dueOf(f.Run.Run)), strings.ToUpper(string(f.Run.Outcome)))
	if f.Run.Why != "" {
		say += ", " + f.Run.Why
	}
	lines := append(itemLines(f.Run.Look), failureLine(f.Run.Failures)...)
	return finding{hit: true, say: say + ".", lines: append(append(lines, nextLine(f)...), Line{"see", "starter runs show " + f.Run.WorkflowID})}
}

// itemLines names the first items and says in a sentence what their outcome
// means.
func itemLines(items []rows.RunItem) []Line {
	var out []Line
	told := map[harvest.Outcome]bool{}
	for _, it := range items[:min(5, len(items))] {
		text := fmt.Sprintf("%s: %s", it.Key, it.Outcome)
		if it.Why != "" {
			text += ", " + it.Why
		}
		if it.Error != "" {
			text += ": " + it.Error
		}
		out = append(out, Line{"item", text})
		told[it.Outcome] = true
	}
	if n := len(items) - 5; n > 0 {
		out = append(out, Line{"", fmt.Sprintf("and %s more", print.Number(n))})
	}
	for _, o := range harvest.Outcomes() {
		if told[o] && Meaning(o) != "" {
			out = append(out, Line{"so", Meaning(o)})
		}
	}
	return out
}

// Streak says for how many runs an item has been as good, or as bad, as at the
// last one; its outcomes may have differed.
func Streak(it rows.Item) string {
	how := "good"
	if bad(it.Outcome) {
		how = "not good"
	}
	return how + " for " + print.Count(it.Streak, "run") + " in a row"
}

// Meaning says what an outcome means for somebody who looks for the cause.
func Meaning(o harvest.Outcome) string {
	switch o {
	case harvest.OutcomeEmpty:
		return "the source answered and listed nothing, where it always listed something"
	case harvest.OutcomeBroken:
		return "the page is there, and is not what was expected: changed shape, not \"nothing new\""
	case harvest.OutcomeBlocked:
		return "the source refuses us (401, 403, a challenge page or robots.txt)"
	case harvest.OutcomeGone:
		return "what is asked for is not there any more (404, 410, a set that vanished)"
	case harvest.OutcomeThrottled:
		return "the source asked for more rest than the run had time"
	case harvest.OutcomePartial:
		return "some records or pages are missing; the rest is stored"
	case harvest.OutcomeMisconfigured:
		return "only a change of the campaign file can help"
	default:
		return ""
	}
}

func failureLine(failures []rows.Failure) []Line {
	if len(failures) == 0 {
		return nil
	}
	first, n := failures[0], 0
	for _, f := range failures {
		if f.Kind == harvest.KindBadRecord {
			n++
		}
	}
	if n == 0 {
		return []Line{{"evidence", fmt.Sprintf("what came instead: starter failures show q-%d --body", first.ID)}}
	}
	return []Line{{"put aside", fmt.Sprintf("%s could not be read: %s; starter failures show q-%d", print.Count(n, "record"), first.Reason, first.ID)}}
}

func unchanged(f Facts) finding {
	if f.Run == nil || f.Run.Open() || f.Run.Outcome != harvest.OutcomeUnchanged {
		return finding{}
	}
	text := "the sources answered and had nothing new"
	if f.Run.NotModified > 0 {
		text = fmt.Sprintf("%s said \"not modified\"", print.Count(f.Run.NotModified, "answer"))
	}
	if f.Run.Tally.Same > 0 {
		text += fmt.Sprintf("; %s listed with the same content as before", print.Count(f.Run.Tally.Same, "document"))
	}
	return finding{
		hit: true, say: fmt.Sprintf("last run %s: nothing new.", f.Clock.Full(dueOf(f.Run.Run))),
		lines: append([]Line{{"because", text}}, nextLine(f)...),
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

func itemOutcome(f Facts) finding {
	it := f.Item
	lines := []Line{{"last run", fmt.Sprintf("%s (%s)", print.Dash(it.LastRun), f.Clock.Full(it.LastAt))}}
	if !it.LastGood.IsZero() {
		lines = append(lines, Line{"last good", f.Clock.Full(it.LastGood)})
	}
	for _, r := range f.Rest {
		if r.Host == it.Host {
			lines = append(lines, Line{"host", fmt.Sprintf("%s rests until %s (%s)", r.Host, f.Clock.Full(r.Until), r.Why)})
		}
	}
	if m := Meaning(it.Outcome); m != "" {
		lines = append(lines, Line{"so", m})
	}
	if text := Pass(it.Pass, f.Clock); text != "" {
		lines = append(lines, Line{"full pass", text})
	}
	lines = append(lines, nextLine(f)...)
	switch {
	case it.Outcome == "":
		return finding{hit: true, say: it.Key + " has not been through a run yet.", lines: nextLine(f)}
	case bad(it.Outcome):
		say := it.Key + " is " + strings.ToUpper(string(it.Outcome))
		if it.Streak > 1 {
			say += ", " + Streak(it.Item)
		}
		if it.Why != "" {
			say += ": " + it.Why
		}
		return finding{hit: true, say: say + ".", lines: lines}
	case it.Outcome == harvest.OutcomeUnchanged:
		return finding{hit: true, say: fmt.Sprintf("nothing is wrong: %s had nothing new; the last new document came %s.", it.Key, f.Clock.Full(it.LastNew)), lines: lines}
	default:
		return finding{hit: true, say: fmt.Sprintf("nothing is wrong: %s ended %s.", it.Key, it.Outcome), lines: lines}
	}
}
