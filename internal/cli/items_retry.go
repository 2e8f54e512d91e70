package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/workflows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type itemsRetry struct {
	*program
	itemFlags
	again   bool
	refresh bool
	detach  bool
	strict  bool
}

func newItemsRetry(p *program) *cobra.Command {
	c := &itemsRetry{program: p}
	cmd := &cobra.Command{
		Use: "retry KEY...", Short: "Run some items of a campaign now",
		Long:    "Start a run of these items only. They go on from their checkpoints; with --again\neverything the source lists is asked for once more.",
		Example: "  starter items retry ansa-economia --again",
		Args:    cobra.MinimumNArgs(1), RunE: c.run,
	}
	c.add(p, cmd)
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
	start := steps.Start{Again: c.again, Refresh: c.refresh, Trigger: steps.TriggerHand, TriggeredBy: c.who()}
	for _, ref := range args {
		it, err := c.findItem(ctx, s, c.itemFlags, ref)
		if err != nil {
			return err
		}
		if start.Campaign != "" && start.Campaign != it.Campaign {
			return usage("items retry: %s and %s are of two campaigns; one run is of one", args[0], ref)
		}
		start.Campaign = it.Campaign
		start.Items = append(start.Items, it.Key)
	}
	a, err := asApplied(ctx, s, start.Campaign)
	if err != nil {
		return err
	}
	if err := refreshes(a.Campaign, start); err != nil {
		return err
	}
	return c.launch(ctx, launch{id: c.handID(start.Campaign), campaign: a.Campaign, start: start, detach: c.detach, strict: c.strict})
}

// asApplied reads a campaign in the form that schedules are made of.
func asApplied(ctx context.Context, s campaignStore, name string) (workflows.Applied, error) {
	row, err := s.Campaign(ctx, name)
	if err != nil {
		return workflows.Applied{}, err
	}
	d := row.Definition
	a := workflows.Applied{Version: d.Version, Digest: d.Digest, By: d.Author, File: d.File, Line: d.Line, Commit: d.Commit, At: d.AppliedAt}
	if row.Paused != nil {
		a.Pause = &workflows.Pause{By: row.Paused.By, At: row.Paused.At, Note: row.Paused.Note}
	}
	a.Campaign, err = campaigns.Decode(d.Spec)
	return a, err
}
