package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/local/dev"
)

type configShow struct{ *program.Program }

func newConfig(p *program.Program) *cobra.Command {
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
	s, err := c.Settings()
	if err != nil {
		return err
	}
	t, err := c.Target()
	if err != nil {
		return err
	}
	c.Out.Value(map[string]any{"settings": s.Values(), "temporal": t})
	table := print.NewTable(print.Left("SETTING"), print.Flex("VALUE"), print.Flex("FROM"))
	for _, v := range s.Values() {
		table.Row(v.Name, print.Dash(c.Relative(v.Value)), c.Relative(v.Origin))
	}
	c.Out.Table(table)
	from := ""
	if c.DevServer(s) != "" {
		from = " (starter dev, " + c.Relative(filepath.Join(filepath.Dir(strings.TrimPrefix(s.Store, "sqlite:")), dev.AddressFile)) + ")"
	}
	c.Out.Printf("\nTemporal would be %s%s\n", t, from)
	return nil
}
