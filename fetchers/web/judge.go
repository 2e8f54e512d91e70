package web

import (
	"fmt"
	"math"

	"github.com/vendemmia/vendemmia/harvest"
)

// improbable is how unlikely it must be that a selector matches nothing by
// chance before it counts as a change of the site.
const improbable = 0.001

// key names a selector with its text, so that another one begins anew.
func (s selector) key() string { return s.name + " " + s.css }

func (f *field) key() string { return f.sel.key() }

// used are the keys of a plan's selectors.
func (p *plan) used() map[string]bool {
	used := map[string]bool{p.links.key(): true, p.rows.key(): true}
	for i := range p.fields {
		if f := &p.fields[i]; f.counted() {
			used[f.key()] = true
		}
	}
	return used
}

// counted: fields whose absence says something.
func (f *field) counted() bool { return !f.unasked && !f.sel.isZero() && f.As != asNone }

// count adds a record to the counts of a walk.
func (p *plan) count(now counts, hits []bool) {
	for i := range p.fields {
		if f := &p.fields[i]; f.counted() {
			now.add(f.key(), hits[i])
		}
	}
}

// complete reports a record that has all that is counted.
func (p *plan) complete(hits []bool) bool {
	for i := range p.fields {
		if !hits[i] && p.fields[i].counted() {
			return false
		}
	}
	return true
}

// judge finds the selector that matched on no page of this walk though it always
// did, or that must match and never has. example is a page it was tried on.
func (p *plan) judge(before, now counts, example *dom) error {
	for i := range p.fields {
		f := &p.fields[i]
		n := now[f.key()]
		if !f.counted() || n[0] == 0 || n[1] > 0 {
			continue
		}
		if old := before[f.key()]; old[1] > 0 && unlikely(old, n[0]) || old[1] == 0 && f.Required {
			return brokenSelector(f.sel, old, n[0], example)
		}
	}
	return nil
}

// namedNothing is the error of a walk on which no list named anything, though one
// should have.
func (r *reading) namedNothing() error {
	if r.cp.Now[r.links.key()][1]+r.cp.Now[r.rows.key()][1] > 0 {
		return nil
	}
	return r.nowhere
}

// unlikely: with what a selector matched before, matching nothing n times in a
// row is no chance. One page alone never says so.
func unlikely(old [2]int, n int) bool {
	miss := 1 - float64(old[1])/float64(old[0]+1)
	return n > 1 && math.Pow(miss, float64(n)) < improbable
}

func brokenSelector(s selector, old [2]int, n int, example *dom) error {
	e := &harvest.Error{
		Kind: harvest.KindBroken, Op: "read page",
		Err:    fmt.Errorf("%s: %q matches nothing on %d of %d pages", s.name, s.css, n, n),
		Advice: "compare it with the page, as it came (starter failures show ID --body) or in a browser, and correct it",
	}
	if old[1] > 0 {
		e.Err = fmt.Errorf("%s: %q matches nothing on %d of %d pages; it matched on %d of %d before", s.name, s.css, n, n, old[1], old[0])
	}
	if example != nil {
		e.On, e.Evidence = example.address, example.Evidence()
	}
	return e
}
