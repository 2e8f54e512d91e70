package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func newItems(p *program) *cobra.Command {
	return group("items", "The sources one by one, across runs",
		"An item is one fetcher with one set of params: what fails, is retried and goes\non by itself. Its name is campaign / entry / key; the key alone does where it is\nthe only one.",
		"  starter items list --unhealthy",
		newItemsList(p), newItemsShow(p), newItemsPause(p), newItemsResume(p), newItemsRetry(p))
}

// itemFlags select items.
type itemFlags struct {
	campaign string
	entry    string
}

func (i *itemFlags) add(p *program, cmd *cobra.Command) {
	cmd.Flags().StringVar(&i.campaign, "campaign", "", "only of this campaign")
	cmd.Flags().StringVar(&i.entry, "entry", "", "only of this entry of a campaign")
	p.completeFlag(cmd, "campaign", p.completeCampaigns)
}

func nameOf(it rows.Item) string {
	if it.Label != "" {
		return it.Label
	}
	return it.Key
}

// findItem resolves a key, a label that one item has, or campaign / entry / key.
func (p *program) findItem(ctx context.Context, s Store, f itemFlags, ref string) (rows.Item, error) {
	if err := f.check(ctx, p, s); err != nil {
		return rows.Item{}, err
	}
	found, err := itemsNamed(ctx, s, f, ref)
	switch {
	case err != nil:
		return rows.Item{}, err
	case len(found) == 0:
		return rows.Item{}, p.noItem(ctx, s, f, ref)
	case len(found) > 1:
		return rows.Item{}, severalItems(ref, found)
	}
	return found[0], nil
}

func severalItems(ref string, found []rows.Item) error {
	var names []string
	for _, it := range found {
		names = append(names, fmt.Sprintf("%q", it.Item.String()))
	}
	return usage("item %s: there are several; say which with --campaign and --entry, or its whole name: %s", ref, some(names))
}

// itemsNamed returns the items a name fits: a key, else campaign/entry/key, else a
// label. A key may hold slashes itself, so it comes first.
func itemsNamed(ctx context.Context, s itemStore, f itemFlags, ref string) ([]rows.Item, error) {
	found, err := s.Items(ctx, rows.ItemsFilter{Campaign: f.campaign, Entry: f.entry, Key: ref})
	if err != nil || len(found) > 0 {
		return found, err
	}
	if path, ok := itemPath(ref); ok {
		found, err = s.Items(ctx, rows.ItemsFilter{Campaign: path.Campaign, Entry: path.Entry, Key: path.Key})
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return s.Items(ctx, rows.ItemsFilter{Campaign: f.campaign, Entry: f.entry, Label: ref})
}

// itemPath reads "news / feed / ansa", also without the blanks; an address is
// no path.
func itemPath(ref string) (harvest.Item, bool) {
	for _, by := range []string{" / ", "/"} {
		parts := strings.SplitN(ref, by, 3)
		if len(parts) == 3 && !strings.Contains(parts[0], ":") && parts[1] != "" {
			return harvest.Item{Campaign: parts[0], Entry: parts[1], Key: parts[2]}, true
		}
	}
	return harvest.Item{}, false
}
