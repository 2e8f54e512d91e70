package diagnose

import (
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// Then is what is known of a campaign at a moment that has passed.
type Then struct {
	At time.Time
	// Definition was in force; Version 0: none was.
	Definition rows.Definition
	Effective  campaigns.Campaign
	// Definitions are all versions, the newest first.
	Definitions []rows.Definition
	// Pause held; nil: none did.
	Pause *rows.Event
	// Ran is the run that answers to the moment; nil: none does.
	Ran *rows.Run
	// Holder is another run that was going on, and HolderItems what it did.
	Holder      *rows.Run
	HolderItems []rows.RunItem
	// After are the runs that were due later, the newest first.
	After []rows.Run
}

// WhyThen says what became of a campaign at a moment that has passed: whether it
// was due, and why it did not start if it did not.
func WhyThen(f Facts, t Then) Answer {
	a := Answer{Subject: f.Subject}
	for _, c := range []struct {
		name string
		look func(Facts, Then) finding
	}{
		{"not applied", notAppliedThen},
		{"paused", pausedThen},
		{"not due", notDueThen},
		{"overlap", overlapThen},
		{"missed", missedThen},
		{"ran", ranThen},
	} {
		found := c.look(f, t)
		switch {
		case found.hit && a.Cause == "":
			a.Cause, a.Say, a.Lines = c.name, found.say, found.lines
		case !found.hit && found.clear != "":
			a.Not = append(a.Not, found.clear)
		}
	}
	return a
}

func notAppliedThen(f Facts, t Then) finding {
	if t.Definition.Version > 0 {
		return finding{clear: "applied " + rows.Ref(f.Subject, t.Definition.Version)}
	}
	found := finding{hit: true, say: fmt.Sprintf("%s was not applied at %s.", f.Subject, f.Clock.Full(t.At))}
	if n := len(t.Definitions); n > 0 {
		found.lines = []Line{{"first", definitionText(f, t.Definitions[n-1])}}
	}
	return found
}

func definitionText(f Facts, d rows.Definition) string {
	text := rows.Ref(f.Subject, d.Version) + " · " + f.Clock.Full(d.AppliedAt)
	if d.Author != "" {
		text += " · " + d.Author
	}
	return text
}

// didNot begins the sentence about a run that did not take place.
func didNot(f Facts, t Then) string {
	return fmt.Sprintf("%s did not start at %s", f.Subject, f.Clock.Full(t.At))
}

func pausedThen(f Facts, t Then) finding {
	if t.Pause == nil || t.Ran != nil && !idle(t.Ran) {
		return finding{clear: "paused no"}
	}
	p := rows.Pause{By: t.Pause.By, At: t.Pause.At, Note: t.Pause.Note}
	return finding{hit: true, say: fmt.Sprintf("%s: it was paused%s.", didNot(f, t), byWhom(&p, f.Clock)), lines: nowLines(f, t)}
}

// idle reports whether a run is only the note that none took place.
func idle(r *rows.Run) bool {
	return r.Outcome == outcomes.Skipped || r.Outcome == outcomes.Missed
}

func missedThen(f Facts, t Then) finding {
	switch {
	case t.Definition.Version == 0 || t.Ran != nil && t.Ran.Outcome != outcomes.Missed:
		return finding{clear: "missed no"}
	case t.Ran != nil:
		return finding{hit: true, say: fmt.Sprintf("%s: %s.", didNot(f, t), print.Dash(t.Ran.Why)), lines: append(catchUpLines(f, t), nowLines(f, t)...)}
	default:
		return finding{hit: true, say: didNot(f, t) + ": it was due, and the store knows of no run.", lines: append(catchUpLines(f, t), nowLines(f, t)...)}
	}
}

// catchUpLines say how late a run may start, and where clocks change.
func catchUpLines(f Facts, t Then) []Line {
	s := t.Effective.Schedule
	if s == nil {
		return nil
	}
	lines := []Line{{"catch-up", "a due time is made up for within " + print.Duration(s.CatchUp)}}
	if s.Doubtful(t.At) {
		lines = append(lines, Line{"clocks", "they changed that night: Temporal may leave such an hour out"})
	}
	return lines
}

func ranThen(f Facts, t Then) finding {
	if t.Ran == nil || idle(t.Ran) {
		return finding{}
	}
	r := t.Ran
	say := fmt.Sprintf("%s started at %s", f.Subject, f.Clock.Full(r.StartedAt))
	if r.State != rows.RunClosed {
		return finding{hit: true, say: say + " and is still going on.", lines: []Line{{"see", "starter why " + r.WorkflowID}}}
	}
	return finding{
		hit: true, say: fmt.Sprintf("%s and ended %s after %s, %s.", say, r.Outcome, seconds(r.ClosedAt.Sub(r.StartedAt)), print.Count(r.Tally.Documents(), "document")),
		lines: []Line{{"see", "starter why " + r.WorkflowID}},
	}
}

// nowLines say how it went on.
func nowLines(f Facts, t Then) []Line {
	var out []Line
	for _, d := range slices.Backward(t.Definitions) {
		if d.AppliedAt.After(t.At) {
			out = append(out, Line{"applied", definitionText(f, d)})
		}
	}
	out = out[max(0, len(out)-3):]
	if i := slices.IndexFunc(t.After, func(r rows.Run) bool { return !idle(&r) }); i >= 0 {
		r := t.After[i]
		out = append(out, Line{"since", fmt.Sprintf("run %s: %s", r.WorkflowID, wordOf(r))})
	}
	return append(out, nextLine(f)...)
}

func wordOf(r rows.Run) string {
	if r.State != rows.RunClosed {
		return "going on"
	}
	return string(r.Outcome)
}
