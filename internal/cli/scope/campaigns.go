package scope

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// FindCampaign explains an absent one.
func FindCampaign(ctx context.Context, p *program.Program, s program.Store, name string) (rows.Campaign, error) {
	c, err := s.Campaign(ctx, name)
	if !errors.Is(err, rows.ErrNotFound) {
		return c, err
	}
	return c, program.Usage("campaign %s: not applied in %s%s; see `starter campaigns list`", name, p.StoreName(s), nearCampaign(ctx, p, s, name))
}

func nearCampaign(ctx context.Context, p *program.Program, s program.Store, word string) string {
	list, err := s.Campaigns(ctx, "", false)
	if err != nil {
		return ""
	}
	var names []string
	for _, c := range list {
		names = append(names, c.Name)
	}
	if near := wording.Nearest(strings.FieldsFunc(word+" ", func(r rune) bool { return strings.ContainsRune("~@ ", r) })[0], names); near != "" && !slices.Contains(names, word) {
		return ", did you mean " + near + "?"
	}
	return ""
}
