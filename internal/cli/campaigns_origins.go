package cli

import (
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// origins tells where every value of a campaign comes from.
func (c *campaignsShow) origins(name string) error {
	l, err := c.load(c.files)
	if err != nil {
		return err
	}
	if len(l.Problems) > 0 {
		return c.refuse(l)
	}
	var names []string
	for _, s := range l.Campaigns {
		names = append(names, s.Campaign.Name)
		if s.Campaign.Name == name {
			return c.originTable(s)
		}
	}
	return usage("campaign %s is in none of the files; there are %s", name, some(names))
}

func (c *campaignsShow) originTable(s campaigns.Source) error {
	c.out.Value(map[string]any{"campaign": s.Campaign.Name, "values": s.Origins})
	table := print.NewTable(print.Flex("VALUE OF"), print.Flex("IS"), print.Flex("SAID IN"))
	for _, o := range s.Origins {
		at := "built in"
		if o.File != "" {
			at = fmt.Sprintf("%s:%d", o.File, o.Line)
		}
		table.Row(o.Path, o.Value, at)
	}
	c.out.Table(table)
	return nil
}
