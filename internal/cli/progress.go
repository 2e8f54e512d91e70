package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// progress shows how far a run is, on standard error: one line that is redrawn
// on a terminal, else a line whenever something has changed.
type progress struct {
	w      io.Writer
	screen bool
	last   string
	now    func() time.Time
	told   string // the try that was last said to be waited for
}

func (p *program) newProgress() *progress {
	return &progress{w: p.env.Stderr, screen: p.screen(), now: p.env.Now}
}

// draw shows where a run is, and why where nothing moves.
func (p *program) draw(ctx context.Context, s Store, r rows.Run, g *progress) error {
	line, err := progressLine(ctx, s, r)
	if err != nil {
		return err
	}
	if err := p.wait(ctx, s, r, g); err != nil {
		return err
	}
	g.show(line, print.Watch(g.now().Sub(r.StartedAt)))
	return nil
}

// wait says, once for each try, why nothing moves.
func (p *program) wait(ctx context.Context, s Store, r rows.Run, g *progress) error {
	it, err := p.held(ctx, s, r)
	if err != nil || it == nil {
		return err
	}
	text := labelOf(*it) + " waits " + p.heldText(*it)
	if text == g.told {
		return nil
	}
	g.clear()
	if g.told == "" {
		text += "\nmore: starter why " + r.WorkflowID
	}
	p.say("%s", text)
	g.told, _, _ = strings.Cut(text, "\n")
	return nil
}

func (g *progress) show(line, elapsed string) {
	if g.screen {
		full := print.End(line+"  "+elapsed, print.Width-1)
		g.own("\r" + pad(print.Clean(full), print.Width-1))
		g.last = line
		return
	}
	if line != g.last {
		fmt.Fprintf(g.w, "%s  %s\n", line, elapsed)
	}
	g.last = line
}

// own draws; where that fails nobody can be told.
func (g *progress) own(text string) { _ = print.Own(g.w, text) }

// clear takes the line away before something else is written.
func (g *progress) clear() {
	if g.screen && g.last != "" {
		g.own("\r" + strings.Repeat(" ", print.Width-1) + "\r")
	}
	g.last = ""
}

func progressLine(ctx context.Context, s Store, r rows.Run) (string, error) {
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
		return fmt.Sprintf("  %s  waits until the run before has ended", name), nil
	case r.State == rows.RunOpening:
		return fmt.Sprintf("  %s  looking up its items", name), nil
	case r.Items == 1:
		return single(ctx, s, r, name, docs)
	}
	text := fmt.Sprintf("  %s  %s  %s of %s · %s", name, print.Bar(int64(closed), int64(r.Items)), print.Number(closed),
		print.Count(r.Items, "item"), print.Count(docs, "document"))
	return text + note(r), nil
}

// single shows a run of one item by the source's own units.
func single(ctx context.Context, s Store, r rows.Run, name string, docs int) (string, error) {
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

// ended prints the summary of a run and returns the exit code it stands for.
func (p *program) ended(workflowID, campaign string, sum steps.Summary, strict bool) error {
	p.out.Value(struct {
		Run string `json:"run"`
		steps.Summary
	}{workflowID, sum})
	if sum.Outcome == harvest.OutcomeSkipped {
		why := print.Dash(sum.Why)
		if run, rest, ok := strings.Cut(why, " is going on"); ok {
			why = "already running, " + run + rest
		}
		p.say("starter: not started: %s", why)
		return quiet(exitError)
	}
	p.out.Table(summaryTable(campaign, sum))
	if sum.Documents.Listed > 0 {
		p.out.Printf("%s%s\n", pad("listed", 9), print.Wrap(print.Number(sum.Documents.Listed)+": "+becameLine(sum.Documents.Tally()), 9, 9))
	}
	if sum.Why != "" {
		p.out.Printf("\nwhy      %s\n", print.Wrap(sum.Why, 9, 9))
	}
	for i, text := range sum.LookAt {
		p.out.Printf("%s%s\n", pad([]string{"look at", ""}[min(i, 1)], 9), print.Wrap(text, 9, 9))
	}
	p.out.Printf("more     starter runs show %s\n", workflowID)
	return quiet(waitExit(sum, strict))
}

func summaryTable(campaign string, sum steps.Summary) *print.Table {
	row := print.RunRow{Campaign: campaign, Outcome: sum.Outcome, Took: sum.Took}
	for _, o := range harvest.Outcomes() {
		if n := sum.Items[o]; n > 0 {
			row.Items += n
			if o.Severity() != harvest.OK {
				row.Look = append(row.Look, fmt.Sprintf("%d %s", n, o))
			}
		}
	}
	d := sum.Documents
	row.Tally = harvest.Tally{New: d.New, Changed: d.Changed, Same: d.Same, Deleted: d.Deleted}
	return print.Ended(row)
}

// goesOn is what Ctrl-C says while a run is being watched.
func (p *program) goesOn(workflowID string) error {
	p.say("\nthe run goes on. Look: starter runs watch %s\n                 Stop it: starter runs cancel %s", workflowID, workflowID)
	return quiet(exitInterrupted)
}
