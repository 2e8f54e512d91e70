package diagnose

import (
	"fmt"

	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// itemFine ends the list for an item that ended well, or never ran.
func itemFine(f Facts) finding {
	it := f.Item
	if it.Outcome == "" {
		return finding{hit: true, say: it.Key + " has not been through a run yet.", lines: nextLine(f)}
	}
	return finding{
		hit: true, say: fmt.Sprintf("nothing is wrong: %s ended %s.", it.Key, it.Outcome),
		lines: append(append(askedLine(f), ownLines(f)...), nextLine(f)...),
	}
}

// ownLines are what is known of the item that the question is about, across runs.
func ownLines(f Facts) []Line {
	it := f.Item
	if it == nil {
		return nil
	}
	lines := []Line{{"last run", fmt.Sprintf("%s (%s)", print.Dash(it.LastRun), f.Clock.Full(it.LastAt))}}
	if !it.LastGood.IsZero() {
		lines = append(lines, Line{"last good", f.Clock.Full(it.LastGood)})
	}
	h := f.host(it.Host)
	for _, found := range []finding{hostPaused(h), hostRests(h), hostSlowed(h)} {
		if found.hit {
			lines = append(lines, Line{"host", found.say}, found.lines[0])
		}
	}
	if text := Pass(it.Pass, f.Clock); text != "" {
		lines = append(lines, Line{"full pass", text})
	}
	return lines
}
