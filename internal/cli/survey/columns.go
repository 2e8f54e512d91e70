package survey

import (
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// Columns are the names of the facts that differ between answers, in the order
// in which fetchers tell them, and the facts that all answers share. A single
// answer shares nothing. A fact that is empty everywhere, or repeats the title,
// is left out.
func Columns(answers []Answer) (differ []string, shared []harvest.Fact) {
	var names []string
	var withFacts []Answer
	for _, a := range answers {
		if a.Err == nil && len(a.Facts) > 0 {
			withFacts = append(withFacts, a)
		}
		for _, f := range a.Facts {
			if !slices.Contains(names, f.Name) && f.Value != "" && f.Value != a.Title {
				names = append(names, f.Name)
			}
		}
	}
	for _, name := range names {
		value := Value(withFacts[0].Facts, name)
		if len(withFacts) > 1 && !slices.ContainsFunc(withFacts, func(a Answer) bool { return Value(a.Facts, name) != value }) {
			shared = append(shared, harvest.Fact{Name: name, Value: value})
			continue
		}
		differ = append(differ, name)
	}
	return differ, shared
}

// Value is that of a fact, or "".
func Value(facts []harvest.Fact, name string) string {
	for _, f := range facts {
		if f.Name == name {
			return f.Value
		}
	}
	return ""
}
