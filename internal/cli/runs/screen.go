package runs

import (
	"fmt"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/unsent"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// runScreen is `runs show` for people: what, outcome, cost, table, then only
// what needs attention.
func runScreen(v runView, c print.Clock) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			b.WriteString(print.Pad(name, 12) + text + "\n")
		}
	}
	line("run", v.WorkflowID)
	line("outcome", print.Wrap(outcomeLine(v), 12, 12))
	if !neverRan(v.Run) {
		line("ended", v.Ending.Words())
	}
	line("when", print.Wrap(whenLine(v, c), 12, 12))
	line("trigger", print.Wrap(triggerLine(v, c), 12, 12))
	for _, said := range v.Said {
		line("said", print.Wrap(saidLine(said, c), 12, 12))
	}
	if !neverRan(v.Run) {
		line("documents", print.Wrap(DocumentsLine(v.Tally), 12, 12))
		line("asked", askedLine(v.Asked))
		line("waited", waitedLine(v))
	}
	if v.waitText != "" {
		line("waits", print.Wrap(v.waitText, 12, 12))
		line("", "why: starter why "+v.Ref)
	}
	line("unsent", print.Wrap(unsent.UnsentText(v.Unsent, c), 12, 12))
	line("web ui", v.WebUI)
	if !neverRan(v.Run) {
		b.WriteString("\n" + totalsTable(v.Totals).String())
	}
	for i := range v.Look {
		b.WriteString("\n" + lookScreen(v, &v.Look[i], c))
	}
	if v.More > 0 {
		fmt.Fprintf(&b, "\nand %s more: starter runs show %s --limit 0\n", print.Number(v.More), v.Ref)
	}
	for i, it := range v.Passes {
		head := ""
		if i == 0 {
			head = "passes"
			b.WriteString("\n")
		}
		line(head, print.Wrap(watch.LabelOf(it)+": "+it.Why, 12, 12))
	}
	if v.All != nil {
		b.WriteString("\n" + runItemsTable(v.All).String())
		b.WriteString(triesTable(v, c))
	}
	b.WriteString(exitLine(v) + "\n")
	return b.String()
}

func outcomeLine(v runView) string {
	closed, look := 0, 0
	for _, t := range v.Totals {
		if t.Outcome == "" {
			continue
		}
		closed += t.Items
		if t.Outcome.Severity() != outcomes.OK {
			look += t.Items
		}
	}
	word := strings.ToUpper(watch.RunWord(v.Run))
	switch {
	case v.State != rows.RunClosed:
		return fmt.Sprintf("%s: %s of %s closed%s", word, print.Number(closed), print.Count(v.Items, "item"), and(v.Paused+v.Stop))
	case v.Why != "":
		return word + ": " + v.Why
	case neverRan(v.Run):
		return word + ": no run was started"
	case look > 0:
		return fmt.Sprintf("%s: %s of %s need attention", word, print.Number(look), print.Count(v.Items, "item"))
	default:
		return fmt.Sprintf("%s: all of %s", word, print.Count(v.Items, "item"))
	}
}

// neverRan reports a due time that stands in the place of a run: nothing was asked.
func neverRan(r rows.Run) bool {
	return r.State == rows.RunClosed && r.Items == 0 && !r.DueAt.IsZero() && r.ClosedAt.Equal(r.StartedAt) &&
		(r.Outcome == outcomes.Missed || r.Outcome == outcomes.Skipped)
}

func and(why string) string {
	if why == "" {
		return ""
	}
	return "; " + why
}

func whenLine(v runView, c print.Clock) string {
	if neverRan(v.Run) {
		return "due " + c.Full(v.DueAt) + ", not started"
	}
	text := ""
	if !v.DueAt.IsZero() {
		text = "due " + c.Full(v.DueAt) + ", started " + c.Time(v.StartedAt)
		if late := v.StartedAt.Sub(v.DueAt); late > 0 && late <= jitterOf(v) {
			text += " (jitter)"
		} else if late >= time.Minute {
			text += " (" + print.Duration(late) + " late)"
		}
	} else {
		text = "started " + c.Full(v.StartedAt)
	}
	if v.EndedThere != "" {
		return text + "; ended in Temporal (" + v.EndedThere + "), not closed here yet"
	}
	if v.ClosedAt.IsZero() {
		return text + ", going on for " + print.Duration(c.Now().Sub(v.StartedAt).Truncate(time.Second))
	}
	return text + ", took " + print.Duration(v.ClosedAt.Sub(v.StartedAt).Truncate(time.Second))
}

func jitterOf(v runView) time.Duration {
	if v.campaign.Schedule == nil {
		return 0
	}
	return v.campaign.Schedule.Spread(v.Campaign)
}

func triggerLine(v runView, c print.Clock) string {
	text := v.Trigger
	if v.By != "" {
		text += " by " + v.By
	}
	if v.RetryOf != "" {
		text += " of " + v.RetryOf
	}
	if v.Definition.Version == 0 {
		return text
	}
	var notes []string
	for _, n := range []string{v.Definition.Author, c.Day(v.Definition.AppliedAt), print.Place(v.Definition.File, v.Definition.Line)} {
		if n != "" && n != "-" {
			notes = append(notes, n)
		}
	}
	return fmt.Sprintf("%s · definition %s (%s)", text, v.Run.Ref(), strings.Join(notes, ", "))
}

func DocumentsLine(t harvest.Tally) string {
	return print.Number(t.Listed) + " listed: " + watch.BecameLine(t)
}

func askedLine(a asked) string {
	if a.Requests == 0 {
		return "nothing"
	}
	parts := []string{print.Count(a.Requests, "request")}
	if a.Repeats > 0 {
		parts[0] += " (" + print.Count(a.Repeats, "repeat") + ")"
	}
	if a.NotModified > 0 {
		parts = append(parts, print.Number(a.NotModified)+" x 304")
	}
	return strings.Join(append(parts, print.Bytes(a.Bytes), print.Count(a.Hosts, "host"), print.Count(a.Workers, "worker")), ", ")
}

func waitedLine(v runView) string {
	text := fmt.Sprintf("%s for hosts, %s asked for by sources", print.Duration(v.Asked.HostWaits.Round(time.Second)), print.Duration(v.Asked.SourceWaits.Round(time.Second)))
	if v.Actions > 0 {
		text += " · " + print.Count(v.Actions, "Temporal action")
	}
	return text
}

// totalsTable keeps the order of outcomes and leaves out what nothing had.
func totalsTable(totals []rows.OutcomeCount) *print.Table {
	t := print.NewTable(print.Column{Head: "OUTCOME", Min: 10}, print.Column{Head: "ITEMS", Right: true, Min: 5},
		print.Column{Head: "LISTED", Right: true, Min: 6}, print.Column{Head: "NEW", Right: true, Min: 5}, print.Right("CHANGED"),
		print.Column{Head: "SAME", Right: true, Min: 5}, print.Right("DEL"), print.Right("QUAR"))
	row := func(word string, n rows.OutcomeCount) {
		t.Row(word, print.Number(n.Items), print.Number(n.Tally.Listed), print.Number(n.Tally.New), print.Number(n.Tally.Changed), print.Number(n.Tally.Same),
			print.Number(n.Tally.Deleted), print.Number(n.Tally.Quarantined))
	}
	for _, o := range outcomes.All() {
		for _, n := range totals {
			if n.Outcome == o {
				row(string(o), n)
			}
		}
	}
	for _, n := range totals {
		if n.Outcome == "" {
			row("(open)", n)
		}
	}
	return t
}

func exitLine(v runView) string {
	left := fmt.Sprintf("exit %d", v.Exit)
	if v.Strict != v.Exit {
		left += fmt.Sprintf(" (%d with --strict)", v.Strict)
	}
	right := fmt.Sprintf("all %s: starter runs show %s -a", print.Number(v.Items), v.Ref)
	if v.All != nil || v.Items == 0 {
		return "\n" + left
	}
	return "\n" + left + strings.Repeat(" ", max(2, print.Width-len(left)-len([]rune(right)))) + right
}

func runItemsTable(items []rows.RunItem) *print.Table {
	t := print.NewTable(print.Key("ITEM"), print.Left("OUTCOME"), print.Right("LISTED"), print.Right("NEW"),
		print.Right("CHANGED"), print.Right("DEL"), print.Right("QUAR"), print.Right("TRIES"), print.Flex("WORKER"), print.Flex("WHY")).Spare("DEL")
	for _, it := range items {
		t.Row(watch.LabelOf(it), itemWord(it), print.Number(it.Tally.Listed), print.Number(it.Tally.New), print.Number(it.Tally.Changed),
			print.Number(it.Tally.Deleted), print.Number(it.Tally.Quarantined), print.Number(max(1, it.Attempts+it.Throttles)), print.Dash(it.Worker), print.Dash(it.Why))
	}
	return t
}

func itemWord(it rows.RunItem) string {
	if it.State == rows.ItemClosed {
		return string(it.Outcome)
	}
	return string(it.State)
}

// saidLine is what somebody told the run: "cancel by marta 18:10: wrong list".
func saidLine(e rows.Event, c print.Clock) string {
	text := e.Verb
	if e.By != "" {
		text += " by " + e.By
	}
	text += " " + c.NearZone(e.At)
	if e.Note != "" {
		text += ": " + e.Note
	}
	return text
}
