package store

import "cmp"

// listing is a document on an item's list.
type listing struct {
	item int64
	docName
}

// listingRow is a line of listings.
type listingRow struct {
	listing
	pass int64
}

func compareListings(a, b listingRow) int {
	return cmp.Or(cmp.Compare(a.item, b.item), cmp.Compare(a.collection, b.collection), cmp.Compare(a.id, b.id))
}

func listingColumns() []column[listingRow] {
	return []column[listingRow]{
		integers("item", func(l *listingRow) int64 { return l.item }),
		texts("collection", func(l *listingRow) string { return l.collection }),
		texts("id", func(l *listingRow) string { return l.id }),
		integers("pass", func(l *listingRow) int64 { return l.pass }),
	}
}

func sightColumns() []column[sighting] {
	return []column[sighting]{
		integers("item", func(s *sighting) int64 { return s.item }),
		integers("pass", func(s *sighting) int64 { return s.pass }),
		integers("run", func(s *sighting) int64 { return s.run }),
		integers("unlisted", func(s *sighting) int64 { return s.unlisted }),
		texts("doubts", func(s *sighting) string { return s.doubts }),
	}
}

func passColumnsOf() []column[passEnd] {
	return []column[passEnd]{
		integers("item", func(e *passEnd) int64 { return e.item }),
		integers("pass", func(e *passEnd) int64 { return e.pass }),
		integers("at", func(e *passEnd) int64 { return e.at }),
		texts("void", func(e *passEnd) string { return e.void }),
		texts("held", func(e *passEnd) string { return e.held }),
	}
}
