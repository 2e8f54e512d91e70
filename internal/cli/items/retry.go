package items

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type itemsRetry struct {
	*program.Program
	scope.ItemFlags
	again   bool
	refresh bool
	detach  bool
	strict  bool
}

func newItemsRetry(p *program.Program) *cobra.Command {
	c := &itemsRetry{Program: p}
	cmd := &cobra.Command{
		Use: "retry KEY...", Short: "Run some items of a campaign now",
		Long:    "Start a run of these items only. They go on from their checkpoints; with --again\neverything the source lists is asked for once more.",
		Example: "  starter items retry ansa-economia --again",
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	c.Add(p, cmd)
	cmd.Flags().BoolVar(&c.again, "again", false, "ask for everything once more; checkpoints do not move back")
	cmd.Flags().BoolVar(&c.refresh, "refresh", false, "make a full pass now, due or not: list everything, then delete what is no longer listed")
	cmd.Flags().BoolVarP(&c.detach, "detach", "d", false, "return once it is started")
	cmd.Flags().BoolVar(&c.strict, "strict", false, "exit 4 when there are warnings")
	return cmd
}

func (c *itemsRetry) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	start := steps.Start{ForceRefresh: c.again, Refresh: c.refresh, Trigger: steps.TriggerHand, TriggeredBy: c.Who()}
	for _, ref := range args {
		it, err := scope.FindItem(ctx, c.Program, s, c.ItemFlags, ref)
		if err != nil {
			return err
		}
		if start.Campaign != "" && start.Campaign != it.Campaign {
			return program.Usage("items retry: %s and %s are of two campaigns; one run is of one", args[0], ref)
		}
		start.Campaign = it.Campaign
		start.Items = append(start.Items, it.Key)
	}
	a, err := watch.AsApplied(ctx, s, start.Campaign)
	if err != nil {
		return err
	}
	if err := watch.Refreshes(a.Campaign, start); err != nil {
		return err
	}
	return watch.StartAndWatch(ctx, c.Program, watch.Launch{Id: watch.HandID(c.Program, start.Campaign), Campaign: a.Campaign, Start: start, Detach: c.detach, Strict: c.strict})
}
