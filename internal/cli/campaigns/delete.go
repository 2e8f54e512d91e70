package campaigns

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/planner"
)

type campaignsDelete struct {
	*program.Program
	cancel bool
}

func newCampaignsDelete(p *program.Program) *cobra.Command {
	c := &campaignsDelete{Program: p}
	cmd := &cobra.Command{
		Use: "delete NAME...", Short: "Remove a campaign's schedule; what it collected stays",
		Long: `Remove campaigns: no more runs. Documents, checkpoints, runs and definitions
stay, and come back to life when a campaign of that name is applied again. It
always asks.`,
		Example: "  starter campaigns delete x-torino",
		Args:    cobra.MinimumNArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteCampaigns,
	}
	cmd.Flags().BoolVar(&c.cancel, "cancel-runs", false, "also end runs that are going on")
	return cmd
}

func (c *campaignsDelete) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	c.Sure = true
	return each(ctx, c.Program, args, "delete", func(ctx context.Context, r *planner.Planner, name string) (string, error) {
		if err := r.Delete(ctx, name, c.Who()); err != nil {
			return "", err
		}
		text, err := c.runsOf(ctx, name)
		return "removed; its documents and checkpoints stay" + text, err
	})
}

// runsOf tells of the runs that are going on, and ends them when that was asked.
func (c *campaignsDelete) runsOf(ctx context.Context, name string) (string, error) {
	s, err := c.Store(ctx)
	if err != nil {
		return "", err
	}
	open, err := scope.OpenRuns(ctx, c.Program, s, name)
	if err != nil || len(open) == 0 {
		return "", err
	}
	e, err := c.Engine(ctx)
	if err != nil {
		return "", err
	}
	text := ""
	for _, r := range open {
		if !c.cancel {
			text += "; " + r.WorkflowID + " goes on"
			continue
		}
		if err := e.Cancel(ctx, r.WorkflowID, ""); err != nil && !errors.Is(err, engine.ErrClosed) {
			return "", err
		}
		text += "; " + r.WorkflowID + " is told to stop"
	}
	return text, nil
}
