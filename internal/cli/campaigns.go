package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

func newCampaigns(p *program) *cobra.Command {
	return group("campaigns", "What is collected, from where and when",
		"A campaign is a named set of sources with a schedule and policies. Files say\nwhat there is; `apply` makes it so.",
		"  starter campaigns plan campaigns/",
		newCampaignsValidate(p), newCampaignsPlan(p), newCampaignsApply(p), newCampaignsList(p), newCampaignsShow(p), newCampaignsTry(p),
		newCampaignsPause(p), newCampaignsResume(p), newCampaignsDelete(p), newCampaignsExport(p), newCampaignsSchema(p))
}

// lookup makes the fetchers known to the file format.
func (p *program) lookup(name string) (campaigns.FetcherInfo, error) {
	k, err := p.env.Fetchers.Find(name)
	if err != nil {
		return campaigns.FetcherInfo{}, err
	}
	return campaigns.FetcherInfo{Name: k.Name, Description: k.Description, Splitter: k.Splitter(), Exhaustive: k.Exhaustive()}, nil
}

func (p *program) kinds() []campaigns.FetcherInfo {
	var out []campaigns.FetcherInfo
	for _, k := range p.env.Fetchers.All() {
		out = append(out, campaigns.FetcherInfo{Name: k.Name, Description: k.Description, Splitter: k.Splitter(), Exhaustive: k.Exhaustive()})
	}
	return out
}

// load reads campaign files; none named is the folder campaigns.
func (p *program) load(args []string) (*campaigns.Loaded, error) {
	if len(args) == 0 {
		args = []string{"campaigns"}
	}
	paths := make([]string, len(args))
	for i, a := range args {
		paths[i] = p.path(a)
	}
	l, err := campaigns.Load(paths, p.lookup)
	if err != nil {
		return nil, usage("%w", err)
	}
	p.shorten(l)
	return l, nil
}

// findCampaign explains an absent one.
func (p *program) findCampaign(ctx context.Context, s Store, name string) (rows.Campaign, error) {
	c, err := s.Campaign(ctx, name)
	if !errors.Is(err, rows.ErrNotFound) {
		return c, err
	}
	return c, fmt.Errorf("campaign %s: not applied in %s%s; see `starter campaigns list`", name, p.storeName(s), p.nearCampaign(ctx, s, name))
}

type campaignsList struct {
	*program
	project string
	tags    []string
	removed bool
}

func newCampaignsList(p *program) *cobra.Command {
	c := &campaignsList{program: p}
	cmd := &cobra.Command{
		Use: "list", Short: "List the campaigns that were applied",
		Long:    "List the campaigns that were applied, with their last run and their next.",
		Example: "  starter campaigns list --tag gazzetta",
		Args:    cobra.NoArgs, RunE: c.run,
	}
	f := cmd.Flags()
	f.StringVar(&c.project, "project", "", "only of this project")
	f.StringArrayVar(&c.tags, "tag", nil, "only with this tag; may be repeated")
	f.BoolVar(&c.removed, "removed", false, "also those that were removed")
	return cmd
}

// campaignView is a campaign with its last run and its next.
type campaignView struct {
	rows.Campaign
	Last *rows.Run `json:"last_run,omitempty"`
	Next time.Time `json:"next,omitzero"`

	effective campaigns.Campaign
}

func (c *campaignsList) run(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	s, err := c.Store(ctx)
	if err != nil {
		return err
	}
	all, err := s.Campaigns(ctx, c.project, c.removed)
	if err != nil {
		return err
	}
	list := c.out.List()
	table := print.NewTable(print.Flex("CAMPAIGN"), print.Flex("SCHEDULE"), print.Left("LAST RUN"),
		print.Right("STARTED "+c.clock.ZoneName()), print.Left("NEXT "+c.clock.ZoneName()))
	for _, row := range all {
		v, err := c.view(ctx, s, row)
		if err != nil {
			return err
		}
		if !hasTags(v.effective.Tags, c.tags) {
			continue
		}
		list.Add(v)
		last, at := "-", "-"
		if v.Last != nil {
			last, at = runWord(*v.Last), c.clock.Near(v.Last.StartedAt)
		}
		table.Row(v.Name, scheduleWords(v.effective), last, at, c.nextWord(v))
	}
	list.End()
	c.out.Table(table)
	if table.Len() == 0 {
		c.out.Printf("(none: write one, then starter campaigns apply campaigns/)\n")
		return c.elsewhere(ctx, s)
	}
	return nil
}

func (p *program) view(ctx context.Context, s Store, row rows.Campaign) (campaignView, error) {
	v := campaignView{Campaign: row}
	var err error
	if v.effective, err = campaigns.Decode(row.Definition.Spec); err != nil {
		return v, fmt.Errorf("campaign %s: %w", row.Name, err)
	}
	runs, err := s.Runs(ctx, rows.RunFilter{Campaign: row.Name, Limit: 1})
	if err != nil {
		return v, err
	}
	if len(runs) > 0 {
		v.Last = &runs[0]
	}
	if v.effective.Schedule != nil && row.Paused == nil && row.Removed.IsZero() {
		if next := v.effective.Schedule.Next(p.env.Now(), 1); len(next) > 0 {
			v.Next = next[0]
		}
	}
	return v, nil
}

func (p *program) nextWord(v campaignView) string {
	switch {
	case !v.Removed.IsZero():
		return "removed"
	case v.Paused != nil:
		return "paused"
	default:
		return p.clock.Near(v.Next)
	}
}

func scheduleWords(c campaigns.Campaign) string {
	if c.Schedule == nil {
		return "by hand"
	}
	return c.Schedule.String()
}

func hasTags(have, want []string) bool {
	for _, w := range want {
		if !strings.Contains(" "+strings.Join(have, " ")+" ", " "+w+" ") {
			return false
		}
	}
	return true
}

type campaignsSchema struct{ *program }

func newCampaignsSchema(p *program) *cobra.Command {
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
	b, err := campaigns.Schema(c.kinds())
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.env.Stdout, strings.TrimRight(string(b), "\n"))
	return err
}

type campaignsExport struct{ *program }

func newCampaignsExport(p *program) *cobra.Command {
	c := &campaignsExport{p}
	return &cobra.Command{
		Use: "export NAME", Short: "Print a campaign as YAML, every short form written out",
		Long: "Print an applied campaign, or one version of it (news@7), as a campaign file\nwith " +
			"every default and short form written out.",
		Example: "  starter campaigns export news@7",
		Args:    cobra.ExactArgs(1), RunE: c.run, ValidArgsFunction: p.completeCampaigns,
	}
}

func (c *campaignsExport) run(cmd *cobra.Command, args []string) error {
	s, err := c.Store(cmd.Context())
	if err != nil {
		return err
	}
	camp, err := c.applied(cmd.Context(), s, args[0])
	if err != nil {
		return err
	}
	b, err := campaigns.Export(camp)
	if err != nil {
		return err
	}
	c.out.Value(camp)
	c.out.Printf("%s", b)
	return nil
}

// applied returns a campaign by name or by definition: news, news@7.
func (p *program) applied(ctx context.Context, s Store, ref string) (campaigns.Campaign, error) {
	name, version, err := splitRef(ref)
	if err != nil {
		return campaigns.Campaign{}, err
	}
	row, err := p.findCampaign(ctx, s, name)
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
		return "", 0, usage("%s: a definition is written %s@7", ref, name)
	}
	return name, n, nil
}

// itemsOf returns the campaign's known items.
func itemsOf(ctx context.Context, s itemStore, campaign string) (total, unhealthy int, err error) {
	items, err := s.Items(ctx, rows.ItemsFilter{Campaign: campaign})
	for _, it := range items {
		if it.Outcome.Severity() != harvest.OK && it.Outcome != "" {
			unhealthy++
		}
	}
	return len(items), unhealthy, err
}
