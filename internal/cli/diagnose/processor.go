package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// processor: what is due is not at work, because all processors are taken, by
// this run or by others.
func processor(f Facts) finding {
	if !f.Run.Open() || f.Run.Processors == 0 || f.Run.State == rows.RunOpening {
		return finding{}
	}
	due := slices.DeleteFunc(f.Run.due(f.Clock.Now()), func(it rows.RunItem) bool { return f.host(it.Host).stopped() })
	mine := f.Item == nil && len(due) > 0 || f.Item != nil && f.Item.Now != nil && slices.ContainsFunc(due, func(it rows.RunItem) bool { return it.Ord == f.Item.Now.Ord })
	switch {
	case mine && f.Run.Held == 0:
		return finding{hit: true, say: noneAtWork(f, len(due)), lines: elsewhere(f)}
	case mine && f.Item != nil && f.Run.Held >= f.Run.Processors:
		return finding{hit: true, say: allTaken(f, due), lines: append(atWorkLines(f), Line{"do", fmt.Sprintf("more of them: starter runs set %s --processors %d", f.Run.WorkflowID, 2*f.Run.Processors)})}
	default:
		return finding{clear: fmt.Sprintf("processors %d of %s at work", f.Run.Held, print.Number(f.Run.Processors))}
	}
}

func noneAtWork(f Facts, due int) string {
	if f.Item != nil {
		return fmt.Sprintf("%s waits for a processor: nothing of run %s is at work, %s due.", f.Item.Key, f.Run.WorkflowID, areDue(due))
	}
	return fmt.Sprintf("run %s waits for a processor: %s due and none is at work.", f.Run.WorkflowID, areDue(due))
}

func areDue(n int) string {
	if n == 1 {
		return "1 item is"
	}
	return print.Number(n) + " items are"
}

// elsewhere names the runs whose items the workers are busy with.
func elsewhere(f Facts) []Line {
	at := map[string]int{}
	for _, w := range f.Others {
		if w.State == rows.ItemClaimed {
			at[w.Run]++
		}
	}
	if len(at) == 0 {
		return []Line{
			{"others", "no other run has items at work: a worker has just started, or died and is waited for"},
			{"see", "starter workers"},
		}
	}
	names := byCount(at)
	var out []Line
	for _, name := range names[:min(3, len(names))] {
		out = append(out, Line{"at work", fmt.Sprintf("run %s: %s", name, print.Count(at[name], "item"))})
	}
	return append(out, Line{"do", "wait, or start another worker: worker"})
}

// byCount returns the names with the most first.
func byCount(n map[string]int) []string {
	var names []string
	for name := range n {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), strings.Compare(a, b)) })
	return names
}

func allTaken(f Facts, due []rows.RunItem) string {
	before := 0
	for _, it := range due {
		if it.Ord < f.Item.Now.Ord {
			before++
		}
	}
	say := fmt.Sprintf("%s waits for a processor: %s of %s of run %s are at work", f.Item.Key, print.Number(f.Run.Held), print.Number(f.Run.Processors), f.Run.WorkflowID)
	if before > 0 {
		say += fmt.Sprintf(", and %s before it", areDue(before))
	}
	return say + "."
}

func atWorkLines(f Facts) []Line {
	held := f.Run.held()
	var out []Line
	for _, it := range held[:min(3, len(held))] {
		out = append(out, Line{"at work", openText(it, f.Clock)})
	}
	if n := len(held) - 3; n > 0 {
		out = append(out, Line{"", fmt.Sprintf("and %s more", print.Number(n))})
	}
	return out
}
