package why

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// standing adds where the run stands.
func (c *why) standing(ctx context.Context, s program.Store, r *rows.Run, f *diagnose.Facts) (err error) {
	if r == nil {
		return nil
	}
	run := &diagnose.Run{Run: *r}
	f.Run = run
	if run.Totals, err = s.Totals(ctx, r.ID); err != nil {
		return err
	}
	if run.Open() && (f.Item == nil || f.Item.Now != nil) {
		return c.open(ctx, s, run, f)
	}
	return c.closed(ctx, s, run, f)
}

func (c *why) open(ctx context.Context, s program.Store, run *diagnose.Run, f *diagnose.Facts) error {
	if c.DialledEngine != nil {
		c.asWorkflowSays(ctx, run)
	}
	place, waits, err := s.PlaceInLine(ctx, run.Run)
	if err != nil {
		return err
	}
	if waits {
		run.Place = &place
	}
	held, err := s.RunItems(ctx, run.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemClaimed}})
	if err != nil {
		return err
	}
	open, err := s.RunItems(ctx, run.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemOpen}, Limit: whyItems})
	if err != nil {
		return err
	}
	run.Held, run.Look = len(held), append(held, open...)
	f.Others, err = waiters(ctx, s, func(w diagnose.Waiter) bool { return w.Run != run.WorkflowID })
	return err
}

// asWorkflowSays adds what only the run itself knows, when it answers.
func (c *why) asWorkflowSays(ctx context.Context, run *diagnose.Run) {
	if run.EndedThere = watch.EndedThere(ctx, c.DialledEngine, run.Run); run.EndedThere != "" {
		return
	}
	if at, err := c.DialledEngine.Failing(ctx, run.WorkflowID); err == nil {
		run.Failing = at
	}
	if p, err := c.DialledEngine.Progress(ctx, run.WorkflowID); err == nil {
		run.Paused, run.Processors = cmp.Or(p.Paused, run.Paused), cmp.Or(p.Processors, run.Processors)
	}
}

// closed adds what became of a run, or of an item of it.
func (c *why) closed(ctx context.Context, s program.Store, run *diagnose.Run, f *diagnose.Facts) (err error) {
	if run.Look, err = s.RunItems(ctx, run.ID, rows.ItemFilter{Outcomes: watch.NeedLook(), Worst: true, Limit: 1000}); err != nil {
		return err
	}
	if run.Failures, err = s.Failures(ctx, failuresAsked(run, f)); err != nil {
		return err
	}
	if f.Before, err = s.Runs(ctx, rows.RunFilter{Campaign: run.Campaign, States: []rows.RunState{rows.RunClosed}, Until: run.StartedAt, Limit: runsBefore}); err != nil {
		return err
	}
	f.Before = slices.DeleteFunc(f.Before, func(r rows.Run) bool { return !r.Whole() }) // they are not what is usual
	if run.Focus, err = focus(ctx, s, run, f); err != nil {
		return err
	}
	return lookAsked(ctx, s, run, f)
}

// failuresAsked are what a run met last, where the question is about a run; else what
// is open.
func failuresAsked(run *diagnose.Run, f *diagnose.Facts) rows.FailureFilter {
	filter := rows.FailureFilter{Campaign: run.Campaign, Open: true, Limit: 1000}
	if f.OnlyRun {
		filter.Open, filter.Run = false, run.ID
	}
	if f.Item != nil {
		filter.Entry, filter.Key = f.Item.Entry, f.Item.Key
	}
	return filter
}

// focus is the item that is asked about, else the worst of the run.
func focus(ctx context.Context, s program.Store, run *diagnose.Run, f *diagnose.Facts) (*diagnose.Focus, error) {
	list := run.Look
	if f.Item != nil {
		var err error
		if list, err = s.RunItems(ctx, run.ID, rows.ItemFilter{Entry: f.Item.Entry, Keys: []string{f.Item.Key}}); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	out := &diagnose.Focus{RunItem: list[0]}
	return out, lastGood(ctx, s, f.Before, out)
}

// lastGood looks the item up in the runs before, for one that brought something.
func lastGood(ctx context.Context, s program.Store, before []rows.Run, it *diagnose.Focus) error {
	if it.Outcome.Severity() == outcomes.OK {
		return nil
	}
	for _, r := range before {
		same, err := s.RunItems(ctx, r.ID, rows.ItemFilter{Entry: it.Entry, Keys: []string{it.Key}})
		if err != nil {
			return err
		}
		if len(same) > 0 && same[0].Outcome != "" && same[0].Outcome.Severity() == outcomes.OK {
			it.Good, it.GoodAt = &same[0], r.ClosedAt
			return nil
		}
	}
	return nil
}

// lookAsked reads the exchanges of the run, or of the item that is asked about: how
// many brought "not modified", and the last one of the item to look at.
func lookAsked(ctx context.Context, s program.Store, run *diagnose.Run, f *diagnose.Facts) error {
	filter := rows.LedgerFilter{Run: run.ID}
	if f.Item != nil && run.Focus != nil {
		filter.Ord = &run.Focus.Ord
	}
	for line, err := range s.Ledger(ctx, filter) {
		if err != nil {
			return err
		}
		if line.Status == http.StatusNotModified {
			run.NotModified++
		}
		if run.Focus != nil && line.Ord == run.Focus.Ord {
			run.Focus.Asked = &line
		}
	}
	return nil
}
