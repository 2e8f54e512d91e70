package scope

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/units"
)

// ItemFlags select items.
type ItemFlags struct {
	Campaign string
	Entry    string
}

func (i *ItemFlags) Add(p *program.Program, cmd *cobra.Command) {
	cmd.Flags().StringVar(&i.Campaign, "campaign", "", "only of this campaign")
	cmd.Flags().StringVar(&i.Entry, "entry", "", "only of this entry of a campaign")
	p.CompleteFlag(cmd, "campaign", p.CompleteCampaigns)
}

func NameOf(it rows.Item) string {
	if it.Label != "" {
		return it.Label
	}
	return it.Key
}

// FindItem resolves a key, a label that one item has, or campaign / entry / key.
func FindItem(ctx context.Context, p *program.Program, s program.Store, f ItemFlags, ref string) (rows.Item, error) {
	if err := f.Check(ctx, p, s); err != nil {
		return rows.Item{}, err
	}
	found, err := ItemsNamed(ctx, s, f, ref)
	switch {
	case err != nil:
		return rows.Item{}, err
	case len(found) == 0:
		return rows.Item{}, noItem(ctx, p, s, f, ref)
	case len(found) > 1:
		return rows.Item{}, SeveralItems(ref, found)
	}
	return found[0], nil
}

func SeveralItems(ref string, found []rows.Item) error {
	var names []string
	for _, it := range found {
		names = append(names, fmt.Sprintf("%q", it.Item.String()))
	}
	return program.Usage("item %s: there are several; say which with --campaign and --entry, or its whole name: %s", ref, print.Some(names))
}

// ItemsNamed returns the items a name fits: a key, else campaign/entry/key, else a
// label. A key may hold slashes itself, so it comes first.
func ItemsNamed(ctx context.Context, s program.Store, f ItemFlags, ref string) ([]rows.Item, error) {
	found, err := s.Items(ctx, rows.ItemsFilter{Campaign: f.Campaign, Entry: f.Entry, Key: ref})
	if err != nil || len(found) > 0 {
		return found, err
	}
	if path, ok := ItemPath(ref); ok {
		found, err = s.Items(ctx, rows.ItemsFilter{Campaign: path.Campaign, Entry: path.Entry, Key: path.Key})
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return s.Items(ctx, rows.ItemsFilter{Campaign: f.Campaign, Entry: f.Entry, Label: ref})
}

// ItemPath reads "news / feed / ansa", also without the blanks; an address is
// no path.
func ItemPath(ref string) (units.Item, bool) {
	for _, by := range []string{" / ", "/"} {
		parts := strings.SplitN(ref, by, 3)
		if len(parts) == 3 && !strings.Contains(parts[0], ":") && parts[1] != "" {
			return units.Item{Campaign: parts[0], Entry: parts[1], Key: parts[2]}, true
		}
	}
	return units.Item{}, false
}
