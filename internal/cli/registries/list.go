package registries

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/times"
)

type list struct{ *program.Program }

// view is a registry as list and show tell it.
type view struct {
	rows.Registry
	State    string `json:"state"`
	Jobs     int    `json:"jobs"`
	Problems int    `json:"problems"`
	Running  int    `json:"running"`
	Waiting  int    `json:"waiting"`
}

func newList(p *program.Program) *cobra.Command {
	c := &list{p}
	return &cobra.Command{
		Use: "list", Short: "List registries, and whether they answer",
		Long:    "List the registries that are followed, how many jobs they have here, and what\nholds them up.",
		Example: "  starter registry list",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

func (c *list) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	all, err := s.Registries(ctx)
	if err != nil {
		return err
	}
	out := c.Out.List()
	table := print.NewTable(print.Key("REGISTRY"), print.Left("FORMAT"), print.Left("EVERY"), print.Right("JOBS"), print.Right("RUNNING"), print.Right("BAD"), print.Left("ASKED"), print.Flex("STATE"))
	for _, r := range all {
		v, err := c.view(ctx, s, r)
		if err != nil {
			return err
		}
		out.Add(v)
		table.Row(r.Name, r.Format, times.FormatDuration(r.Every), print.Number(v.Jobs), running(v), print.Number(v.Problems), c.asked(r), stateText(v, c.Clock))
	}
	out.End()
	c.Out.Table(table)
	if len(all) == 0 {
		c.Out.Printf("No registry is followed. To follow one: starter registry add NAME --url URL\n")
	}
	return nil
}

func running(v view) string {
	if v.MaxRunning > 0 {
		return print.Number(v.Running) + " of " + print.Number(v.MaxRunning)
	}
	return print.Number(v.Running)
}

func (c *list) asked(r rows.Registry) string {
	if r.AskedAt.IsZero() {
		return "never"
	}
	return c.Clock.Near(r.AskedAt)
}

func (c *list) view(ctx context.Context, s program.Store, r rows.Registry) (view, error) {
	v := view{Registry: r}
	jobs, err := s.RegistryJobs(ctx, r.Name)
	if err != nil {
		return v, err
	}
	for _, j := range jobs {
		if j.State != rows.JobRemoved {
			v.Jobs++
		}
		if j.State == rows.JobActive && j.Problem != "" {
			v.Problems++
		}
	}
	open, _, err := s.RegistryRuns(ctx, r.Name)
	for _, run := range open {
		if run.State == rows.RunWaiting {
			v.Waiting++
		} else {
			v.Running++
		}
	}
	v.State = state(v, c.Clock)
	return v, err
}

// state is one word for how a registry is.
func state(v view, clock print.Clock) string {
	switch {
	case v.Paused.Holds(clock.Now()):
		return "paused"
	case v.Error != "":
		return "away"
	case v.Warning != "":
		return "held"
	case v.AskedAt.IsZero():
		return "new"
	default:
		return "ok"
	}
}

func stateText(v view, clock print.Clock) string {
	switch v.State {
	case "paused":
		return "paused" + hold.PauseText(v.Paused, clock)
	case "away", "held":
		return v.State + ": " + cmp.Or(v.Error, v.Warning)
	default:
		return v.State
	}
}
