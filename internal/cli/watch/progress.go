package watch

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/terminal"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Progress shows how far a run is, on standard error: one line that is redrawn
// on a terminal, else a line whenever something has changed.
type Progress struct {
	w        io.Writer
	Screen   bool
	last     string
	now      func() time.Time
	reported string // the wait that was reported last
}

func NewProgress(p *program.Program) *Progress {
	return &Progress{w: p.Env.Stderr, Screen: p.Screen(), now: p.Env.Now}
}

// Draw shows where a run is, and why where nothing moves.
func Draw(ctx context.Context, p *program.Program, s program.Store, r rows.Run, g *Progress) error {
	line, err := progressLine(ctx, s, r)
	if err != nil {
		return err
	}
	if err := wait(ctx, p, s, r, g); err != nil {
		return err
	}
	g.Show(line, print.Watch(g.now().Sub(r.StartedAt)))
	return nil
}

// wait says, once for each try, why nothing moves.
func wait(ctx context.Context, p *program.Program, s program.Store, r rows.Run, g *Progress) error {
	it, err := Held(ctx, p, s, r)
	if err != nil || it == nil {
		return err
	}
	text := LabelOf(*it) + " waits " + HeldText(p, *it)
	if text == g.reported {
		return nil
	}
	g.Clear()
	if g.reported == "" {
		text += "\nmore: starter why " + r.WorkflowID
	}
	p.Say("%s", text)
	g.reported, _, _ = strings.Cut(text, "\n")
	return nil
}

func (g *Progress) Show(line, elapsed string) {
	if g.Screen {
		full := print.End(line+"  "+elapsed, print.Width-1)
		g.own("\r" + print.Pad(print.Clean(full), print.Width-1))
		g.last = line
		return
	}
	if line != g.last {
		fmt.Fprintf(g.w, "%s  %s\n", line, elapsed)
	}
	g.last = line
}

// own draws; an error of it has nobody to go to.
func (g *Progress) own(text string) { _ = terminal.Own(g.w, text) }

// Clear takes the line away before something else is written.
func (g *Progress) Clear() {
	if g.Screen && g.last != "" {
		g.own("\r" + strings.Repeat(" ", print.Width-1) + "\r")
	}
	g.last = ""
}

func progressLine(ctx context.Context, s program.Store, r rows.Run) (string, error) {
	totals, err := s.Totals(ctx, r.ID)
	if err != nil {
		return "", err
	}
	closed, docs := 0, 0
	for _, t := range totals {
		docs += t.Tally.Documents()
		if t.Outcome != "" {
			closed += t.Items
		}
	}
	name := print.Middle(r.Campaign, 20)
	switch {
	case r.State == rows.RunWaiting:
		return queued(ctx, s, r, name)
	case r.State == rows.RunOpening:
		return fmt.Sprintf("  %s  looking up its items", name), nil
	case r.Items == 1:
		return single(ctx, s, r, name, docs)
	}
	text := fmt.Sprintf("  %s  %s  %s of %s · %s", name, print.Bar(int64(closed), int64(r.Items)), print.Number(closed),
		print.Count(r.Items, "item"), print.Count(docs, "document"))
	return text + note(r), nil
}

// queued shows a run that waits in line.
func queued(ctx context.Context, s program.Store, r rows.Run, name string) (string, error) {
	place, waits, err := s.PlaceInLine(ctx, r)
	if waits {
		return fmt.Sprintf("  %s  waits %s", name, place.Words()), err
	}
	return fmt.Sprintf("  %s  waits until the run before has ended", name), err
}

// single shows a run of one item by the source's own units.
func single(ctx context.Context, s program.Store, r rows.Run, name string, docs int) (string, error) {
	items, err := s.RunItems(ctx, r.ID, rows.ItemFilter{Limit: 1})
	if err != nil || len(items) == 0 {
		return "", err
	}
	it := items[0]
	if it.Total > 0 {
		return fmt.Sprintf("  %s  %s  %s of %s%s", name, print.Bar(it.Done, it.Total), print.Number(it.Done), print.Number(it.Total), note(r)), nil
	}
	return fmt.Sprintf("  %s  %s, %s%s", name, print.Count(it.Seq, "page"), print.Count(docs, "document"), note(r)), nil
}

func note(r rows.Run) string {
	switch {
	case r.Stop != "":
		return " · stopping"
	case r.Paused != "":
		return " · paused"
	default:
		return ""
	}
}

// Ended prints the summary of a run and returns the exit code it stands for.
func Ended(p *program.Program, workflowID, campaign string, sum steps.Summary, strict bool) error {
	p.Out.Value(struct {
		Run string `json:"run"`
		steps.Summary
	}{workflowID, sum})
	if sum.Outcome == outcomes.Skipped {
		why := print.Dash(sum.Why)
		if run, rest, ok := strings.Cut(why, " is going on"); ok {
			why = "already running, " + run + rest
		}
		p.Say("starter: not started: %s", why)
		return program.Quiet(program.ExitError)
	}
	p.Out.Table(summaryTable(campaign, sum))
	if sum.Documents.Listed > 0 {
		p.Out.Printf("%s%s\n", print.Pad("listed", 9), print.Wrap(print.Number(sum.Documents.Listed)+": "+BecameLine(sum.Documents.Tally()), 9, 9))
	}
	if sum.Why != "" {
		p.Out.Printf("\nwhy      %s\n", print.Wrap(p.Clock.Local(sum.Why), 9, 9))
	}
	for i, text := range sum.LookAt {
		p.Out.Printf("%s%s\n", print.Pad([]string{"look at", ""}[min(i, 1)], 9), print.Wrap(p.Clock.Local(text), 9, 9))
	}
	p.Out.Printf("more     starter runs show %s\n", workflowID)
	return program.Quiet(WaitExit(sum, strict))
}

func summaryTable(campaign string, sum steps.Summary) *print.Table {
	row := print.RunRow{Campaign: campaign, Outcome: sum.Outcome, Took: sum.Took}
	for _, o := range outcomes.All() {
		if n := sum.Items[o]; n > 0 {
			row.Items += n
			if o.Severity() != outcomes.OK {
				row.Look = append(row.Look, fmt.Sprintf("%d %s", n, o))
			}
		}
	}
	d := sum.Documents
	row.Tally = harvest.Tally{New: d.New, Changed: d.Changed, Same: d.Same, Deleted: d.Deleted}
	return print.Ended(row)
}

// GoesOn is what Ctrl-C says while a run is being watched.
func GoesOn(p *program.Program, workflowID string) error {
	p.Say("\nthe run goes on. Look: starter runs watch %s\n                 Stop it: starter runs cancel %s", workflowID, workflowID)
	return program.Quiet(program.ExitInterrupted)
}
