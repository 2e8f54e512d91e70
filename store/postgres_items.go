package store

import "fmt"

func (p *postgres) items(t *tx, campaign string, names [][2]string) ([]knownItem, error) {
	list := make([]newItem, len(names))
	for i, name := range names {
		list[i] = newItem{campaign: campaign, entry: name[0], key: name[1]}
	}
	columns := newItemColumns()[:3]
	return collect(t, scanKnownItem, `SELECT k.at - 1, i.id, i.fetcher, i.label, i.host FROM `+fromNumbered(columns)+`
		JOIN items i ON i.campaign = k.campaign AND i.entry = k.entry AND i.key = k.key`, arrays(columns, list)...)
}

func newItemColumns() []column[newItem] {
	return []column[newItem]{
		texts("campaign", func(i *newItem) string { return i.campaign }),
		texts("entry", func(i *newItem) string { return i.entry }),
		texts("key", func(i *newItem) string { return i.key }),
		texts("fetcher", func(i *newItem) string { return i.fetcher }),
		texts("label", func(i *newItem) string { return i.label }),
		texts("host", func(i *newItem) string { return i.host }),
		integers("first_seen", func(i *newItem) int64 { return i.seen }),
	}
}

// newItems inserts and reads back by name.
func (p *postgres) newItems(t *tx, list []newItem) ([]int64, error) {
	columns := newItemColumns()
	_, err := t.exec(`INSERT INTO items (`+names(columns)+`) SELECT * FROM `+fromRows(columns)+` ON CONFLICT (campaign, entry, key) DO NOTHING`, arrays(columns, list)...)
	if err != nil {
		return nil, err
	}
	pairs := make([][2]string, len(list))
	for i, it := range list {
		pairs[i] = [2]string{it.entry, it.key}
	}
	known, err := p.items(t, list[0].campaign, pairs)
	ids := make([]int64, len(list))
	for _, k := range known {
		ids[k.at] = k.id
	}
	return ids, err
}

func (p *postgres) addItems(t *tx, list []addedItem) (int64, error) {
	columns := []column[addedItem]{
		integers("run", func(i *addedItem) int64 { return i.run }),
		integers("ord", func(i *addedItem) int64 { return i.ord }),
		integers("item", func(i *addedItem) int64 { return i.item }),
		texts("label", func(i *addedItem) string { return i.label }),
		texts("fetcher", func(i *addedItem) string { return i.fetcher }),
		texts("host", func(i *addedItem) string { return i.host }),
		texts("policy", func(i *addedItem) string { return i.policy }),
		texts("params", func(i *addedItem) string { return i.params }),
		texts("queue", func(i *addedItem) string { return i.queue }),
		integers("place", func(i *addedItem) int64 { return i.place }),
	}
	return t.exec(`INSERT INTO run_items (`+names(columns)+`) SELECT * FROM `+fromRows(columns)+` ON CONFLICT DO NOTHING`, arrays(columns, list)...)
}

// fromNumbered is fromRows with the place of each row as column at.
func fromNumbered[T any](columns []column[T]) string {
	from := fromRows(columns)
	return fmt.Sprintf("%s WITH ORDINALITY AS k(%s, at)", from[:len(from)-len(" AS k("+names(columns)+")")], names(columns))
}
