package hosts

import (
	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

// New makes `starter hosts`.
func New(p *program.Program) *cobra.Command {
	return program.Group("hosts", "The servers that are asked, and how they are treated",
		"A host has one truth for all campaigns and workers: its gap, its connections,\nrobots.txt, who paused it, and until when it asked to be left alone.",
		"  starter hosts list --unhealthy",
		newHostsList(p), newHostsShow(p), newHostsPause(p), newHostsResume(p))
}

// completeHosts offers the hosts there are.
func completeHosts(p *program.Program) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		s, err := p.Store(cmd.Context())
		if err != nil {
			return nil, program.NoFiles
		}
		all, err := scope.Hosts(cmd.Context(), p, s)
		if err != nil {
			return nil, program.NoFiles
		}
		var out []string
		for _, v := range all {
			out = append(out, v.Name)
		}
		return program.Starting(program.Without(out, args), typed), program.NoFiles
	}
}
