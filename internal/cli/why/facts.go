package why

import (
	"context"
	"errors"
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/unsent"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// How far it is looked back for what is usual, and how many items of a run.
const (
	runsBefore = 10
	whyItems   = 10_000
)

// facts gathers what the causes are looked for in. The subject is a campaign,
// else a run, else an item.
func (c *why) facts(ctx context.Context, s program.Store, ref string) (diagnose.Facts, error) {
	f := diagnose.Facts{Clock: c.Clock, Subject: ref, Store: c.StoreName(s)}
	run, campaign, err := c.subject(ctx, s, ref, &f)
	if err != nil {
		return f, err
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
	if f.Unsent, err = unsent.UnsentOf(ctx, s, campaign); err != nil {
		return f, err
	}
	c.server(ctx, campaign, &f)
	if err := c.standing(ctx, s, run, &f); err != nil {
		return f, err
	}
	return f, c.pollers(ctx, &f)
}

// subject finds out what was meant.
func (c *why) subject(ctx context.Context, s program.Store, ref string, f *diagnose.Facts) (*rows.Run, string, error) {
	if c.ItemFlags.Campaign == "" {
		if _, err := s.Campaign(ctx, ref); err == nil || !errors.Is(err, rows.ErrNotFound) {
			return nil, ref, err
		}
		if r, err := s.FindRun(ctx, ref); err == nil || !errors.Is(err, rows.ErrNotFound) {
			f.OnlyRun = err == nil
			return &r, r.Campaign, err
		}
	}
	if err := c.ItemFlags.Check(ctx, c.Program, s); err != nil {
		return nil, "", err
	}
	found, err := scope.ItemsNamed(ctx, s, c.ItemFlags, ref)
	switch {
	case err != nil:
		return nil, "", err
	case len(found) == 0:
		return nil, "", nothingNamed(ctx, c.Program, s, ref)
	case len(found) > 1:
		return nil, "", scope.SeveralItems(ref, found)
	}
	f.Item = &diagnose.Item{Item: found[0]}
	return nil, found[0].Campaign, nil
}

func (c *why) campaign(ctx context.Context, s program.Store, name string, f *diagnose.Facts) error {
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
func (c *why) runOf(ctx context.Context, s program.Store, campaign string, f *diagnose.Facts) (*rows.Run, error) {
	open, err := scope.OpenRuns(ctx, c.Program, s, campaign)
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
func (c *why) lastRun(ctx context.Context, s program.Store, campaign string, it *diagnose.Item) (*rows.Run, error) {
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

func (c *why) hostRules(ctx context.Context, s program.Store, f *diagnose.Facts) error {
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

// pollers asks who would do the work, when Temporal answers.
func (c *why) pollers(ctx context.Context, f *diagnose.Facts) error {
	if c.DialledEngine == nil || f.Campaign == nil {
		return nil
	}
	f.Unrouted, _ = c.DialledEngine.Unrouted(ctx, c.Queue(steps.QueueControl)) // whoever may not ask has one check less
	if err := c.roster(ctx, f); err != nil {
		return err
	}
	f.Pollers = map[string]int{}
	for _, q := range append([]string{c.Queue(steps.QueueControl)}, watch.QueuesOfEntries(c.Program, f.Effective)...) {
		found, err := watch.AtWork(ctx, c.Program, c.DialledEngine, q)
		if err != nil && !errors.Is(err, engine.ErrForbidden) {
			return err
		}
		if err == nil {
			f.Pollers[q] = len(found)
		}
	}
	return nil
}

// roster are the workers that report to the store.
func (c *why) roster(ctx context.Context, f *diagnose.Facts) error {
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	all, err := s.Workers(ctx)
	f.Roster = slices.DeleteFunc(all, func(w rows.Worker) bool { return w.Gone })
	return err
}
