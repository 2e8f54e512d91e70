package documents

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

type documentsCount struct {
	*program.Program
	documentFlags
	by string
}

func newDocumentsCount(p *program.Program) *cobra.Command {
	c := &documentsCount{Program: p}
	cmd := &cobra.Command{
		Use: "count", Short: "Count documents",
		Long:    "Count documents; those the source has deleted are counted with --deleted only.",
		Example: "  starter documents count --by campaign",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	c.add(p, cmd)
	c.addKind(cmd)
	cmd.Flags().StringVar(&c.by, "by", "", "one count for each: collection, campaign, kind or item")
	program.Complete(cmd, "by", "collection", "campaign", "kind", "item")
	return cmd
}

func (c *documentsCount) run(cmd *cobra.Command, _ []string) error {
	if !slices.Contains([]string{"", "collection", "campaign", "kind", "item"}, c.by) {
		return program.Usage("--by %s: one of collection, campaign, kind, item", c.by)
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
	counts, err := s.CountDocuments(cmd.Context(), filter, c.by)
	if err != nil {
		return err
	}
	if len(counts) == 0 || c.by == "" && counts[""] == 0 {
		if err := checkKind(cmd.Context(), c.Program, s, filter); err != nil {
			return err
		}
	}
	if c.by == "" {
		counts = map[string]int64{"": counts[""]}
	}
	c.Out.Value(counts)
	if c.by == "" {
		c.Out.Printf("%s\n", print.Number(counts[""]))
	} else {
		c.table(counts)
	}
	if len(counts) == 0 || c.by == "" && counts[""] == 0 {
		return c.Elsewhere(cmd.Context(), s)
	}
	return nil
}

func (c *documentsCount) table(counts map[string]int64) {
	table := print.NewTable(print.Flex(strings.ToUpper(c.by)), print.Right("DOCUMENTS"))
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, name := range names {
		table.Row(print.Dash(name), print.Number(counts[name]))
	}
	c.Out.Table(table)
}
