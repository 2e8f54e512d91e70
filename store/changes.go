package store

import (
	"context"
	"iter"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Changes yields changes after a number, in commit order, up to the newest one
// at the moment of reading. A follower that keeps the last number it read never
// skips one: numbers are handed out inside the one transaction that writes, so a
// smaller number never appears after a larger one. Versions that were cleaned
// away are no longer in the feed; the newest of each document always is.
func (s *Store) Changes(ctx context.Context, f rows.ChangeFilter) iter.Seq2[rows.Change, error] {
	read := func(after int64, limit int) ([]version, error) {
		w := where{}
		if err := s.within(ctx, &w, f.Campaign, "", ""); err != nil {
			return nil, fault("read changes", f.Collection, err)
		}
		w.add("v.number > ?", after)
		w.text("v.collection", f.Collection)
		w.ofItems("v.item", f.Campaign, "", "")
		list, err := s.versions(ctx, f.Bodies, fromVersions+w.sql()+` ORDER BY v.number LIMIT ?`, append(w.args, limit)...)
		return list, fault("read changes", f.Collection, err)
	}
	list := func(yield func(rows.Change, error) bool) {
		pages(f.After, f.Limit, read, func(v version) int64 { return v.Number },
			func(v version, err error) bool { return yield(v.Change, err) })
	}
	if f.Whole && f.Limit == 0 {
		return afterAll(list, func(int64) error { return fault("read changes", f.Collection, s.whole(ctx)) })
	}
	return list
}

// LastChange returns the number of the newest change, 0 before the first.
func (s *Store) LastChange(ctx context.Context) (int64, error) {
	n, err := number(s.reader(ctx), `SELECT value FROM sequences WHERE name = 'change'`)
	return n, fault("read last change", "", err)
}
