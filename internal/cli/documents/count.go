package documents

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

type documentsCount struct {
	*program.Program
	documentFlags
	by []string
}

func newDocumentsCount(p *program.Program) *cobra.Command {
	c := &documentsCount{Program: p}
	cmd := &cobra.Command{
		Use: "count", Short: "Count documents",
		Long: `Count documents; those the source has deleted are counted with --deleted only.
A day, a week or a month is that of the last change, in UTC; with several --by
there is a count for each combination: documents per item and week.`,
		Example: "  starter documents count --by campaign --by week --tag library --since 30d",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	c.addKind(cmd)
	cmd.Flags().StringSliceVar(&c.by, "by", nil, "one count for each: "+strings.Join(groupings(), ", ")+"; may be repeated")
	program.Complete(cmd, "by", groupings()...)
	return cmd
}

func groupings() []string {
	return []string{"collection", "campaign", "kind", "item", "day", "week", "month"}
}

func (c *documentsCount) run(cmd *cobra.Command, _ []string) error {
	for _, by := range c.by {
		if !slices.Contains(groupings(), by) {
			return program.Usage("--by %s: one of %s", by, strings.Join(groupings(), ", "))
		}
	}
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	filter, err := c.filter(cmd.Context(), c.Program, s)
	if err != nil {
		return err
	}
	if filter.Deleted == nil {
		alive := false
		filter.Deleted = &alive
	}
	groups, err := s.CountGroups(cmd.Context(), filter, orAll(c.by)...)
	if err != nil {
		return err
	}
	if empty(groups) {
		if err := checkKind(cmd.Context(), c.Program, s, filter); err != nil {
			return err
		}
	}
	c.show(groups)
	if empty(groups) {
		return c.Elsewhere(cmd.Context(), s)
	}
	return nil
}

// orAll counts all together where nothing says by what.
func orAll(by []string) []string {
	if len(by) == 0 {
		return []string{""}
	}
	return by
}

func empty(groups []rows.Group) bool {
	return !slices.ContainsFunc(groups, func(g rows.Group) bool { return g.Documents > 0 })
}

// show writes one number, a count for each name, or one for each combination.
func (c *documentsCount) show(groups []rows.Group) {
	if len(c.by) < 2 {
		c.Out.Value(byName(groups, len(c.by) == 0))
	} else {
		c.list(groups)
	}
	if len(c.by) == 0 {
		c.Out.Printf("%s\n", print.Number(byName(groups, true)[""]))
		return
	}
	c.table(groups)
}

func byName(groups []rows.Group, all bool) map[string]int64 {
	counts := map[string]int64{}
	if all {
		counts[""] = 0
	}
	for _, g := range groups {
		counts[g.Names[0]] = g.Documents
	}
	return counts
}

func (c *documentsCount) list(groups []rows.Group) {
	list := c.Out.List()
	for _, g := range groups {
		line := map[string]any{"documents": g.Documents}
		for i, by := range c.by {
			line[by] = g.Names[i]
		}
		list.Add(line)
	}
	list.End()
}

// table sorts one grouping by count, the most first; days and combinations stay in
// their order.
func (c *documentsCount) table(groups []rows.Group) {
	var columns []print.Column
	for _, by := range c.by {
		columns = append(columns, print.Flex(strings.ToUpper(by)))
	}
	table := print.NewTable(append(columns, print.Right("DOCUMENTS"))...)
	if len(c.by) == 1 && !slices.Contains([]string{"day", "week", "month"}, c.by[0]) {
		slices.SortStableFunc(groups, func(a, b rows.Group) int { return cmp.Compare(b.Documents, a.Documents) })
	}
	for _, g := range groups {
		var cells []string
		for _, name := range g.Names {
			cells = append(cells, print.Dash(name))
		}
		table.Row(append(cells, print.Number(g.Documents))...)
	}
	c.Out.Table(table)
}
