package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest/rows"
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
	return infoOf(k), nil
}

func infoOf(k fetchers.Kind) campaigns.FetcherInfo {
	return campaigns.FetcherInfo{Name: k.Name, Description: k.Description, Splitter: k.Splitter(), Exhaustive: k.Exhaustive(), Continuer: k.Continuer()}
}

func (p *program) kinds() []campaigns.FetcherInfo {
	var out []campaigns.FetcherInfo
	for _, k := range p.env.Fetchers.All() {
		out = append(out, infoOf(k))
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
	return c, usage("campaign %s: not applied in %s%s; see `starter campaigns list`", name, p.storeName(s), p.nearCampaign(ctx, s, name))
}
