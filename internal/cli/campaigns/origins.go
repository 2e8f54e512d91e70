package campaigns

import (
	"context"
	"fmt"
	"os"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// origins prints where every value of a campaign comes from.
func (c *campaignsShow) origins(ctx context.Context, name string) error {
	files := c.files
	if len(files) == 0 {
		files = c.appliedFile(ctx, name)
	}
	l, err := campaignfiles.Load(c.Program, files)
	if err != nil {
		return err
	}
	if len(l.Problems) > 0 {
		return campaignfiles.Refuse(c.Program, l)
	}
	var names []string
	for _, s := range l.Campaigns {
		names = append(names, s.Campaign.Name)
		if s.Campaign.Name == name {
			return c.originTable(s)
		}
	}
	return program.Usage("campaign %s is in none of the files; there are %s", name, print.Some(names))
}

// appliedFile is the file that a campaign was applied from, where there is no
// folder campaigns.
func (c *campaignsShow) appliedFile(ctx context.Context, name string) []string {
	if _, err := os.Stat(c.Path("campaigns")); err == nil {
		return nil
	}
	s, err := c.Store(ctx)
	if err != nil {
		return nil
	}
	row, err := s.Campaign(ctx, name)
	if _, statErr := os.Stat(row.Definition.File); err != nil || statErr != nil {
		return nil
	}
	return []string{row.Definition.File}
}

func (c *campaignsShow) originTable(s campaigns.Source) error {
	c.Out.Value(map[string]any{"campaign": s.Campaign.Name, "values": s.Origins})
	table := print.NewTable(print.Flex("VALUE OF"), print.Flex("IS"), print.Flex("SAID IN"))
	for _, o := range s.Origins {
		at := "built in"
		if o.File != "" {
			at = fmt.Sprintf("%s:%d", o.File, o.Line)
		}
		table.Row(o.Path, o.Value, at)
	}
	c.Out.Table(table)
	return nil
}
