package runs

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type runsRetry struct {
	*program.Program
	outcomes []string
	items    []string
	failed   bool
	detach   bool
	strict   bool
}

func newRunsRetry(p *program.Program) *cobra.Command {
	c := &runsRetry{Program: p}
	cmd := &cobra.Command{
		Use: "retry RUN", Short: "Run again what a run did not bring",
		Long: `Start a run of the items that did not end well in an earlier run. They go on
from their checkpoints; the earlier run stays as it is.`,
		Example: "  starter runs retry news --outcome throttled",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteRuns,
	}
	f := cmd.Flags()
	f.StringArrayVar(&c.outcomes, "outcome", nil, "only items with this outcome; may be repeated")
	f.BoolVar(&c.failed, "failed", false, "only items that failed, not those that were cancelled or skipped")
	f.StringArrayVar(&c.items, "item", nil, "only the item with this key; may be repeated")
	f.BoolVarP(&c.detach, "detach", "d", false, "return once it is started")
	f.BoolVar(&c.strict, "strict", false, "exit 4 when there are warnings")
	program.Complete(cmd, "outcome", program.OutcomeNames()...)
	return cmd
}

func (c *runsRetry) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, r, err := scope.NamedRun(ctx, c.Program, args[0])
	if err != nil {
		return err
	}
	if r.State != rows.RunClosed {
		return fmt.Errorf("retry %s: it is still going on; wait: starter runs wait %s", r.WorkflowID, r.WorkflowID)
	}
	items, err := c.undone(ctx, s, r)
	if err != nil {
		return err
	}
	start := steps.Start{
		Campaign: r.Campaign, RetryOf: r.WorkflowID, Trigger: steps.TriggerRetry, TriggeredBy: c.Who(),
	}
	if len(c.items) > 0 || len(c.outcomes) > 0 || c.failed {
		for _, it := range items {
			start.Items = append(start.Items, it.Key)
		}
	}
	camp, id, err := c.retryOf(ctx, s, r)
	if err != nil {
		return err
	}
	return watch.StartAndWatch(ctx, c.Program, watch.Launch{Id: func(int) string { return id }, Campaign: camp, Start: start, Detach: c.detach, Strict: c.strict})
}

// undone are the items of a run that are to be tried again, at least one.
func (c *runsRetry) undone(ctx context.Context, s program.Store, r rows.Run) ([]rows.RunItem, error) {
	wanted, err := program.Outcomes(c.outcomes)
	if err != nil {
		return nil, err
	}
	switch {
	case c.failed && len(wanted) > 0:
		return nil, program.Usage("retry: --failed and --outcome both say which items; give one of them")
	case c.failed:
		wanted = watch.NeedLook()
	case len(wanted) == 0:
		wanted = append(watch.NeedLook(), outcomes.Cancelled, outcomes.Skipped)
	}
	if c.items, err = scope.RunKeys(ctx, s, r, c.items); err != nil {
		return nil, err
	}
	items, err := s.RunItems(ctx, r.ID, rows.ItemFilter{Outcomes: wanted, Keys: c.items})
	if err != nil {
		return nil, err
	}
	for _, key := range c.items {
		if !slices.ContainsFunc(items, func(it rows.RunItem) bool { return it.Key == key }) {
			return nil, fmt.Errorf("retry %s: item %s is not to be tried again, or not of this run; see `starter runs show %s -a`", r.WorkflowID, key, r.WorkflowID)
		}
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("retry %s: none of its items is to be tried again; its outcome is %s", r.WorkflowID, r.Outcome)
	}
	return items, nil
}

// retryOf returns the campaign of a run as it ran, and the id of its next retry.
func (c *runsRetry) retryOf(ctx context.Context, s program.Store, r rows.Run) (camp campaigns.Campaign, id string, err error) {
	def, err := s.Definition(ctx, r.Campaign, r.Version)
	if err != nil {
		return camp, "", err
	}
	if camp, err = campaigns.Decode(def.Spec); err != nil {
		return camp, "", err
	}
	later, err := s.Runs(ctx, rows.RunFilter{Campaign: r.Campaign, Since: r.StartedAt})
	taken := map[string]bool{}
	for _, other := range later {
		taken[c.Local(other.WorkflowID)] = true
	}
	for n := 1; id == "" || taken[id]; n++ {
		id = workflows.RetryID(r.Campaign, c.Local(r.WorkflowID), n)
	}
	return camp, id, err
}
