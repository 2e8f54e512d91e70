package print

import (
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// RunRow is one run in the table of runs that have ended.
type RunRow struct {
	Campaign string
	Outcome  outcomes.Outcome
	Items    int
	Tally    harvest.Tally
	Look     []string // what needs attention, a line each
	Took     string
}

// Ended is the table of runs that have ended.
func Ended(runs ...RunRow) *Table {
	t := NewTable(Flex("CAMPAIGN"), Word("OUTCOME"), Right("ITEMS"), Right("NEW"), Right("CHANGED"), Right("SAME"), Right("DEL"), Left("LOOK AT"), Left("TIME"))
	for _, r := range runs {
		look := r.Look
		if len(look) == 0 {
			look = []string{"-"}
		}
		t.Row(r.Campaign, string(r.Outcome), Number(r.Items), Number(r.Tally.New), Number(r.Tally.Changed), Number(r.Tally.Same),
			Number(r.Tally.Deleted), look[0], Dash(r.Took))
		for _, more := range look[1:] {
			t.Row("", "", "", "", "", "", "", more)
		}
	}
	return t
}
