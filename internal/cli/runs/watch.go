package runs

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type runsWatch struct {
	*program.Program
	strict bool
}

func newRunsWatch(p *program.Program) *cobra.Command {
	c := &runsWatch{Program: p}
	cmd := &cobra.Command{
		Use: "watch RUN", Short: "Watch a run until it has ended",
		Long:    "Watch a run's progress until it has ended. Ctrl-C ends the watching, not the\nrun.",
		Example: "  starter runs watch news",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteRuns,
	}
	cmd.Flags().BoolVar(&c.strict, "strict", false, "exit 4 when there are warnings")
	return cmd
}

func (c *runsWatch) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, r, err := scope.NamedRun(ctx, c.Program, args[0])
	if err != nil {
		return err
	}
	show := watch.NewProgress(c.Program)
	tick := time.NewTicker(c.Pace)
	defer tick.Stop()
	for r.State != rows.RunClosed {
		next, err := c.step(ctx, s, r, show, tick.C)
		if ctx.Err() != nil {
			show.Clear()
			return watch.GoesOn(c.Program, r.WorkflowID)
		}
		if err != nil {
			return err
		}
		r = next
	}
	show.Clear()
	return watch.Ended(c.Program, r.WorkflowID, r.Campaign, summaryOf(r), c.strict)
}

// step shows where the run is, and returns it as it is a moment later.
func (c *runsWatch) step(ctx context.Context, s program.Store, r rows.Run, show *watch.Progress, tick <-chan time.Time) (rows.Run, error) {
	if err := watch.Draw(ctx, c.Program, s, r, show); err != nil {
		return r, err
	}
	select {
	case <-ctx.Done():
		return r, ctx.Err()
	case <-tick:
		return s.RunByRunID(ctx, r.RunID)
	}
}

// summaryOf is what a closed run said at its end, or what its row tells.
func summaryOf(r rows.Run) steps.Summary {
	var sum steps.Summary
	if json.Unmarshal(r.Summary, &sum) == nil && sum.Outcome != "" {
		return sum
	}
	return steps.Summary{
		Outcome: r.Outcome, Why: r.Why,
		Documents: steps.Documents{New: r.Tally.New, Changed: r.Tally.Changed, Same: r.Tally.Same, Deleted: r.Tally.Deleted, Quarantined: r.Tally.Quarantined},
	}
}

type runsWait struct {
	*program.Program
	all     bool
	timeout time.Duration
	strict  bool
}

func newRunsWait(p *program.Program) *cobra.Command {
	c := &runsWait{Program: p}
	cmd := &cobra.Command{
		Use: "wait [RUN...]", Short: "Return when runs have ended",
		Long:    "Return when the given runs, or all open ones, have ended. The exit code is that\nof the worst.",
		Example: "  starter runs wait --all --timeout 30m",
		RunE:    c.run, ValidArgsFunction: p.CompleteRuns,
	}
	f := cmd.Flags()
	f.BoolVar(&c.all, "all", false, "wait for every open run")
	f.Var((*program.SpanValue)(&c.timeout), "timeout", "give up after so long with exit code 1; 0: never")
	f.BoolVar(&c.strict, "strict", false, "exit 4 when there are warnings")
	return cmd
}

func (c *runsWait) run(cmd *cobra.Command, args []string) error {
	ctx, cancel := cmd.Context(), func() {}
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	if c.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, c.timeout) // of the waiting only
	}
	defer cancel()
	runs, err := c.runs(ctx, s, args)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("wait: no worker has opened the run after " + c.timeout.String())
	}
	if err != nil {
		return err
	}
	worst, list := program.ExitOK, c.Out.List()
	for _, r := range runs {
		err := untilClosed(ctx, c.Program, r)
		if errors.Is(err, context.DeadlineExceeded) {
			return errors.New("wait: " + r.WorkflowID + " is still going on after " + c.timeout.String())
		}
		if err != nil {
			return err
		}
		if r, err = s.RunByRunID(ctx, r.RunID); err != nil {
			return err
		}
		list.Add(r)
		c.Out.Printf("%s  %s\n", r.WorkflowID, r.Outcome)
		worst = worse(worst, watch.WaitExit(summaryOf(r), c.strict))
	}
	list.End()
	return program.Quiet(worst)
}

func (c *runsWait) runs(ctx context.Context, s program.Store, args []string) ([]rows.Run, error) {
	if c.all == (len(args) > 0) {
		return nil, program.Usage("runs wait: name the runs, or say --all")
	}
	if c.all {
		return s.OpenRuns(ctx)
	}
	var out []rows.Run
	for _, ref := range args {
		if err := c.untilKept(ctx, s, ref); err != nil {
			return nil, err
		}
		r, err := scope.FindRun(ctx, c.Program, s, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// untilKept waits for a run that was started a moment ago: Temporal has it, and the
// store does once a worker has opened it. What Temporal does not know is not waited
// for.
func (c *runsWait) untilKept(ctx context.Context, s program.Store, ref string) error {
	tick := time.NewTicker(c.Pace)
	defer tick.Stop()
	for {
		_, err := s.FindRun(ctx, ref)
		if !errors.Is(err, rows.ErrNotFound) || !c.goesOnThere(ctx, ref) {
			return nil // found, or explained by whoever looks next
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (c *runsWait) goesOnThere(ctx context.Context, ref string) bool {
	e, err := c.Engine(ctx)
	if err != nil {
		return false
	}
	ended, err := e.Ended(ctx, ref, "")
	return err == nil && ended == ""
}

// worse orders exit codes: failed, warnings, ok.
func worse(a, b int) int {
	rank := map[int]int{program.ExitOK: 0, program.ExitWarnings: 1, program.ExitError: 2, program.ExitRunFailed: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
