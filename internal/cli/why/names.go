package why

import (
	"context"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// nothingNamed is the error for a name that no campaign, run, item or host has.
func nothingNamed(ctx context.Context, p *program.Program, s program.Store, ref string) error {
	if err := p.Elsewhere(ctx, s); err != nil {
		return err
	}
	list, err := s.Campaigns(ctx, "", false)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	items, err := s.Items(ctx, rows.ItemsFilter{Limit: 10_000})
	if err != nil {
		return err
	}
	for _, it := range items {
		names = append(names, it.Key, it.Host)
	}
	text := ref + ": no campaign, run, item or host of " + p.StoreName(s)
	if near := wording.Nearest(ref, names); near != "" {
		return program.Usage("%s, did you mean %s?", text, near)
	}
	return program.Usage("%s; is it applied? starter campaigns apply, starter campaigns list", text)
}
