package oai

import "sort"

// window is a span of datestamps in unix seconds, both ends included.
type window struct{ from, until int64 }

func (w window) has(x record) bool { return x.stamp >= w.from && x.stamp <= w.until }

// firsts are the numbers whose datestamp at the start lies in the window.
func (r *Repository) firsts(w window) (lo, hi int) {
	n := r.config.Records
	lo = sort.Search(n, func(i int) bool { return r.firstStamp(i) >= w.from })
	hi = sort.Search(n, func(i int) bool { return r.firstStamp(i) > w.until })
	return lo, max(lo, hi)
}

// choose lists up to size records of the set and window from number next on, in
// the order of their numbers; after is where to go on, -1 at the end. The lock
// is held.
func (r *Repository) choose(s set, w window, next, size int) (list []record, after int) {
	list = make([]record, 0, size)
	lo, hi := r.firsts(w)
	key := sort.SearchInts(r.keys, next)
	for i := max(next, lo); ; {
		number, x := r.nearest(s, w, i, hi, &key)
		if number < 0 {
			return list, -1
		}
		if len(list) == size {
			return list, number
		}
		if list = append(list, x); number >= i {
			i = number + 1
		}
	}
}

// nearest is the next record of two rows: the unchanged ones in [i, hi), and the
// changed ones from keys[*key] on.
func (r *Repository) nearest(s set, w window, i, hi int, key *int) (int, record) {
	for ; *key < len(r.keys); *key++ {
		if x := r.over[r.keys[*key]]; r.there(x) && s.has(x) && w.has(x) {
			break
		}
	}
	first, plain := r.untouched(s, i, hi)
	if *key < len(r.keys) && (first < 0 || r.keys[*key] < first) {
		number := r.keys[*key]
		*key++
		return number, r.over[number]
	}
	return first, plain
}

// untouched is the first record from i on, below hi, that is as at the start.
func (r *Repository) untouched(s set, i, hi int) (int, record) {
	for i = r.next(s, i); i < hi; i = r.next(s, i+1) {
		if _, changed := r.over[i]; changed {
			continue
		}
		if x := r.first(i); r.there(x) {
			return i, x
		}
	}
	return -1, record{}
}

// count is how many records choose would list in all. The lock is held.
func (r *Repository) count(s set, w window) int {
	lo, hi := r.firsts(w)
	n := r.below(s, hi) - r.below(s, lo)
	if every := r.config.DeletedEvery; every > 0 && r.config.Deleted == Never {
		for i := every / 2; i < hi; i += every {
			if i >= lo && s.has(r.first(i)) {
				n--
			}
		}
	}
	for _, i := range r.keys {
		if old := r.first(i); i >= lo && i < hi && s.has(old) && r.there(old) {
			n--
		}
		if x := r.over[i]; r.there(x) && s.has(x) && w.has(x) {
			n++
		}
	}
	return n
}
