package registries

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/planner"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/internal/temporalx"
)

type remove struct{ *program.Program }

func newRemove(p *program.Program) *cobra.Command {
	c := &remove{p}
	return &cobra.Command{
		Use: "remove NAME", Short: "Follow a registry no more, and remove its campaigns",
		Long: `Ask a registry no more and remove the campaigns of its jobs: runs that go on are
told to end, schedules go. Documents, checkpoints, runs and definitions stay,
and come back to life when a registry of that name lists those jobs again. It
always asks.`,
		Example: "  starter registry remove library",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: complete(p),
	}
}

func (c *remove) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	r, err := find(ctx, s, args[0])
	if err != nil {
		return err
	}
	list, err := s.Campaigns(ctx, registry.Project(r.Name), false)
	if err != nil {
		return err
	}
	c.Sure = true
	if err := c.Aim(ctx, true, fmt.Sprintf("remove registry %s and its %s", r.Name, print.Count(len(list), "campaign"))); err != nil {
		return err
	}
	if err := c.away(ctx, s, r, list); err != nil {
		return fmt.Errorf("registry remove %s: %w; do it again to go on", r.Name, err)
	}
	c.Out.Value(map[string]any{"registry": r.Name, "done": "remove", "campaigns": len(list)})
	c.Out.Printf("%s  removed, and %s with it; documents and checkpoints stay\n", r.Name, print.Count(len(list), "campaign"))
	return nil
}

// away pauses first, so that no sync that goes on makes what is being removed, and
// forgets the registry last: what is not done is done the next time.
func (c *remove) away(ctx context.Context, s program.Store, r rows.Registry, list []rows.Campaign) error {
	e, err := c.Engine(ctx)
	if err != nil {
		return err
	}
	i, err := e.Instance(ctx, s.ID())
	if err != nil {
		return err
	}
	if err := s.PauseRegistry(ctx, r.Name, &rows.Pause{By: c.Who(), At: c.Env.Now(), Note: "it is being removed"}); err != nil {
		return err
	}
	if err := e.Schedules().GetHandle(ctx, i.RegistryScheduleID(r.Name)).Delete(ctx); err != nil && !temporalx.IsNotFound(err) {
		return fmt.Errorf("delete its schedule: %w", err)
	}
	settings := planner.Settings{Instance: i, Lookup: campaignfiles.Lookup(c.Program)}
	if !e.Target().Loopback() {
		settings.PerSecond = planner.PerSecond
	}
	apply := planner.New(s, e.Schedules(), settings)
	for _, one := range list {
		if err := apply.Delete(ctx, one.Name, c.Who()); err != nil {
			return err
		}
	}
	open, _, err := s.RegistryRuns(ctx, r.Name)
	if err != nil {
		return err
	}
	for _, run := range open {
		if err := e.Cancel(ctx, run.WorkflowID, ""); err != nil && !errors.Is(err, engine.ErrClosed) {
			return err
		}
	}
	if err := s.RemoveRegistry(ctx, r.Name); err != nil {
		return err
	}
	return s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: "remove", On: "registry " + r.Name, Note: r.URL})
}
