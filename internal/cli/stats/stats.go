package stats

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
)

// New makes `starter stats`.
func New(p *program.Program) *cobra.Command {
	return program.Group("stats", "How much there is to do, and how it went",
		"Count what waits, what is in work and what was done.",
		"  starter stats queue",
		newQueue(p))
}
