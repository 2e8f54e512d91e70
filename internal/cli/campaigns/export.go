package campaigns

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/campaignfiles"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

type campaignsSchema struct{ *program.Program }

func newCampaignsSchema(p *program.Program) *cobra.Command {
	c := &campaignsSchema{p}
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of campaign files",
		Long: "Print the JSON Schema of campaign files, params of all fetchers included, for\n" +
			"editors. `starter init` puts it beside the first file.",
		Example: "  starter campaigns schema > campaigns/campaigns.schema.json",
		Args:    cobra.NoArgs, RunE: c.run,
	}
}

func (c *campaignsSchema) run(*cobra.Command, []string) error {
	b, err := campaigns.Schema(campaignfiles.Kinds(c.Program))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Env.Stdout, strings.TrimRight(string(b), "\n"))
	return err
}

type campaignsExport struct{ *program.Program }

func newCampaignsExport(p *program.Program) *cobra.Command {
	c := &campaignsExport{p}
	return &cobra.Command{
		Use: "export NAME", Short: "Print a campaign as YAML, every short form written out",
		Long: "Print an applied campaign, or one version of it (news@7), as a campaign file\nwith " +
			"every default and short form written out.",
		Example: "  starter campaigns export news@7",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.CompleteCampaigns,
	}
}

func (c *campaignsExport) run(cmd *cobra.Command, args []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	camp, err := applied(cmd.Context(), c.Program, s, args[0])
	if err != nil {
		return err
	}
	b, err := campaigns.Export(camp)
	if err != nil {
		return err
	}
	c.Out.Value(camp)
	c.Out.Printf("%s", b)
	return nil
}

// applied returns a campaign by name or by definition: news, news@7.
func applied(ctx context.Context, p *program.Program, s program.Store, ref string) (campaigns.Campaign, error) {
	name, version, err := splitRef(ref)
	if err != nil {
		return campaigns.Campaign{}, err
	}
	row, err := scope.FindCampaign(ctx, p, s, name)
	if err != nil {
		return campaigns.Campaign{}, err
	}
	def := row.Definition
	if version > 0 {
		if def, err = s.Definition(ctx, name, version); err != nil {
			return campaigns.Campaign{}, fmt.Errorf("definition %s: %w; the current one is %s", ref, err, rows.Ref(name, row.Definition.Version))
		}
	}
	return campaigns.Decode(def.Spec)
}

func splitRef(ref string) (string, int, error) {
	name, tail, ok := strings.Cut(ref, "@")
	if !ok {
		return ref, 0, nil
	}
	var n int
	if _, err := fmt.Sscanf(tail, "%d", &n); err != nil || n < 1 || fmt.Sprint(n) != tail {
		return "", 0, program.Usage("%s: a definition is written %s@7", ref, name)
	}
	return name, n, nil
}
