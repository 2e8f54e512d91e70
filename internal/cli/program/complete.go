package program

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// Completion never says what went wrong: it offers less.
const NoFiles = cobra.ShellCompDirectiveNoFileComp

func (p *Program) CompleteFetchers(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, NoFiles
	}
	var out []string
	for _, k := range p.Env.Fetchers.All() {
		out = append(out, k.Name+"\t"+k.Summary)
	}
	return Starting(out, typed), NoFiles
}

func (p *Program) CompleteCampaigns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	s, err := p.Store(cmd.Context())
	if err != nil {
		return nil, NoFiles
	}
	list, err := s.Campaigns(cmd.Context(), "", false)
	if err != nil {
		return nil, NoFiles
	}
	var out []string
	for _, c := range list {
		out = append(out, c.Name)
	}
	return Starting(Without(out, args), typed), NoFiles
}

// CompleteRuns offers the last runs and the campaigns, which stand for their
// last run.
func (p *Program) CompleteRuns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, NoFiles
	}
	out, _ := p.CompleteCampaigns(cmd, nil, typed)
	s, err := p.Store(cmd.Context())
	if err != nil {
		return out, NoFiles
	}
	runs, err := s.Runs(cmd.Context(), rows.RunFilter{Limit: 30})
	if err != nil {
		return out, NoFiles
	}
	for _, r := range runs {
		out = append(out, r.WorkflowID)
	}
	return Starting(out, typed), NoFiles
}

func (p *Program) CompleteFlag(cmd *cobra.Command, flag string, fn cobra.CompletionFunc) {
	Must(cmd.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return fn(c, nil, typed)
	}))
}

func OutcomeNames() []string {
	var out []string
	for _, o := range outcomes.All() {
		out = append(out, string(o))
	}
	return out
}

func Starting(words []string, typed string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, typed) {
			out = append(out, w)
		}
	}
	return out
}

func Without(words, taken []string) []string {
	var out []string
	for _, w := range words {
		found := false
		for _, t := range taken {
			found = found || w == t
		}
		if !found {
			out = append(out, w)
		}
	}
	return out
}
