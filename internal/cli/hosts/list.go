package hosts

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

type hostsList struct {
	*program.Program
	unhealthy bool
	limit     int
}

func newHostsList(p *program.Program) *cobra.Command {
	c := &hostsList{Program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List hosts with their rules and what holds them up",
		Long:    "List the hosts that files name and that items live on. \"*\" holds for what the\nothers leave open.",
		Example: "  starter hosts list --unhealthy",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	cmd.Flags().BoolVar(&c.unhealthy, "unhealthy", false, "only those that rest, are slowed or paused, or have items that need attention")
	cmd.Flags().IntVar(&c.limit, "limit", 200, "at most so many; 0: all")
	return cmd
}

func (c *hostsList) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	all, err := scope.Hosts(cmd.Context(), c.Program, s)
	if err != nil {
		return err
	}
	if c.unhealthy {
		all = slices.DeleteFunc(all, func(v scope.HostView) bool { return v.State == "open" && v.Bad == 0 })
	}
	if c.limit > 0 {
		all = all[:min(len(all), c.limit)]
	}
	list := c.Out.List()
	table := print.NewTable(print.Key("HOST"), print.Right("GAP"), print.Right("CONN"), print.Left("ROBOTS"), print.Flex("STATE"), print.Right("ITEMS"), print.Right("BAD"))
	for _, v := range all {
		list.Add(v)
		every, _, _ := v.Pace(rows.Host{})
		table.Row(v.Name, gap(every), connections(v.Host), print.Dash(v.Robots), stateText(c.Program, v), print.Number(v.Items), print.Number(v.Bad))
	}
	list.End()
	c.Out.Table(table)
	if len(all) == 0 {
		c.Out.Printf("%s\n", map[bool]string{true: "No unhealthy hosts.", false: "No hosts known yet."}[c.unhealthy])
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
func stateText(p *program.Program, v scope.HostView) string {
	switch v.State {
	case "paused":
		return "paused" + hold.PauseText(v.Paused, p.Clock)
	case "resting":
		return "rests until " + p.Clock.NearZone(v.RestUntil)
	case "slowed":
		return "slowed to " + v.Slow.String()
	default:
		return v.State
	}
}
