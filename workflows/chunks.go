package workflows

import (
	"time"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// maxRunning keeps a run well under the server's 2,000 pending activities.
	maxRunning = 400
	// maxSeats is how many activities share a queue at most, and seatWidth the
	// fewest items at once that make one more of them worthwhile: more than one
	// worker has work then.
	maxSeats  = 24
	seatWidth = 8
)

// widthOf is how many items at once the next activity on a shared queue runs, when
// so many processors are free and so many queues wait for them.
func widthOf(processors, free, queues int) int {
	seats := min(maxSeats, ceil(processors, seatWidth))
	return min(free, ceil(processors, seats), ceil(processors, max(1, queues)))
}

func ceil(a, b int) int { return (a + b - 1) / b }

// due is the index of the range that goes next, or -1: the most urgent, among
// equals the one that waited longest.
func due(pending []steps.Range, now time.Time) int {
	best := -1
	for i, part := range pending {
		if part.NotBefore.After(now) {
			continue
		}
		if best < 0 || urgency(part) < urgency(pending[best]) {
			best = i
		}
	}
	return best
}

// urgency is 1 for urgent to 5 for idle.
func urgency(part steps.Range) int {
	if part.Priority < 1 || part.Priority > 5 {
		return 3
	}
	return part.Priority
}

// take cuts what an activity gets from pending range i: one item, or so much of a
// shared queue as it runs at once. The rest goes to the end of the line, so that
// entries and queues take turns.
func take(pending []steps.Range, i, width int) (steps.Range, []steps.Range) {
	part := pending[i]
	rest := append(append([]steps.Range(nil), pending[:i]...), pending[i+1:]...)
	tail := part
	switch {
	case part.Shared && part.Left > width:
		tail.Left -= width
	case part.Shared || part.Span() == 1:
		return part, rest
	default:
		part.Hi, tail.Lo, tail.First = part.Lo, part.Lo+1, part.First+1
		n := min(1, len(part.Labels))
		part.Labels, tail.Labels = part.Labels[:n], part.Labels[n:]
	}
	return part, append(rest, tail)
}

// sharedOn is the index of what is pending on a shared queue, or -1.
func sharedOn(pending []steps.Range, queue string) int {
	for i, part := range pending {
		if part.Shared && part.Queue == queue {
			return i
		}
	}
	return -1
}

// without removes range i.
func without(pending []steps.Range, i int) []steps.Range {
	if i < 0 {
		return pending
	}
	return append(append([]steps.Range(nil), pending[:i]...), pending[i+1:]...)
}

// outdated drops what was known of a shared queue before an activity began that
// has looked since. What others reported meanwhile stays: it may have been seen
// later.
func outdated(pending []steps.Range, queue string, began time.Time) []steps.Range {
	if i := sharedOn(pending, queue); i >= 0 && !pending[i].Known.After(began) {
		return without(pending, i)
	}
	return pending
}

// merge adds what an activity left of a shared queue; of two moments the earlier
// one holds.
func merge(pending []steps.Range, part steps.Range) []steps.Range {
	i := sharedOn(pending, part.Queue)
	if i >= 0 && pending[i].NotBefore.Before(part.NotBefore) {
		part.NotBefore, part.Why = pending[i].NotBefore, pending[i].Why
	}
	return append(without(pending, i), part)
}

// earliest is the waiting range that is due first and before the deadline (zero:
// none), or -1.
func earliest(pending []steps.Range, now, deadline time.Time) int {
	first := -1
	for i, part := range pending {
		if !part.NotBefore.After(now) || beyond(part, deadline) {
			continue
		}
		if first < 0 || part.NotBefore.Before(pending[first].NotBefore) {
			first = i
		}
	}
	return first
}

// beyond reports whether a range waits until after the run must end.
func beyond(part steps.Range, deadline time.Time) bool {
	return !deadline.IsZero() && !part.NotBefore.Before(deadline)
}

// hopeless reports whether nothing pending can be begun before the deadline.
func hopeless(pending []steps.Range, deadline time.Time) bool {
	for _, part := range pending {
		if !beyond(part, deadline) {
			return false
		}
	}
	return true
}
