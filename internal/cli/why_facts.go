package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// How far it is looked back for what is usual, and how many items of a run.
const (
	runsBefore = 10
	whyItems   = 10_000
)

// facts gathers what the causes are looked for in. The subject is a campaign,
// else a run, else an item.
func (c *why) facts(ctx context.Context, s Store, ref string) (diagnose.Facts, error) {
	f := diagnose.Facts{Clock: c.clock, Subject: ref, Store: c.storeName(s)}
	run, campaign, err := c.subject(ctx, s, ref, &f)
	if err != nil {
		return f, err
	}
	if f.Campaign == nil && campaign == "" {
		return f, nil
	}
	if err := c.campaign(ctx, s, campaign, &f); err != nil {
		return f, err
	}
	if run == nil {
		if run, err = c.runOf(ctx, s, campaign, &f); err != nil {
			return f, err
		}
	}
	if err := c.hostRules(ctx, s, &f); err != nil {
		return f, err
	}
	c.server(ctx, campaign, &f)
	if err := c.standing(ctx, s, run, &f); err != nil {
		return f, err
	}
	return f, c.pollers(ctx, &f)
}

// subject finds out what was meant; no campaign and no error: nothing of that
// name is known.
func (c *why) subject(ctx context.Context, s Store, ref string, f *diagnose.Facts) (*rows.Run, string, error) {
	if c.itemFlags.campaign == "" {
		if _, err := s.Campaign(ctx, ref); err == nil || !errors.Is(err, rows.ErrNotFound) {
			return nil, ref, err
		}
		if r, err := s.FindRun(ctx, ref); err == nil || !errors.Is(err, rows.ErrNotFound) {
			f.OnlyRun = err == nil
			return &r, r.Campaign, err
		}
	}
	it, err := c.findItem(ctx, s, c.itemFlags, ref)
	if coded, ok := errors.AsType[*exitCode](err); ok {
		return nil, "", coded
	}
	if err != nil {
		return nil, "", nil //nolint:nilerr // nothing of that name: the answer is "not applied"
	}
	f.Item = &diagnose.Item{Item: it}
	return nil, it.Campaign, nil
}

func (c *why) campaign(ctx context.Context, s Store, name string, f *diagnose.Facts) error {
	row, err := s.Campaign(ctx, name)
	if errors.Is(err, rows.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	f.Campaign = &row
	f.Effective, err = campaigns.Decode(row.Definition.Spec)
	return err
}

// runOf is the run that the answer is about: the open one, of an item the one it
// is in or was in last, else the newest.
func (c *why) runOf(ctx context.Context, s Store, campaign string, f *diagnose.Facts) (*rows.Run, error) {
	open, err := c.openRuns(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	if f.Item == nil && len(open) > 0 {
		return &open[0], nil
	}
	for i := range open {
		mine, err := s.RunItems(ctx, open[i].ID, rows.ItemFilter{Entry: f.Item.Entry, Keys: []string{f.Item.Key}})
		if err != nil {
			return nil, err
		}
		if len(mine) > 0 && mine[0].State != rows.ItemClosed {
			f.Item.Now = &mine[0]
			return &open[i], nil
		}
	}
	return c.lastRun(ctx, s, campaign, f.Item)
}

// lastRun is the item's last run, where it is still known, else the campaign's.
func (c *why) lastRun(ctx context.Context, s Store, campaign string, it *diagnose.Item) (*rows.Run, error) {
	if it != nil && it.LastRun != "" {
		if r, err := s.FindRun(ctx, it.LastRun); err == nil || !errors.Is(err, rows.ErrNotFound) {
			return &r, err
		}
	}
	runs, err := s.Runs(ctx, rows.RunFilter{Campaign: campaign, Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return &runs[0], nil
}

func (c *why) hostRules(ctx context.Context, s Store, f *diagnose.Facts) error {
	known, err := s.Hosts(ctx)
	f.Hosts = diagnose.Hosts{}
	for _, h := range known {
		f.Hosts[h.Name] = h
	}
	return err
}

// server asks Temporal about the schedule; that it does not answer is a fact
// like any other.
func (c *why) server(ctx context.Context, campaign string, f *diagnose.Facts) {
	e, err := c.Engine(ctx)
	if err != nil {
		f.ServerErr = err
		return
	}
	if f.Effective.Schedule == nil {
		return
	}
	sched, err := e.Schedule(ctx, campaign)
	if err != nil {
		f.ServerErr = err
		return
	}
	f.Server = &sched
}

// standing adds where the run stands.
func (c *why) standing(ctx context.Context, s Store, r *rows.Run, f *diagnose.Facts) (err error) {
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

func (c *why) open(ctx context.Context, s Store, run *diagnose.Run, f *diagnose.Facts) error {
	if c.engine != nil {
		c.asWorkflowSays(ctx, run)
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
	if run.EndedThere = endedThere(ctx, c.engine, run.Run); run.EndedThere != "" {
		return
	}
	if p, err := c.engine.Progress(ctx, run.WorkflowID); err == nil {
		run.Paused, run.Processors = cmp.Or(p.Paused, run.Paused), cmp.Or(p.Processors, run.Processors)
	}
}

// closed adds what became of a run, or of an item of it.
func (c *why) closed(ctx context.Context, s Store, run *diagnose.Run, f *diagnose.Facts) (err error) {
	if run.Look, err = s.RunItems(ctx, run.ID, rows.ItemFilter{Outcomes: needLook(), Worst: true, Limit: 1000}); err != nil {
		return err
	}
	if run.Failures, err = s.Failures(ctx, rows.FailureFilter{Run: run.ID, Key: keyAsked(f), Limit: 1000}); err != nil {
		return err
	}
	if f.Before, err = s.Runs(ctx, rows.RunFilter{Campaign: run.Campaign, States: []rows.RunState{rows.RunClosed}, Until: run.StartedAt, Limit: runsBefore}); err != nil {
		return err
	}
	if run.Focus, err = focus(ctx, s, run, f); err != nil {
		return err
	}
	run.NotModified, err = notModified(ctx, s, run, f)
	return err
}

func keyAsked(f *diagnose.Facts) string {
	if f.Item == nil {
		return ""
	}
	return f.Item.Key
}

// focus is the item that is asked about, else the worst of the run.
func focus(ctx context.Context, s Store, run *diagnose.Run, f *diagnose.Facts) (*diagnose.Focus, error) {
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
	if err := lastAsked(ctx, s, run, out); err != nil {
		return nil, err
	}
	return out, lastGood(ctx, s, f.Before, out)
}

func lastAsked(ctx context.Context, s Store, run *diagnose.Run, it *diagnose.Focus) error {
	for line, err := range s.Ledger(ctx, rows.LedgerFilter{Run: run.ID, Ord: &it.Ord}) {
		if err != nil {
			return err
		}
		it.Asked = &line
	}
	return nil
}

// lastGood looks the item up in the runs before, for one that brought something.
func lastGood(ctx context.Context, s Store, before []rows.Run, it *diagnose.Focus) error {
	if it.Outcome.Severity() == harvest.OK {
		return nil
	}
	for _, r := range before {
		same, err := s.RunItems(ctx, r.ID, rows.ItemFilter{Entry: it.Entry, Keys: []string{it.Key}})
		if err != nil {
			return err
		}
		if len(same) > 0 && same[0].Outcome != "" && same[0].Outcome.Severity() == harvest.OK {
			it.Good, it.GoodAt = &same[0], r.ClosedAt
			return nil
		}
	}
	return nil
}

// notModified counts such answers, of the run or of the item that is asked about.
func notModified(ctx context.Context, s Store, run *diagnose.Run, f *diagnose.Facts) (n int, err error) {
	filter := rows.LedgerFilter{Run: run.ID}
	if f.Item != nil && run.Focus != nil {
		filter.Ord = &run.Focus.Ord
	}
	for line, err := range s.Ledger(ctx, filter) {
		if err != nil {
			return n, err
		}
		if line.Status == 304 {
			n++
		}
	}
	return n, nil
}

// pollers asks who would do the work, when Temporal answers.
func (c *why) pollers(ctx context.Context, f *diagnose.Facts) error {
	if c.engine == nil || f.Campaign == nil {
		return nil
	}
	f.Pollers = map[string]int{}
	for _, q := range append([]string{c.queue(steps.QueueControl)}, c.queuesOfEntries(f.Effective)...) {
		found, err := c.atWork(ctx, c.engine, q)
		if err != nil && !errors.Is(err, engine.ErrForbidden) {
			return err
		}
		if err == nil {
			f.Pollers[q] = len(found)
		}
	}
	return nil
}
