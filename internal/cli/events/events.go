package events

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

type events struct {
	*program.Program
	on    string
	by    string
	verbs []string
	since string
	limit int
	all   bool
}

// New makes `starter events`.
func New(p *program.Program) *cobra.Command {
	c := &events{Program: p}
	cmd := &cobra.Command{
		Use: "events", Short: "Who did what, the newest first",
		Long: `List what people did: applied, triggered, paused, resumed, cancelled, deleted,
set a checkpoint, accepted failures, each with who, when, on what and the note
that they gave. What the system notes for itself comes with --all. Events are
kept as long as the runs of the campaign that keeps them longest.`,
		Example: "  starter events --on news --since 7d",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.on, "on", "", "only on this campaign, run, host or item; of a campaign its items too")
	f.StringVar(&c.by, "by", "", "only by this person")
	f.StringArrayVar(&c.verbs, "verb", nil, "only this: apply, trigger, pause …; may be repeated")
	f.StringVar(&c.since, "since", "", "only since this time")
	f.IntVar(&c.limit, "limit", 50, "at most so many; 0: all")
	f.BoolVar(&c.all, "all", false, "also what the system noted for itself")
	p.CompleteFlag(cmd, "on", p.CompleteCampaigns)
	return cmd
}

func (c *events) run(cmd *cobra.Command, _ []string) error {
	since, err := c.Moment("since", c.since)
	if err != nil {
		return err
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	every, err := s.Events(cmd.Context(), "", since, 0)
	if err != nil {
		return err
	}
	list := slices.DeleteFunc(every, func(e rows.Event) bool { return !c.wanted(e) })
	if c.limit > 0 && len(list) > c.limit {
		list = list[:c.limit]
	}
	c.show(list)
	if len(list) == 0 {
		c.Out.Printf("No event matches.\n")
		return c.Elsewhere(cmd.Context(), s)
	}
	return nil
}

func (c *events) wanted(e rows.Event) bool {
	switch {
	case e.By == "" && !c.all, c.by != "" && e.By != c.by:
		return false
	case len(c.verbs) > 0 && !slices.Contains(c.verbs, e.Verb):
		return false
	}
	return c.on == "" || e.On == c.on || strings.HasPrefix(e.On, c.on+" / ")
}

func (c *events) show(list []rows.Event) {
	out := c.Out.List()
	table := print.NewTable(print.Left("AT "+c.Clock.ZoneName()), print.Left("BY"), print.Left("DID"), print.Key("ON"), print.Flex("NOTE"))
	for _, e := range list {
		out.Add(e)
		table.Row(c.Clock.Near(e.At), print.Dash(e.By), e.Verb, e.On, e.Note)
	}
	out.End()
	c.Out.Table(table)
}
