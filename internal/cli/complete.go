package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Completion never says what went wrong: it offers less.
const noFiles = cobra.ShellCompDirectiveNoFileComp

func (p *program) completeFetchers(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	var out []string
	for _, k := range p.env.Fetchers.All() {
		out = append(out, k.Name+"\t"+k.Summary)
	}
	return starting(out, typed), noFiles
}

func (p *program) completeCampaigns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	s, err := p.Store(cmd.Context())
	if err != nil {
		return nil, noFiles
	}
	list, err := s.Campaigns(cmd.Context(), "", false)
	if err != nil {
		return nil, noFiles
	}
	var out []string
	for _, c := range list {
		out = append(out, c.Name)
	}
	return starting(without(out, args), typed), noFiles
}

// completeRuns offers the last runs and the campaigns, which stand for their
// last run.
func (p *program) completeRuns(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, noFiles
	}
	out, _ := p.completeCampaigns(cmd, nil, typed)
	s, err := p.Store(cmd.Context())
	if err != nil {
		return out, noFiles
	}
	runs, err := s.Runs(cmd.Context(), rows.RunFilter{Limit: 30})
	if err != nil {
		return out, noFiles
	}
	for _, r := range runs {
		out = append(out, r.WorkflowID)
	}
	return starting(out, typed), noFiles
}

func (p *program) completeFlag(cmd *cobra.Command, flag string, fn cobra.CompletionFunc) {
	must(cmd.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return fn(c, nil, typed)
	}))
}

func outcomeNames() []string {
	var out []string
	for _, o := range harvest.Outcomes() {
		out = append(out, string(o))
	}
	return out
}

func starting(words []string, typed string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, typed) {
			out = append(out, w)
		}
	}
	return out
}

func without(words, taken []string) []string {
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

func (p *program) completeHosts(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	s, err := p.Store(cmd.Context())
	if err != nil {
		return nil, noFiles
	}
	all, err := p.hosts(cmd.Context(), s)
	if err != nil {
		return nil, noFiles
	}
	var out []string
	for _, v := range all {
		out = append(out, v.Name)
	}
	return starting(without(out, args), typed), noFiles
}
