package planner

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
)

// formerKeys maps items' new keys to their former ones, by entry; nil: none.
func formerKeys(s *campaigns.Source) map[string]map[string]string {
	var out map[string]map[string]string
	for _, e := range s.Campaign.Entries {
		for _, row := range s.Rows(e) {
			if row.Was == "" {
				continue
			}
			if out == nil {
				out = map[string]map[string]string{}
			}
			if out[e.Name] == nil {
				out[e.Name] = map[string]string{}
			}
			out[e.Name][row.Key] = row.Was
		}
	}
	return out
}

// evaluateRekeyed handles the `was` of items: an apply moves the checkpoint of the
// former key, and is blocked if the new key has one too.
func (r *Planner) evaluateRekeyed(ctx context.Context, t *task) error {
	if t.stored == nil {
		return nil
	}
	former := formerKeys(t.source)
	if len(former) == 0 {
		return nil
	}
	checkpoints, err := checkpointsOf(ctx, r.store, t.stored.Name)
	if err != nil {
		return err
	}
	entries := formerEntries(t.source.Campaign)
	for _, entry := range slices.Sorted(maps.Keys(former)) {
		t.moveKeys(entry, former[entry], checkpoints[entry], checkpoints[entries[entry]])
	}
	return nil
}

// moveKeys handles one entry. own are the keys with a checkpoint under its name, old
// those under its former name.
func (t *task) moveKeys(entry string, former map[string]string, own, old map[string]bool) {
	for _, key := range slices.Sorted(maps.Keys(former)) {
		was := former[key]
		if !own[was] && !old[was] {
			continue
		}
		t.moves = true
		if (own[key] || old[key]) && t.change.Blocked == "" {
			t.change.Blocked = fmt.Sprintf("`was` comes too late: item %s of %s has run already and has a checkpoint of its own beside %s's; take `was` out of its row and the two stay apart, or discard what it has done since: starter checkpoints reset --campaign %s --item %s",
				key, entry, was, t.name, key)
		}
	}
}

// rekeyed describes what happens to an item whose row names its former key; false if
// nothing moves, because no such item is known or it has moved already.
func (c *continuing) rekeyed(before map[string]campaigns.Row, key string, row campaigns.Row) (RowChange, bool) {
	old, existed := before[key]
	former, known := before[row.Was]
	if row.Was == "" || existed && c.checkpoints[row.Was] == nil || !existed && !known {
		return RowChange{}, false
	}
	if known {
		old = former
	}
	text := "was " + row.Was + ": its checkpoint, documents and history come along"
	if what, kept := c.of(row.Was, old, row); !kept {
		text = "was " + row.Was + ": its documents and history come along; " + what
	}
	return RowChange{Mark: MarkChanged, Key: key, Text: text}, true
}

// moves reports whether a row names a former key that has a checkpoint.
func (c *continuing) moves(rows []campaigns.Row) bool {
	return slices.ContainsFunc(rows, func(r campaigns.Row) bool { return r.Was != "" && c.checkpoints[r.Was] != nil })
}
