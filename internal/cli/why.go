package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type why struct {
	*program
	itemFlags
}

func newWhy(p *program) *cobra.Command {
	c := &why{program: p}
	cmd := &cobra.Command{
		Use: "why CAMPAIGN|RUN|ITEM|HOST", Short: "Say why something does not run, or brought nothing",
		Long: `Say why a campaign does not run, why a run stands still, why there is nothing
new, what holds a host up. The possible causes are looked at in order; the first
that fits is the answer, the others are printed as not the cause.`,
		Example: "  starter why news",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.completeRuns,
	}
	c.add(p, cmd)
	return cmd
}

func (c *why) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if a, ok, err := c.host(ctx, s, args[0]); ok || err != nil {
		c.out.Value(a)
		c.out.Printf("%s", whyScreen(a))
		return err
	}
	f, err := c.facts(ctx, s, args[0])
	if err != nil {
		return err
	}
	a := diagnose.Why(f)
	c.out.Value(a)
	c.out.Printf("%s", whyScreen(a))
	if f.Campaign == nil {
		return c.elsewhere(ctx, s)
	}
	return nil
}

func whyScreen(a diagnose.Answer) string {
	var b strings.Builder
	b.WriteString(print.Wrap(a.Say, 0, 0) + "\n")
	for _, l := range a.Lines {
		b.WriteString("  " + pad(l.Name, 10) + print.Wrap(l.Text, 12, 12) + "\n")
	}
	if len(a.Not) > 0 {
		b.WriteString(together("not the cause: ", a.Not) + "\n")
	}
	return b.String()
}

// together wraps a list so that no line ends within one of its parts.
func together(head string, parts []string) string {
	const glue = "\u00a0"
	kept := make([]string, len(parts))
	for i, part := range parts {
		kept[i] = strings.ReplaceAll(part, " ", glue)
	}
	wrapped := print.Wrap(head+strings.Join(kept, " · "), 0, len(head))
	return strings.ReplaceAll(wrapped, glue, " ")
}

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
		if run, err = c.lastRun(ctx, s, campaign); err != nil {
			return f, err
		}
	}
	if err := c.rests(ctx, s, &f); err != nil {
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

// lastRun is the open run, else the newest.
func (c *why) lastRun(ctx context.Context, s Store, campaign string) (*rows.Run, error) {
	open, err := c.openRuns(ctx, s, campaign)
	if err != nil {
		return nil, err
	}
	if len(open) > 0 {
		return &open[0], nil
	}
	runs, err := s.Runs(ctx, rows.RunFilter{Campaign: campaign, Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return &runs[0], nil
}

func (c *why) rests(ctx context.Context, s Store, f *diagnose.Facts) error {
	hosts, err := s.Hosts(ctx)
	for _, h := range hosts {
		if h.RestUntil.After(c.env.Now()) {
			f.Rest = append(f.Rest, diagnose.Rest{Host: h.Name, Until: h.RestUntil, Why: h.RestWhy})
		}
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
	if run.Open() {
		return c.open(ctx, s, run, f)
	}
	return c.closed(ctx, s, run)
}

func (c *why) open(ctx context.Context, s Store, run *diagnose.Run, f *diagnose.Facts) error {
	if c.engine != nil {
		if run.EndedThere = endedThere(ctx, c.engine, run.Run); run.EndedThere == "" {
			run.Paused = pausedNow(ctx, c.engine, run.Run)
		}
	}
	held, err := s.RunItems(ctx, run.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemClaimed}})
	if err != nil {
		return err
	}
	open, err := s.RunItems(ctx, run.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemOpen}, Limit: 1000})
	if err != nil {
		return err
	}
	run.Held, run.Look = len(held), append(held, open...)
	if f.Item == nil {
		return nil
	}
	mine, err := s.RunItems(ctx, run.ID, rows.ItemFilter{Entry: f.Item.Entry, Keys: []string{f.Item.Key}})
	if len(mine) > 0 && mine[0].State != rows.ItemClosed {
		f.Item.Now = &mine[0]
	}
	return err
}

func (c *why) closed(ctx context.Context, s Store, run *diagnose.Run) (err error) {
	if run.Look, err = s.RunItems(ctx, run.ID, rows.ItemFilter{Outcomes: needLook(), Worst: true, Limit: 1000}); err != nil {
		return err
	}
	if run.Failures, err = s.Failures(ctx, rows.FailureFilter{Run: run.ID, Limit: 1000}); err != nil {
		return err
	}
	_, sum, err := readLedger(ctx, s, run.Run, nil)
	run.NotModified = sum.NotModified
	return err
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
