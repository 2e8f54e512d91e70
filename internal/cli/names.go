package cli

import (
	"context"
	"maps"
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// unknown is a name that nothing has: a mistake at the keyboard, also in commands
// that only read.
func unknown(what, name, where string, known []string, see string) error {
	text := what + " " + name + ": not known" + where
	if near := harvest.Nearest(name, known); near != "" {
		return usage("%s, did you mean %s? See `%s`", text, near, see)
	}
	return usage("%s; see `%s`", text, see)
}

// checkCampaign refuses a campaign that the store has never seen.
func (p *program) checkCampaign(ctx context.Context, s Store, name string) error {
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
	if err := p.elsewhere(ctx, s); err != nil {
		return err
	}
	return unknown("campaign", name, " in "+p.storeName(s), names, "starter campaigns list")
}

// check refuses names that nothing has.
func (i *itemFlags) check(ctx context.Context, p *program, s Store) error {
	if err := p.checkCampaign(ctx, s, i.campaign); err != nil || i.entry == "" {
		return err
	}
	entries, err := entriesOf(ctx, s, i.campaign)
	if err != nil || slices.Contains(entries, i.entry) {
		return err
	}
	return unknown("entry", i.entry, "", entries, "starter campaigns show "+orWord(i.campaign, "CAMPAIGN"))
}

func orWord(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

// entriesOf are the entries of a campaign, or of all, those that only items
// still know among them.
func entriesOf(ctx context.Context, s Store, campaign string) ([]string, error) {
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

// narrow resolves an item that a command is to be narrowed to: a key, a label
// that one item has, or campaign / entry / key.
func (p *program) narrow(ctx context.Context, s Store, f itemFlags, ref string) (itemFlags, string, error) {
	if err := f.check(ctx, p, s); err != nil || ref == "" {
		return f, "", err
	}
	found, err := itemsNamed(ctx, s, f, ref)
	if err != nil {
		return f, "", err
	}
	keys := map[string]bool{}
	for _, it := range found {
		keys[it.Key] = true
	}
	switch len(keys) {
	case 0:
		if applied, err := p.appliedKey(ctx, s, f, ref); applied || err != nil {
			return f, ref, err
		}
		return f, "", p.noItem(ctx, s, f, ref)
	case 1:
		if len(found) == 1 {
			f = itemFlags{campaign: found[0].Campaign, entry: found[0].Entry}
		}
		return f, found[0].Key, nil
	default:
		return f, "", severalItems(ref, found)
	}
}

// appliedKey reports whether an item that no run has seen yet is in a definition
// in force.
func (p *program) appliedKey(ctx context.Context, s Store, f itemFlags, key string) (bool, error) {
	list, err := s.Campaigns(ctx, "", false)
	if err != nil {
		return false, err
	}
	force := p.inForce(s)
	for _, row := range list {
		if f.campaign != "" && row.Name != f.campaign {
			continue
		}
		items, err := force.of(ctx, row.Name)
		if err != nil {
			continue // a definition of another program: its items are not known here
		}
		for _, it := range items[key] {
			if f.entry == "" || it.Entry == f.entry {
				return true, nil
			}
		}
	}
	return false, nil
}

// noItem is the error for a name that no item has.
func (p *program) noItem(ctx context.Context, s itemStore, f itemFlags, ref string) error {
	all, err := s.Items(ctx, rows.ItemsFilter{Campaign: f.campaign, Entry: f.entry, Limit: 10_000})
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
	if f.campaign != "" {
		see += " --campaign " + f.campaign
	}
	return unknown("item", ref, ", no run has seen it", names, see)
}

// startKeys resolves the items that a run is to be started of. A campaign that
// asks its source for its items is taken at its last word.
func (p *program) startKeys(ctx context.Context, s Store, c campaigns.Campaign, refs []string) ([]string, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	items, err := p.inForce(s).of(ctx, c.Name)
	asks := slices.ContainsFunc(c.Entries, func(e campaigns.Entry) bool { return e.Split != nil && e.Split.Ask != "" })
	known := err == nil && !asks // every item there can be
	var keys []string
	for _, ref := range refs {
		if _, ok := items[ref]; ok {
			keys = append(keys, ref)
			continue
		}
		_, key, err := p.narrow(ctx, s, itemFlags{campaign: c.Name}, ref)
		if err != nil {
			return nil, err
		}
		if _, ok := items[key]; known && !ok {
			return nil, usage("item %s: it is no longer in the files of %s as they were applied", ref, c.Name)
		}
		keys = append(keys, key)
	}
	return keys, nil
}

// checkCollection refuses a collection that is no campaign's and holds nothing.
func (p *program) checkCollection(ctx context.Context, s Store, name string) error {
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
	return unknown("collection", name, "", slices.Sorted(maps.Keys(held)), "starter documents count --by collection")
}

// checkKind refuses a kind that no document of those selected has, where another
// one is near: which kinds will come only the source knows.
func (p *program) checkKind(ctx context.Context, s Store, f rows.DocumentFilter) error {
	if f.Kind == "" {
		return nil
	}
	held, err := s.CountDocuments(ctx, rows.DocumentFilter{Collection: f.Collection, Campaign: f.Campaign, Entry: f.Entry, Key: f.Key}, "kind")
	if err != nil || held[f.Kind] > 0 || len(held) == 0 {
		return err
	}
	kinds := slices.Sorted(maps.Keys(held))
	if harvest.Nearest(f.Kind, kinds) != "" {
		return unknown("kind", f.Kind, "", kinds, "starter documents count --by kind")
	}
	p.say("no document is of kind %s; there are %s", f.Kind, some(kinds))
	return nil
}

// runKeys resolves items of a run, by key or by a label that one of them has.
func runKeys(ctx context.Context, s Store, r rows.Run, refs []string) ([]string, error) {
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

func labelled(ctx context.Context, s Store, r rows.Run, label string) (string, error) {
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
		return "", unknown("item", label, " in "+r.WorkflowID, names, "starter runs show "+r.WorkflowID+" -a")
	case 1:
		return keys[0], nil
	default:
		return "", usage("item %s: several of %s have this label; name it by its key: %s", label, r.WorkflowID, some(keys))
	}
}

// nothingNamed is the error for a name that no campaign, run, item or host has.
func (p *program) nothingNamed(ctx context.Context, s Store, ref string) error {
	if err := p.elsewhere(ctx, s); err != nil {
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
	text := ref + ": no campaign, run, item or host of " + p.storeName(s)
	if near := harvest.Nearest(ref, names); near != "" {
		return usage("%s, did you mean %s?", text, near)
	}
	return usage("%s; is it applied? starter campaigns apply, starter campaigns list", text)
}
