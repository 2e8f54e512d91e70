package planner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
)

// itemChanges compares the items of every entry by their keys.
func (r *Planner) itemChanges(ctx context.Context, t *task, former map[string]string) error {
	olds := map[string]campaigns.Entry{}
	for _, e := range t.old.Entries {
		olds[e.Name] = e
	}
	for _, e := range t.source.Campaign.Entries {
		name := e.Name
		if was, ok := former[e.Name]; ok {
			name = was
		}
		old, existed := olds[name]
		delete(olds, name)
		if !existed {
			t.change.Items = append(t.change.Items, ItemChange{Entry: e.Name, New: len(t.source.Rows(e)), Note: "new entry: its items are harvested from their beginning"})
			continue
		}
		c, err := r.entryChange(ctx, t, old, e)
		if err != nil {
			return err
		}
		if c != nil {
			t.change.Items = append(t.change.Items, *c)
		}
	}
	for _, name := range sortedNames(olds) {
		t.change.Items = append(t.change.Items, ItemChange{Entry: name, Old: max(1, splitCount(olds[name])), Note: "entry gone: its checkpoints and documents stay; renamed? say so: was"})
	}
	return nil
}

func sortedNames(m map[string]campaigns.Entry) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func splitCount(e campaigns.Entry) int {
	if e.Split == nil {
		return 1
	}
	return max(e.Split.Count, len(e.Split.Items))
}

func (r *Planner) storedRows(ctx context.Context, e campaigns.Entry) ([]campaigns.Row, error) {
	switch {
	case e.Split == nil:
		return []campaigns.Row{{}}, nil
	case e.Split.List == "":
		return e.Split.Items, nil
	}
	var out []campaigns.Row
	for raw, err := range r.store.List(ctx, e.Split.List) {
		if err != nil {
			return nil, fmt.Errorf("read the stored list of %s: %w", e.Name, err)
		}
		var row campaigns.Row
		if err := json.Unmarshal(raw, &row); err != nil {
			return nil, fmt.Errorf("read the stored list of %s: %w", e.Name, err)
		}
		out = append(out, row)
	}
	return out, nil
}

func (r *Planner) entryChange(ctx context.Context, t *task, old, now campaigns.Entry) (*ItemChange, error) {
	asks, err := r.continuing(ctx, t, old, now)
	if err != nil {
		return nil, err
	}
	if sameList(old, now) && !asks.moves(t.source.Rows(now)) {
		return nil, nil
	}
	rows, err := r.storedRows(ctx, old)
	if err != nil {
		return nil, err
	}
	before, err := r.keyed(old, rows)
	if err != nil {
		return nil, err
	}
	after, err := r.keyed(now, t.source.Rows(now))
	if err != nil {
		return nil, err
	}
	c := ItemChange{Entry: now.Name, Old: len(before), New: len(after), Note: asks.anew(before, after)}
	if now.Split != nil {
		c.File = now.Split.File
	}
	if old.Split == nil && now.Split == nil {
		c.Note = cmp.Or(anotherItem(before, after), c.Note)
	} else {
		c.Rows = rowChanges(before, after, asks)
		r.renamedRows(&c, old, now, before, after)
	}
	if c.Note == "" && len(c.Rows) == 0 {
		return nil, nil
	}
	return &c, nil
}

// sameList reports whether two entries have the same items with the same params.
func sameList(old, now campaigns.Entry) bool {
	return old.Split != nil && now.Split != nil && old.Split.List != "" && old.Split.List == now.Split.List &&
		old.Fetcher == now.Fetcher && sameParams(old.Params, now.Params)
}

// anotherItem describes an entry with one item whose key changed.
func anotherItem(before, after map[string]campaigns.Row) string {
	for key := range before {
		for now := range after {
			if key != now {
				return fmt.Sprintf("%q -> %q: a new item, harvested from its beginning; the old checkpoint stays as an orphan", key, now)
			}
		}
	}
	return ""
}

// keyed gives every row its key.
func (r *Planner) keyed(e campaigns.Entry, rows []campaigns.Row) (map[string]campaigns.Row, error) {
	identity := r.identity(e.Fetcher)
	out := make(map[string]campaigns.Row, len(rows))
	for _, row := range rows {
		key := row.Key
		if key == "" {
			params, err := e.ItemParams(row, nil)
			if err != nil {
				return nil, err
			}
			if key, err = e.ItemKey(params, identity, row); err != nil {
				return nil, err
			}
		}
		if e.Split.Keep(key) {
			out[key] = row
		}
	}
	return out, nil
}
