package oai

import (
	"fmt"
	"strings"
)

// openSet is the set beside the hierarchy.
const openSet = "open"

// set is a choice of records: those whose leaf is in [lo, hi), or the open ones.
type set struct {
	lo, hi int
	open   bool
}

// leaves is how many sets have records of their own.
func (r *Repository) leaves() int { return r.config.Collections * r.config.Parts }

// everything is no choice.
func (r *Repository) everything() set { return set{hi: r.leaves()} }

func (r *Repository) leafSpec(leaf int) string {
	if r.config.Parts == 1 {
		return fmt.Sprintf("col_%d", leaf+1)
	}
	return fmt.Sprintf("col_%d:part_%d", leaf/r.config.Parts+1, leaf%r.config.Parts+1)
}

// Sets lists the setSpecs, parents before their children.
func (r *Repository) Sets() []string {
	var list []string
	if r.config.NoSets {
		return nil
	}
	for leaf := range r.leaves() {
		if r.config.Parts > 1 && leaf%r.config.Parts == 0 {
			list = append(list, fmt.Sprintf("col_%d", leaf/r.config.Parts+1))
		}
		list = append(list, r.leafSpec(leaf))
	}
	if r.config.OpenEvery > 0 {
		list = append(list, openSet)
	}
	return list
}

// find is the set of a setSpec; false when there is none.
func (r *Repository) find(spec string) (set, bool) {
	switch {
	case spec == "" || strings.HasPrefix(spec, faultSet):
		return r.everything(), true
	case spec == openSet && r.config.OpenEvery > 0:
		return set{open: true}, true
	}
	for leaf, s := range r.specs {
		if s == spec {
			return set{lo: leaf, hi: leaf + 1}, true
		}
		if r.config.Parts > 1 && strings.HasPrefix(s, spec+":") {
			return set{lo: leaf, hi: leaf + r.config.Parts}, true
		}
	}
	return set{}, false
}

// has reports whether a record is chosen.
func (s set) has(x record) bool {
	return s.open && x.open || !s.open && x.leaf >= s.lo && x.leaf < s.hi
}

// next is the first number from i on that was in the set at the start.
func (r *Repository) next(s set, i int) int {
	if s.open {
		every := r.config.OpenEvery
		return (i + every - 1) / every * every
	}
	n := r.leaves()
	switch leaf := i % n; {
	case leaf < s.lo:
		return i - leaf + s.lo
	case leaf >= s.hi:
		return i - leaf + n + s.lo
	default:
		return i
	}
}

// below counts the numbers under i that were in the set at the start.
func (r *Repository) below(s set, i int) int {
	if s.open {
		return (i + r.config.OpenEvery - 1) / r.config.OpenEvery
	}
	n := r.leaves()
	return i/n*(s.hi-s.lo) + min(max(i%n-s.lo, 0), s.hi-s.lo)
}
