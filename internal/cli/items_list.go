package cli

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

type itemsList struct {
	*program
	itemFlags
	unhealthy bool
	limit     int
}

func newItemsList(p *program) *cobra.Command {
	c := &itemsList{program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List items with how they fare",
		Long:    "List items with their last outcome, for how many runs in a row it has been as\ngood or as bad, and when they last ended well.",
		Example: "  starter items list --campaign news --unhealthy",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	cmd.Flags().BoolVar(&c.unhealthy, "unhealthy", false, "only those that need a look")
	cmd.Flags().IntVar(&c.limit, "limit", 200, "at most so many; 0: all")
	return cmd
}

func (c *itemsList) run(cmd *cobra.Command, _ []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	if err := c.check(cmd.Context(), c.program, s); err != nil {
		return err
	}
	items, err := s.Items(cmd.Context(), rows.ItemsFilter{Campaign: c.campaign, Entry: c.entry, Unhealthy: c.unhealthy, Limit: c.limit})
	if err != nil {
		return err
	}
	list := c.out.List()
	zone := " " + c.clock.ZoneName()
	table := print.NewTable(print.Flex("CAMPAIGN"), print.Flex("ITEM"), print.Left("OUTCOME"), print.Right("STREAK"),
		print.Right("GOOD"+zone), print.Right("NEW"+zone), print.Right("DOCS"))
	for _, it := range items {
		list.Add(it)
		table.Row(it.Campaign, nameOf(it), itemState(it), print.Number(it.Streak), c.clock.Near(it.LastGood), c.clock.Near(it.LastNew), print.Number(it.Documents))
	}
	list.End()
	c.out.Table(table)
	if len(items) == 0 {
		c.out.Printf("%s\n", map[bool]string{true: "(none is unhealthy)", false: "(none seen yet)"}[c.unhealthy])
		return c.elsewhere(cmd.Context(), s)
	}
	return nil
}

func itemState(it rows.Item) string {
	if it.Paused != nil {
		return "paused"
	}
	return print.Dash(string(it.Outcome))
}
