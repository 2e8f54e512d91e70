package cli

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

type hostsList struct {
	*program
	unhealthy bool
	limit     int
}

func newHostsList(p *program) *cobra.Command {
	c := &hostsList{program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List hosts with their rules and what holds them up",
		Long:    "List the hosts that files name and that items live on. \"*\" holds for what the\nothers leave open.",
		Example: "  starter hosts list --unhealthy",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	cmd.Flags().BoolVar(&c.unhealthy, "unhealthy", false, "only those that rest, are slowed or paused, or have items that need a look")
	cmd.Flags().IntVar(&c.limit, "limit", 200, "at most so many; 0: all")
	return cmd
}

func (c *hostsList) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	all, err := c.hosts(cmd.Context(), s)
	if err != nil {
		return err
	}
	if c.unhealthy {
		all = slices.DeleteFunc(all, func(v hostView) bool { return v.State == "open" && v.Bad == 0 })
	}
	if c.limit > 0 {
		all = all[:min(len(all), c.limit)]
	}
	list := c.out.List()
	table := print.NewTable(print.Key("HOST"), print.Right("GAP"), print.Right("CONN"), print.Left("ROBOTS"), print.Flex("STATE"), print.Right("ITEMS"), print.Right("BAD"))
	for _, v := range all {
		list.Add(v)
		every, _, _ := v.Pace(rows.Host{})
		table.Row(v.Name, gap(every), connections(v.Host), print.Dash(v.Robots), c.stateText(v), print.Number(v.Items), print.Number(v.Bad))
	}
	list.End()
	c.out.Table(table)
	if len(all) == 0 {
		c.out.Printf("%s\n", map[bool]string{true: "(all are well)", false: "(none known yet)"}[c.unhealthy])
	}
	return nil
}

func connections(h rows.Host) string {
	if h.Connections == 0 {
		return "-"
	}
	return print.Number(h.Connections)
}

func gap(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return d.String()
}

// stateText says what holds a host up, and until when.
func (p *program) stateText(v hostView) string {
	switch v.State {
	case "paused":
		return "paused" + pauseText(v.Paused, p.clock)
	case "resting":
		return "rests until " + p.clock.NearZone(v.RestUntil)
	case "slowed":
		return "slowed to " + v.Slow.String()
	default:
		return v.State
	}
}
