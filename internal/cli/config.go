package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/dev"
)

type configShow struct{ *program }

func newConfig(p *program) *cobra.Command {
	c := &configShow{p}
	return &cobra.Command{
		Use: "config", Short: "Show the settings, and where each comes from",
		Long: `Show every setting of worker and starter as it holds here: a flag outranks the
environment, that the settings file, that the default.`,
		Example: "  starter config --config-file vendemmia.yaml",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

func (c *configShow) run(*cobra.Command, []string) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	t, err := c.target()
	if err != nil {
		return err
	}
	c.out.Value(map[string]any{"settings": s.Values(), "temporal": t})
	table := print.NewTable(print.Left("SETTING"), print.Flex("VALUE"), print.Flex("FROM"))
	for _, v := range s.Values() {
		table.Row(v.Name, print.Dash(c.relative(v.Value)), c.relative(v.Origin))
	}
	c.out.Table(table)
	from := ""
	if c.devServer(s) != "" {
		from = " (starter dev, " + c.relative(filepath.Join(filepath.Dir(strings.TrimPrefix(s.Store, "sqlite:")), dev.AddressFile)) + ")"
	}
	c.out.Printf("\nTemporal would be %s%s\n", t, from)
	return nil
}
