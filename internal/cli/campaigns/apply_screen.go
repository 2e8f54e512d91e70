package campaigns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/planner"
)

// mostLines is how many campaigns an apply prints a line of without --verbose.
const mostLines = 20

// applyScreen shows an apply: a line for each campaign, or, where there are many,
// how far it is and a summary.
type applyScreen struct {
	out    *print.Printer
	bar    *watch.Progress
	lines  bool
	total  int
	counts map[planner.Mark]int
	done   int
}

func (c *roll) newApplyScreen(campaigns int) *applyScreen {
	return &applyScreen{
		out: c.Out, bar: watch.NewProgress(c.Program), lines: c.verbose || campaigns <= mostLines, total: campaigns, counts: map[planner.Mark]int{},
	}
}

func (s *applyScreen) report(d planner.Done) {
	s.done++
	s.counts[d.Mark]++
	switch {
	case s.lines:
		s.out.Printf("%s\n", d)
	case s.bar.Screen:
		s.bar.Show(fmt.Sprintf("%s  %s of %s", print.Bar(int64(s.done), int64(max(s.total, s.done))), print.Number(s.done), print.Count(s.total, "campaign")), "")
	}
}

// end prints the summary that stands for the lines.
func (s *applyScreen) end() {
	s.bar.Clear()
	if s.lines || s.done == 0 {
		return
	}
	var parts []string
	for _, m := range []struct {
		mark planner.Mark
		word string
	}{{planner.MarkNew, "new"}, {planner.MarkChanged, "changed"}, {planner.MarkDrift, "put back"}, {planner.MarkGone, "removed"}} {
		if n := s.counts[m.mark]; n > 0 {
			parts = append(parts, print.Number(n)+" "+m.word)
		}
	}
	s.out.Printf("%s applied: %s (--verbose lists them)\n", print.Count(s.done, "campaign"), strings.Join(slices.Clip(parts), ", "))
}
