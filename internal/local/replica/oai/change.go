package oai

import (
	"slices"
	"time"
)

// Add puts n new records in, dated now, and returns their identifiers.
func (r *Repository) Add(n int) (ids []string) {
	r.change(func() {
		for range n {
			x := r.first(r.total)
			x.stamp, x.deleted = r.clock.Unix(), false
			r.total++
			r.put(x)
			ids = append(ids, ID(x.number))
		}
	})
	return ids
}

// Change changes the content of n living records, dated now, and returns their
// identifiers; fewer when fewer live.
func (r *Repository) Change(n int) []string {
	return r.pick(n, func(x *record) { x.revision++; x.stamp = r.clock.Unix() })
}

// Delete deletes n living records, dated now, and returns their identifiers.
// With the policy Never it is Remove.
func (r *Repository) Delete(n int) []string {
	return r.pick(n, func(x *record) { x.deleted, x.stamp = true, r.clock.Unix() })
}

// Remove takes n living records out without a trace and returns their
// identifiers: only a full pass can find out.
func (r *Repository) Remove(n int) []string {
	return r.pick(n, func(x *record) { x.gone = true })
}

// Move puts n living records from a set into another, dated now, and returns
// their identifiers; who harvests the first set is not told. Both are setSpecs
// without children; it panics on others, for that is a mistake of the test.
func (r *Repository) Move(n int, from, to string) []string {
	old, new := r.leaf(from), r.leaf(to)
	return r.pickFrom(n, func(x record) bool { return x.leaf == old }, func(x *record) { x.leaf, x.stamp = new, r.clock.Unix() })
}

// Revive changes records and brings deleted or removed ones back, dated now.
// Identifiers that were never given out are passed over.
func (r *Repository) Revive(ids ...string) {
	r.change(func() {
		for _, id := range ids {
			if i, ok := parseID(id); ok && i < r.total {
				x, _ := r.at(i)
				x.deleted, x.gone, x.stamp = false, false, r.clock.Unix()
				x.revision++
				r.put(x)
			}
		}
	})
}

// Forget drops every word of deleted records, as the policy Transient allows,
// and returns their identifiers.
func (r *Repository) Forget() []string {
	ids := r.Deleted("")
	r.change(func() {
		for _, id := range ids {
			i, _ := parseID(id)
			x, _ := r.at(i)
			x.gone = true
			r.put(x)
		}
	})
	return ids
}

// Living lists the identifiers of the records of a set ("" for all) that are
// there and not deleted, by number.
func (r *Repository) Living(set string) []string { return r.holds(set, false) }

// Deleted lists the identifiers of the deleted records of a set ("" for all)
// that it tells of, by number.
func (r *Repository) Deleted(set string) []string { return r.holds(set, true) }

func (r *Repository) holds(spec string, deleted bool) (ids []string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	s, ok := r.find(spec)
	for i := 0; ok && i < r.total; i++ {
		if x, there := r.at(i); there && x.deleted == deleted && s.has(x) {
			ids = append(ids, ID(i))
		}
	}
	return ids
}

// Datestamp is the record's, to the second; false when there is no such record.
func (r *Repository) Datestamp(id string) (time.Time, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	i, ok := parseID(id)
	x, there := r.at(i)
	return time.Unix(x.stamp, 0).UTC(), ok && there
}

// Metadata is what stands in a living record's metadata element under a prefix
// (oai_dc, marc21), byte for byte; "" when there is no such record.
func (r *Repository) Metadata(id, prefix string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	i, ok := parseID(id)
	x, there := r.at(i)
	if !ok || !there || x.deleted {
		return ""
	}
	return string(r.appendMetadata(nil, x, prefix))
}

func (r *Repository) leaf(spec string) int {
	leaf := slices.Index(r.specs, spec)
	if leaf < 0 {
		panic("replica: no set " + spec + " without children")
	}
	return leaf
}

func (r *Repository) pick(n int, do func(*record)) []string {
	return r.pickFrom(n, func(record) bool { return true }, do)
}

// pickFrom does something to n living records, spread over all numbers.
func (r *Repository) pickFrom(n int, wanted func(record) bool, do func(*record)) []string {
	var numbers []int
	r.change(func() {
		step := stride(r.total)
		i := r.picks.IntN(r.total)
		for k := 0; k < r.total && len(numbers) < n; k++ {
			if x, there := r.at(i); there && !x.deleted && wanted(x) {
				do(&x)
				r.put(x)
				numbers = append(numbers, i)
			}
			i = (i + step) % r.total
		}
	})
	slices.Sort(numbers)
	ids := make([]string, len(numbers))
	for k, i := range numbers {
		ids[k] = ID(i)
	}
	return ids
}

// stride is a step that visits every number below n.
func stride(n int) int {
	for step := 7919; ; step++ {
		a, b := step, n
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return step
		}
	}
}

// put keeps a record that is not as at the start. The lock is held.
func (r *Repository) put(x record) {
	if _, known := r.over[x.number]; !known {
		at, _ := slices.BinarySearch(r.keys, x.number)
		r.keys = slices.Insert(r.keys, at, x.number)
	}
	r.over[x.number] = x
}
