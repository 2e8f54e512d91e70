package registries

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/internal/times"
	"github.com/vendemmia/vendemmia/workflows"
)

const (
	usualEvery = 30 * time.Second
	leastEvery = time.Second
)

type add struct {
	*program.Program
	url, format, header string
	every               time.Duration
	maxRunning          int
}

func newAdd(p *program.Program) *cobra.Command {
	c := &add{Program: p, every: usualEvery}
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Follow a registry, or change how it is followed",
		Long: `Follow a registry: a schedule asks it what there is to do. NAME is a letter and
at most 19 more letters and digits; it is part of the names of its campaigns. A
registry that is there already is changed. Where it needs a password, give the
header as a reference to a secret; a password written out is refused:
--header 'Authorization: Bearer ${secret:env:VENDEMMIA_SECRET_REGISTRY}'

--format harvestables follows the XML service of a harvester for libraries; its
address ends in /harvester/records, and its jobs of type oaiPmh are run.`,
		Example: "  starter registry add library --url https://registry.example.org/v1 --every 30s",
		Args:    cobra.ExactArgs(1), RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.url, "url", "", "address of the service; /jobs or /harvestables/ are added to it")
	f.StringVar(&c.format, "format", registry.FormatJSON, "what it speaks: "+strings.Join(registry.Formats(), ", "))
	f.Var((*program.SpanValue)(&c.every), "every", "how often it is asked")
	f.StringVar(&c.header, "header", "", "a header for each request, its secret as a reference")
	f.IntVar(&c.maxRunning, "max-running", 0, "at most so many of its runs at once; 0: no bound")
	program.Complete(cmd, "format", registry.Formats()...)
	return cmd
}

func (c *add) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	r := rows.Registry{
		Name: args[0], URL: strings.TrimRight(c.url, "/"), Format: c.format, Every: c.every, Header: c.header, MaxRunning: c.maxRunning,
		AddedAt: c.Env.Now(), AddedBy: c.Who(),
	}
	if err := c.check(r); err != nil {
		return err
	}
	s, err := c.StoreOr(ctx, true)
	if err != nil {
		return err
	}
	known, before := s.Registry(ctx, r.Name)
	r.Paused = known.Paused
	if err := c.Aim(ctx, true, "follow registry "+r.Name); err != nil {
		return err
	}
	if err := s.PutRegistry(ctx, r); err != nil {
		return err
	}
	if err := c.schedule(ctx, r); err != nil {
		return fmt.Errorf("registry add %s: %w; the store has it already, do it again to go on", r.Name, err)
	}
	if err := c.Remember(ctx); err != nil {
		return err
	}
	verb := map[bool]string{true: "change", false: "add"}[before == nil]
	if err := s.Record(ctx, rows.Event{At: c.Env.Now(), By: c.Who(), Verb: verb, On: "registry " + r.Name, Note: r.URL}); err != nil {
		return err
	}
	c.Out.Value(map[string]any{"registry": r.Name, "url": r.URL, "format": r.Format, "every": times.FormatDuration(r.Every), "max_running": r.MaxRunning, "done": verb})
	c.Out.Printf("%s  asked every %s · %s\nnext     starter registry sync %s --dry-run\n", r.Name, times.FormatDuration(r.Every), r.URL, r.Name)
	return nil
}

func (c *add) check(r rows.Registry) error {
	if err := registry.CheckName(r.Name); err != nil {
		return program.Usage("registry add: %w", err)
	}
	if r.URL == "" {
		return program.Usage("registry add: --url is missing, for example --url https://registry.example.org/v1")
	}
	if err := registry.CheckURL(r.URL); err != nil {
		return program.Usage("registry add: %w", err)
	}
	switch {
	case !slices.Contains(registry.Formats(), r.Format):
		return program.Usage("registry add: --format %s: there are %s", r.Format, strings.Join(registry.Formats(), ", "))
	case r.Every < leastEvery:
		return program.Usage("registry add: --every %s: at least %s", r.Every, times.FormatDuration(leastEvery))
	case r.MaxRunning < 0:
		return program.Usage("registry add: --max-running %d: at least 1, or 0 for no bound", r.MaxRunning)
	case r.Header != "" && !strings.Contains(r.Header, ":"):
		return program.Usage("registry add: --header is written NAME: VALUE")
	case r.Header != "" && !references.Has(r.Header):
		return program.Usage("registry add: --header holds a value written out; refer to a secret: ${secret:env:NAME} or ${secret:file:PATH}")
	}
	return nil
}

// schedule makes the registry's schedule as it should be.
func (c *add) schedule(ctx context.Context, r rows.Registry) error {
	e, err := c.Engine(ctx)
	if err != nil {
		return err
	}
	i, err := e.Instance(ctx, c.OpenedStore.ID())
	if err != nil {
		return err
	}
	o := workflows.RegistrySchedule(i, r.Name, r.Every, r.Paused != nil && r.Paused.Until.IsZero(), fmt.Sprintf("asks registry %s every %s · %s · by %s", r.Name, times.FormatDuration(r.Every), r.URL, c.Who()))
	if _, err = e.Schedules().Create(ctx, o); !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	return e.Schedules().GetHandle(ctx, o.ID).Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
		spec := o.Spec
		return &client.ScheduleUpdate{Schedule: &client.Schedule{
			Action: o.Action, Spec: &spec, State: &client.ScheduleState{Note: o.Note, Paused: o.Paused},
			Policy: &client.SchedulePolicies{Overlap: o.Overlap, CatchupWindow: o.CatchupWindow},
		}}, nil
	}})
}
