package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// fullWorkers: those that poll take nothing new, because they drain or are short of
// memory.
func fullWorkers(f Facts) finding {
	var none []rows.Worker
	stuck := []string{}
	for queue := range f.Pollers {
		if takesNone(f.Roster, queue) {
			stuck = append(stuck, queue)
		}
	}
	for _, w := range f.Roster {
		if !takesSome(w) {
			none = append(none, w)
		}
	}
	if len(stuck) == 0 {
		return finding{clear: noneText(none)}
	}
	slices.Sort(stuck)
	found := finding{hit: true, say: fmt.Sprintf("no worker of %s takes anything new.", strings.Join(stuck, ", "))}
	for _, w := range none[:min(len(none), 5)] {
		found.lines = append(found.lines, Line{"worker", fmt.Sprintf("%s is %s: %s", w.Identity, w.State, w.Why)})
	}
	found.lines = append(found.lines, Line{"do", "start another one: worker; or starter workers resume WORKER"}, Line{"see", "starter workers"})
	return found
}

// takesNone: workers serve the queue, and none of them takes anything new. One that
// takes nothing need not poll.
func takesNone(roster []rows.Worker, queue string) bool {
	serving := 0
	for _, w := range roster {
		if !slices.Contains(w.Queues, queue) {
			continue
		}
		if takesSome(w) || w.State == rows.WorkerFull && strings.HasSuffix(queue, steps.QueueControl) {
			return false
		}
		serving++
	}
	return serving > 0
}

// takesSome: one that starts will.
func takesSome(w rows.Worker) bool { return w.Takes() || w.State == rows.WorkerStarting }

func noneText(none []rows.Worker) string {
	switch len(none) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s is %s", none[0].Identity, none[0].State)
	default:
		return fmt.Sprintf("%d workers take nothing new", len(none))
	}
}
