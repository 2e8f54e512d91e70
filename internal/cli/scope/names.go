package scope

import (
	"context"
	"maps"
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// Unknown is a name that nothing has: a mistake at the keyboard, also in commands
// that only read.
func Unknown(what, name, where string, known []string, see string) error {
	text := what + " " + name + ": not known" + where
	if near := wording.Nearest(name, known); near != "" {
		return program.Usage("%s, did you mean %s? See `%s`", text, near, see)
	}
	return program.Usage("%s; see `%s`", text, see)
}

// CheckCampaign refuses a campaign that the store has never seen.
func CheckCampaign(ctx context.Context, p *program.Program, s program.Store, name string) error {
	if name == "" {
		return nil
	}
	list, err := s.Campaigns(ctx, "", true)
	if err != nil {
		return err
	}
	var names []string
	for _, c := range list {
		if c.Name == name {
			return nil
		}
		names = append(names, c.Name)
	}
	if err := p.Elsewhere(ctx, s); err != nil {
		return err
	}
	return Unknown("campaign", name, " in "+p.StoreName(s), names, "starter campaigns list")
}

// Check refuses names that nothing has.
func (i *ItemFlags) Check(ctx context.Context, p *program.Program, s program.Store) error {
	if err := CheckCampaign(ctx, p, s, i.Campaign); err != nil || i.Entry == "" {
		return err
	}
	entries, err := entriesOf(ctx, s, i.Campaign)
	if err != nil || slices.Contains(entries, i.Entry) {
		return err
	}
	return Unknown("entry", i.Entry, "", entries, "starter campaigns show "+print.OrWord(i.Campaign, "CAMPAIGN"))
}

// entriesOf are the entries of a campaign, or of all, those that only items
// still know among them.
func entriesOf(ctx context.Context, s program.Store, campaign string) ([]string, error) {
	seen := map[string]bool{}
	list, err := s.Campaigns(ctx, "", true)
	if err != nil {
		return nil, err
	}
	for _, row := range list {
		c, err := campaigns.Decode(row.Definition.Spec)
		if err != nil || campaign != "" && row.Name != campaign {
			continue
		}
		for _, e := range c.Entries {
			seen[e.Name] = true
		}
	}
	items, err := s.Items(ctx, rows.ItemsFilter{Campaign: campaign})
	for _, it := range items {
		seen[it.Entry] = true
	}
	return slices.Sorted(maps.Keys(seen)), err
}

// Narrow resolves an item that a command is to be narrowed to: a key, a label
// that one item has, or campaign / entry / key.
func Narrow(ctx context.Context, p *program.Program, s program.Store, f ItemFlags, ref string) (ItemFlags, string, error) {
	if err := f.Check(ctx, p, s); err != nil || ref == "" {
		return f, "", err
	}
	found, err := ItemsNamed(ctx, s, f, ref)
	if err != nil {
		return f, "", err
	}
	keys := map[string]bool{}
	for _, it := range found {
		keys[it.Key] = true
	}
	switch len(keys) {
	case 0:
		if applied, err := appliedKey(ctx, p, s, f, ref); applied || err != nil {
			return f, ref, err
		}
		return f, "", noItem(ctx, p, s, f, ref)
	case 1:
		if len(found) == 1 {
			f = ItemFlags{Campaign: found[0].Campaign, Entry: found[0].Entry}
		}
		return f, found[0].Key, nil
	default:
		return f, "", SeveralItems(ref, found)
	}
}

// appliedKey reports whether an item that no run has seen yet is in a definition
// in force.
func appliedKey(ctx context.Context, p *program.Program, s program.Store, f ItemFlags, key string) (bool, error) {
	list, err := s.Campaigns(ctx, "", false)
	if err != nil {
		return false, err
	}
	force := NewInForce(p, s)
	for _, row := range list {
		if f.Campaign != "" && row.Name != f.Campaign {
			continue
		}
		items, err := force.Of(ctx, row.Name)
		if err != nil {
			continue // a definition of another program: its items are not known here
		}
		for _, it := range items[key] {
			if f.Entry == "" || it.Entry == f.Entry {
				return true, nil
			}
		}
	}
	return false, nil
}

// noItem is the error for a name that no item has.
func noItem(ctx context.Context, p *program.Program, s program.Store, f ItemFlags, ref string) error {
	all, err := s.Items(ctx, rows.ItemsFilter{Campaign: f.Campaign, Entry: f.Entry, Limit: 10_000})
	if err != nil {
		return err
	}
	var names []string
	for _, it := range all {
		names = append(names, it.Key)
	}
	for _, it := range all {
		if it.Label != "" {
			names = append(names, it.Label)
		}
	}
	see := "starter items list"
	if f.Campaign != "" {
		see += " --campaign " + f.Campaign
	}
	return Unknown("item", ref, ", no run has seen it", names, see)
}

// StartKeys resolves the items that a run is to be started of. A campaign that
// asks its source for its items is taken at its last word.
func StartKeys(ctx context.Context, p *program.Program, s program.Store, c campaigns.Campaign, refs []string) ([]string, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	items, err := NewInForce(p, s).Of(ctx, c.Name)
	asks := slices.ContainsFunc(c.Entries, func(e campaigns.Entry) bool { return e.Split != nil && e.Split.Ask != "" })
	known := err == nil && !asks // every item there can be
	var keys []string
	for _, ref := range refs {
		if _, ok := items[ref]; ok {
			keys = append(keys, ref)
			continue
		}
		_, key, err := Narrow(ctx, p, s, ItemFlags{Campaign: c.Name}, ref)
		if err != nil {
			return nil, err
		}
		if _, ok := items[key]; known && !ok {
			return nil, program.Usage("item %s: it is no longer in the files of %s as they were applied", ref, c.Name)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// RunKeys resolves items of a run, by key or by a label that one of them has.
func RunKeys(ctx context.Context, s program.Store, r rows.Run, refs []string) ([]string, error) {
	var keys []string
	for _, ref := range refs {
		found, err := s.RunItems(ctx, r.ID, rows.ItemFilter{Keys: []string{ref}})
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			keys = append(keys, ref)
			continue
		}
		key, err := labelled(ctx, s, r, ref)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func labelled(ctx context.Context, s program.Store, r rows.Run, label string) (string, error) {
	all, err := s.RunItems(ctx, r.ID, rows.ItemFilter{})
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return label, nil // it is just being opened
	}
	var names, keys []string
	for _, it := range all {
		names = append(names, it.Key)
		if it.Label == label {
			keys = append(keys, it.Key)
		}
	}
	switch len(keys) {
	case 0:
		return "", Unknown("item", label, " in "+r.WorkflowID, names, "starter runs show "+r.WorkflowID+" -a")
	case 1:
		return keys[0], nil
	default:
		return "", program.Usage("item %s: several of %s have this label; name it by its key: %s", label, r.WorkflowID, print.Some(keys))
	}
}
