package runs

import (
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// maxTriesShown bounds the attempts on a screen; -o json has all of them.
const maxTriesShown = 200

// triesTable lists every attempt of the run, where some item took more than one.
func triesTable(v runView, c print.Clock) string {
	again := map[int64]bool{}
	for _, t := range v.Tries {
		again[t.Ord] = again[t.Ord] || t.N > 1 || t.Error != ""
	}
	table, left := print.NewTable(print.Key("ITEM"), print.Right("TRY"), print.Right("BEGAN "+c.ZoneName()), print.Right("TOOK"), print.Flex("WORKER"), print.Left("END"),
		print.Column{Head: "ERROR", Flex: true, Min: 8, End: true}), maxTriesShown
	shown := 0
	for _, t := range v.Tries {
		if !again[t.Ord] {
			continue
		}
		if shown++; shown > left {
			continue
		}
		took := "-"
		if !t.Ended.IsZero() {
			took = print.Duration(t.Ended.Sub(t.Began).Round(100 * time.Millisecond))
		}
		table.Row(t.Key, print.Number(t.N), c.Time(t.Began), took, print.Dash(t.Worker), t.How, print.Dash(t.Error))
	}
	switch {
	case shown == 0:
		return ""
	case shown > left:
		return "\n" + table.String() + fmt.Sprintf("and %s more: -o json\n", print.Number(shown-left))
	default:
		return "\n" + table.String()
	}
}
