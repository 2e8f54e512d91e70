package documents

import (
	"context"
	"maps"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// checkCollection refuses a collection that is no campaign's and holds nothing.
func checkCollection(ctx context.Context, p *program.Program, s program.Store, name string) error {
	if name == "" {
		return nil
	}
	list, err := s.Campaigns(ctx, "", true)
	if err != nil || slices.ContainsFunc(list, func(c rows.Campaign) bool { return c.Name == name }) {
		return err
	}
	held, err := s.CountDocuments(ctx, rows.DocumentFilter{}, "collection")
	if err != nil || held[name] > 0 {
		return err
	}
	return scope.Unknown("collection", name, "", slices.Sorted(maps.Keys(held)), "starter documents count --by collection")
}

// checkKind refuses a kind that no document of those selected has, where another
// one is near: which kinds will come only the source knows.
func checkKind(ctx context.Context, p *program.Program, s program.Store, f rows.DocumentFilter) error {
	if f.Kind == "" {
		return nil
	}
	held, err := s.CountDocuments(ctx, rows.DocumentFilter{Collection: f.Collection, Campaign: f.Campaign, Entry: f.Entry, Key: f.Key}, "kind")
	if err != nil || held[f.Kind] > 0 || len(held) == 0 {
		return err
	}
	kinds := slices.Sorted(maps.Keys(held))
	if wording.Nearest(f.Kind, kinds) != "" {
		return scope.Unknown("kind", f.Kind, "", kinds, "starter documents count --by kind")
	}
	p.Say("no document is of kind %s; there are %s", f.Kind, print.Some(kinds))
	return nil
}
