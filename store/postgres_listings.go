package store

import (
	"cmp"
	"maps"
	"slices"
)

// sharedRow is a document that an item lists and another one brought, and its
// version.
type sharedRow struct {
	docName
	number int64
}

func compareNames(a, b docName) int {
	return cmp.Or(cmp.Compare(a.collection, b.collection), cmp.Compare(a.id, b.id))
}

func nameColumns() []column[docName] {
	return []column[docName]{
		texts("collection", func(n *docName) string { return n.collection }),
		texts("id", func(n *docName) string { return n.id }),
	}
}

func sharedColumns() []column[sharedRow] {
	return []column[sharedRow]{
		texts("collection", func(s *sharedRow) string { return s.collection }),
		texts("id", func(s *sharedRow) string { return s.id }),
		integers("number", func(s *sharedRow) int64 { return s.number }),
	}
}

// queueListings writes who lists documents of others. The documents are locked, so
// that nobody deletes one while this says that it is listed; when one has changed,
// the write is prepared anew.
func (k *pgSink) queueListings() {
	gone := slices.SortedFunc(maps.Keys(k.unlisted), compareNames)
	maybeOver(&k.w.out, nameColumns(), gone, `DELETE FROM listings t USING %s WHERE t.collection = k.collection AND t.id = k.id`)
	var shared []sharedRow
	for name, number := range k.shared {
		shared = append(shared, sharedRow{name, number})
	}
	slices.SortFunc(shared, func(a, b sharedRow) int { return compareNames(a.docName, b.docName) })
	stillThere(&k.w.out, sharedColumns(), shared, `SELECT 1 FROM %s JOIN documents t ON t.collection = k.collection AND t.id = k.id AND t.number = k.number ORDER BY t.collection, t.id FOR SHARE OF t`)
	var also []listingRow
	for l := range k.also {
		also = append(also, listingRow{l, 0})
	}
	slices.SortFunc(also, compareListings)
	maybeOver(&k.w.out, listingColumns(), also, `INSERT INTO listings (item, collection, id, pass) SELECT k.item, k.collection, k.id, k.pass FROM %s ON CONFLICT DO NOTHING`)
	clear(k.unlisted)
	clear(k.shared)
	clear(k.also)
}
