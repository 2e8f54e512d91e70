package oai

import (
	"strconv"
	"strings"
)

// record is one record without its content, which follows from it.
type record struct {
	number   int
	stamp    int64 // unix seconds
	revision int   // how often it was changed
	deleted  bool
	gone     bool // taken out silently
	leaf     int  // the set it is in
	open     bool
}

// idStem is what all identifiers begin with.
const idStem = "oai:replica.example:"

func appendID(b []byte, number int) []byte {
	b = append(b, idStem...)
	for width := 1_000_000; width > number && width > 1; width /= 10 {
		b = append(b, '0')
	}
	return strconv.AppendInt(b, int64(number), 10)
}

// ID is the identifier of a record by its number, from 0.
func ID(number int) string { return string(appendID(nil, number)) }

// parseID is ID backwards; false for what is none.
func parseID(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, idStem)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n >= 0 && ID(n) == id
}

// mix is splitmix64: one number in, one that looks like chance out.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chance is what the content of a record is made of.
func (r *Repository) chance(x record) uint64 {
	return mix(r.config.Seed ^ mix(uint64(x.number)<<16|uint64(x.revision&0xffff)))
}

// first is a record as it was at the start. Datestamps rise with the number.
func (r *Repository) first(i int) record {
	return record{
		number: i, stamp: r.firstStamp(i), leaf: i % r.leaves(), deleted: r.bornDeleted(i),
		open: r.config.OpenEvery > 0 && i%r.config.OpenEvery == 0,
	}
}

func (r *Repository) firstStamp(i int) int64 {
	slot := max(0, r.newest-r.config.Earliest.Unix()) / int64(max(1, r.config.Records))
	base := r.config.Earliest.Unix() + int64(float64(r.newest-r.config.Earliest.Unix())*(float64(i)/float64(max(1, r.config.Records))))
	if i == 0 || slot < 2 {
		return base
	}
	return base + int64(mix(r.config.Seed^uint64(i))%uint64(slot-1))
}

func (r *Repository) bornDeleted(i int) bool {
	every := r.config.DeletedEvery
	return every > 0 && i%every == every/2
}

// at is a record as it is now; false when there is none. The lock is held.
func (r *Repository) at(i int) (record, bool) {
	if i < 0 || i >= r.total {
		return record{}, false
	}
	x, changed := r.over[i]
	if !changed {
		x = r.first(i)
	}
	return x, r.there(x)
}

func (r *Repository) there(x record) bool {
	return !x.gone && (!x.deleted || r.config.Deleted != Never)
}
