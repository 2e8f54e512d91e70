package registries

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/source"
	"github.com/vendemmia/vendemmia/internal/registry"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

type syncing struct {
	*program.Program
	dry, accept bool
	network     source.NetworkFlags
}

func newSync(p *program.Program) *cobra.Command {
	c := &syncing{Program: p}
	cmd := &cobra.Command{
		Use: "sync NAME", Short: "Ask a registry now, and do what follows",
		Long: `Ask a registry what there is to do, reconcile that with the campaigns here and
report back, without waiting for the schedule. With --dry-run this program asks
the registry itself, prints the difference, and changes nothing.

A job that is missing is removed once two listings in a row lack it. A listing
that lacks more than a fifth of them changes nothing until --accept-removals.`,
		Example: "  starter registry sync library --dry-run",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: complete(p),
	}
	cmd.Flags().BoolVar(&c.dry, "dry-run", false, "print what would be done, and do nothing")
	cmd.Flags().BoolVar(&c.accept, "accept-removals", false, "what the listing lacks may go, however much it is")
	c.network.Add(cmd.Flags())
	return cmd
}

func (c *syncing) run(cmd *cobra.Command, args []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	r, err := find(ctx, s, args[0])
	if err != nil {
		return err
	}
	if c.dry {
		return c.difference(ctx, s, r)
	}
	if r.Paused.Holds(c.Env.Now()) {
		return program.Usage("registry sync: %s is paused; first: starter registry resume %s", r.Name, r.Name)
	}
	if c.accept {
		c.Sure = true
	}
	if err := c.Aim(ctx, true, "sync registry "+r.Name); err != nil {
		return err
	}
	e, err := c.Engine(ctx)
	if err != nil {
		return err
	}
	done, failed, err := e.SyncRegistry(ctx, steps.RegistryIn{Registry: r.Name, Accept: c.accept, Store: s.ID()})
	if err != nil {
		return err
	}
	c.Out.Value(done)
	c.Out.Printf("%s", screen(done))
	if failed != "" {
		return fmt.Errorf("registry sync %s: %s", r.Name, failed)
	}
	return nil
}

func screen(d steps.RegistryDone) string {
	var b strings.Builder
	listed := print.Count(d.Listed.Jobs, "job")
	if d.Listed.Unchanged {
		listed = "nothing has changed, " + listed
	}
	if d.Listed.Error != "" {
		listed = "no listing"
	}
	fmt.Fprintf(&b, "listed    %s, %s\n", listed, print.Count(d.Listed.Requests, "request"))
	fmt.Fprintf(&b, "applied   %s\n", counts(d))
	fmt.Fprintf(&b, "reported  %s\n", print.Count(d.Reported.Reported, "job"))
	return b.String()
}

func counts(d steps.RegistryDone) string {
	a := d.Applied
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{
		{a.Created, "created"},
		{a.Changed, "changed"},
		{a.Held, "held"},
		{a.Started, "started"},
		{a.Stopped, "told to end"},
		{a.Closing, "closing"},
		{a.Removed, "removed"},
		{a.Problems, "cannot be followed"},
		{d.Listed.Missing, "missing"},
	} {
		if p.n > 0 {
			parts = append(parts, print.Number(p.n)+" "+p.what)
		}
	}
	if len(parts) == 0 {
		return "nothing to do"
	}
	return strings.Join(parts, ", ")
}

// difference is what `sync --dry-run` tells.
type difference struct {
	Registry string            `json:"registry"`
	Jobs     int               `json:"jobs"`
	Requests int               `json:"requests"`
	Warning  string            `json:"warning,omitempty"`
	Actions  []registry.Action `json:"actions"`
}

func (c *syncing) difference(ctx context.Context, s program.Store, r rows.Registry) error {
	jobs, err := s.RegistryJobs(ctx, r.Name)
	if err != nil {
		return err
	}
	listing, err := c.listing(ctx, r, jobs)
	if err != nil {
		return err
	}
	d, err := c.compare(r, jobs, listing)
	if err != nil {
		return err
	}
	c.Out.Value(d)
	table := print.NewTable(print.Word("ACTION"), print.Key("JOB"), print.Flex("CAMPAIGN"), print.Flex("WHY"))
	for _, a := range d.Actions {
		table.Row(string(a.Kind), a.Job, a.Campaign, print.Dash(a.Why))
	}
	c.Out.Table(table)
	switch {
	case d.Warning != "":
		c.Out.Printf("Nothing would be done: %s\n", d.Warning)
	case len(d.Actions) == 0:
		c.Out.Printf("Nothing to do: %s, all as listed.\n", print.Count(d.Jobs, "job"))
	default:
		c.Out.Printf("Nothing was changed. To do it: starter registry sync %s\n", r.Name)
	}
	return nil
}

// listing asks the registry from this process, for everything.
func (c *syncing) listing(ctx context.Context, r rows.Registry, jobs []rows.RegistryJob) (registry.Listing, error) {
	header, err := json.Marshal(r.Header)
	if err != nil {
		return registry.Listing{}, err
	}
	resolved, found, err := source.ResolveSecrets(c.Program, header)
	if err != nil {
		return registry.Listing{}, err
	}
	var text string
	if err := json.Unmarshal(resolved, &text); err != nil {
		return registry.Listing{}, err
	}
	polite, err := source.Polite(c.Program, &c.network)
	if err != nil {
		return registry.Listing{}, err
	}
	service, err := registry.Open(r, text, polite.HTTP(visit.Visitor{Timeout: c.network.Timeout}))
	if err != nil {
		return registry.Listing{}, program.Usage("%w", err)
	}
	known := registry.KnownOf(r, jobs)
	known.ETag, known.Modified = "", ""
	listing, err := service.List(ctx, known)
	if err != nil {
		return listing, found.Mask().Error(err)
	}
	return listing, nil
}

// compare is what a sync would do, as far as it is known without trying.
func (c *syncing) compare(r rows.Registry, jobs []rows.RegistryJob, listing registry.Listing) (difference, error) {
	d := difference{Registry: r.Name, Jobs: listing.Count(jobs), Requests: listing.Requests, Actions: []registry.Action{}}
	merged, err := registry.Merge(r, jobs, listing, c.accept)
	if err != nil || merged.Warning != "" {
		d.Warning = merged.Warning
		return d, err
	}
	making, err := campaigns.NewMaking(registry.Project(r.Name), campaignfiles.Lookup(c.Program), campaigns.Defaults{})
	if err != nil {
		return d, err
	}
	for _, row := range merged.Over(jobs) {
		actions, err := registry.Actions(row)
		if err != nil {
			return d, err
		}
		for _, a := range actions {
			if a, err = try(making, r.Name, row, a); err != nil {
				return d, err
			}
			d.Actions = append(d.Actions, a)
		}
	}
	return d, nil
}

// try finds what is wrong with a job before anybody makes its campaign.
func try(making *campaigns.Making, name string, row rows.RegistryJob, a registry.Action) (registry.Action, error) {
	if !a.Defines() {
		return a, nil
	}
	job, err := registry.DecodeJob(row.Spec)
	if err != nil {
		return a, err
	}
	_, problem, err := registry.Source(making, name, row.Campaign, job)
	if problem != "" {
		a.Kind, a.Why = registry.Leave, problem
	}
	return a, err
}
