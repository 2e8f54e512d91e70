package planner

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
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

func rowChanges(before, after map[string]campaigns.Row, asks *continuing) []RowChange {
	var out []RowChange
	moved := map[string]bool{}
	for key, row := range after {
		old, existed := before[key]
		if change, found := asks.rekeyed(before, key, row); found {
			moved[row.Was] = true
			out = append(out, change)
			continue
		}
		if !existed {
			out = append(out, RowChange{Mark: MarkNew, Key: key, Text: rowWords(row)})
			continue
		}
		if rowChanged(old, row) {
			text, _ := asks.of(key, old, row)
			out = append(out, RowChange{Mark: MarkChanged, Key: key, Text: rowDifference(old, row) + "; " + cmp.Or(text, "the checkpoint is kept")})
		}
	}
	for key := range before {
		if _, stays := after[key]; !stays && !moved[key] {
			out = append(out, RowChange{Mark: MarkGone, Key: key, Text: "its checkpoint and documents stay"})
		}
	}
	order := string(MarkNew + MarkGone + MarkChanged)
	slices.SortFunc(out, func(a, b RowChange) int {
		return cmp.Or(cmp.Compare(strings.Index(order, string(a.Mark)), strings.Index(order, string(b.Mark))), strings.Compare(a.Key, b.Key))
	})
	return out
}

// rowWords identifies a row by its address, or by its label.
func rowWords(row campaigns.Row) string {
	if u := textParam(row.Params, "url"); u != "" {
		return harvest.Redact(u)
	}
	return row.Label
}

func textParam(params json.RawMessage, name string) string {
	var m map[string]any
	if json.Unmarshal(params, &m) != nil {
		return ""
	}
	text, _ := m[name].(string)
	return text
}

func rowChanged(old, now campaigns.Row) bool {
	old.Line, now.Line = 0, 0
	return !sameJSON(old, now)
}

func rowDifference(old, now campaigns.Row) string {
	var what []string
	if a, b := textParam(old.Params, "url"), textParam(now.Params, "url"); a != b {
		what = append(what, "new url")
	}
	if len(what) == 0 && !sameParams(old.Params, now.Params) {
		what = append(what, "new params")
	}
	if old.Label != now.Label {
		what = append(what, "new label")
	}
	if old.Paused != now.Paused {
		what = append(what, pausedRow(now.Paused))
	}
	if len(what) == 0 {
		what = append(what, "new policies")
	}
	return strings.Join(what, ", ")
}

func pausedRow(text string) string {
	if text == "" {
		return "resumed"
	}
	return fmt.Sprintf("paused %q", text)
}

func sameJSON(a, b any) bool {
	x, errA := harvest.Fingerprint(a)
	y, errB := harvest.Fingerprint(b)
	return errA == nil && errB == nil && x == y
}

func sameParams(a, b json.RawMessage) bool {
	var x, y any
	errA, errB := json.Unmarshal(a, &x), json.Unmarshal(b, &y)
	return (errA == nil) == (errB == nil) && sameJSON(x, y)
}
