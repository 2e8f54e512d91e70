package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

type version struct{ *program.Program }

func newVersion(p *program.Program) *cobra.Command {
	c := &version{p}
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Long:    "Print the version of this program and what it was built with.",
		Example: "  starter version -o json",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

func versionLine(p *program.Program) string {
	return fmt.Sprintf("starter %s (%s, %s/%s)\n", p.Env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (c *version) run(*cobra.Command, []string) error {
	c.Out.Value(map[string]string{"version": c.Env.Version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
	c.Out.Printf("%s", versionLine(c.Program))
	return nil
}
