package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

type version struct{ *program }

func newVersion(p *program) *cobra.Command {
	c := &version{p}
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Long:    "Print the version of this program and what it was built with.",
		Example: "  starter version -o json",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

func (p *program) versionLine() string {
	return fmt.Sprintf("starter %s (%s, %s/%s)\n", p.env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func (c *version) run(*cobra.Command, []string) error {
	c.out.Value(map[string]string{"version": c.env.Version, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
	c.out.Printf("%s", c.versionLine())
	return nil
}
