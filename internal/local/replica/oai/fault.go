package oai

import (
	"slices"
	"strconv"
	"strings"
)

// Fault is a way to answer wrongly. The zero value answers rightly.
type Fault struct {
	// Name chooses it; Does says in one line what it does.
	Name, Does string
	// N is how much of it, where Does speaks of N.
	N int

	// before may answer in place of the repository, or change the query.
	before func(c *call) *answer
	// list changes a page of a list, token the text of its token.
	list  func(c *call, l *listing)
	token func(l *listing, token string) string
	// after changes the answer, which is not compressed yet; what sets
	// Content-Encoding is not compressed afterwards.
	after func(c *call, a *answer) *answer
	// send sends in place of the plain way.
	send func(c *call, a *answer)
	// refusesSeconds refuses from and until with a time of day, layout is that of
	// datestamps.
	refusesSeconds bool
	layout         string
}

// faultSet is what the setSpec of a list with a fault begins with.
const faultSet = "fault:"

// Of is the fault with another N.
func (f Fault) Of(n int) Fault {
	f.N = n
	return f
}

// Set is the set argument that chooses the fault.
func (f Fault) Set() string { return faultSet + f.Name + ":" + strconv.Itoa(f.N) }

// Faults returns all faults, each with its usual N, sorted by name.
func Faults() []Fault {
	list := slices.Concat(
		flowFaults(), statusFaults(), repeatingFaults(), tokenFaults(), endFaults(),
		textFaults(), charsetFaults(), markupFaults(), hostileFaults(), recordFaults(), packingFaults(), argumentFaults(), identifyFaults(),
	)
	slices.SortFunc(list, func(a, b Fault) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Named finds a fault by its name, which may have an N behind it:
// "cut-stream:250". False when there is none.
func Named(name string) (Fault, bool) {
	faults := map[string]Fault{}
	for _, f := range Faults() {
		faults[f.Name] = f
	}
	return named(faults, name)
}

func named(faults map[string]Fault, name string) (Fault, bool) {
	name, number, counted := strings.Cut(name, ":")
	f, ok := faults[name]
	if !counted || !ok {
		return f, ok
	}
	n, err := strconv.Atoi(number)
	return f.Of(n), err == nil
}

// MustNamed is Named for tests; it panics on a name that is none.
func MustNamed(name string) Fault {
	f, ok := Named(name)
	if !ok {
		panic("replica: no fault " + name)
	}
	return f
}

// goesOn reports whether the request came by a token.
func (c *call) goesOn() bool { return c.query.text != "" }

// key names the request, whoever sends it.
func (c *call) key() string { return c.args.Encode() }
