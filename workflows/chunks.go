package workflows

import (
	"time"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// maxFlights keeps a run well under the server's 2,000 pending activities.
	maxFlights = 400
	// spread is how many chunks share the processors at least, where there are
	// enough of both: the end of one chunk is then filled by others, and more than
	// one worker has work. spreadWidth is the fewest items at once that make it
	// worthwhile.
	spread      = 24
	spreadWidth = 8
)

// chunkOf is how many items an activity takes: what the range says, or what the
// size of the run suggests, and never so few that maxFlights activities could
// not use all processors.
func chunkOf(part steps.Range, items, processors int) int {
	chunk := part.Chunk
	if chunk <= 0 {
		chunk = steps.AutoChunk(items)
	}
	return max(chunk, ceil(min(processors, max(1, items)), maxFlights))
}

// flightsOf is how many chunks of a size share the processors.
func flightsOf(processors, chunk int) int {
	return max(ceil(processors, chunk), min(spread, ceil(processors, spreadWidth)))
}

// widthOf is how many items at once the next chunk may take, when flying chunks
// use so many processors already; 0: it must wait. The sum never exceeds
// processors.
func widthOf(processors, chunk, flying, used int) int {
	free := processors - used
	if free <= 0 || flying >= maxFlights {
		return 0
	}
	share := ceil(processors, flightsOf(processors, chunk))
	if flying > 0 && free < share/2 {
		return 0 // a chunk begun with less would trail behind to its end
	}
	return min(chunk, ceil(free, max(1, flightsOf(processors, chunk)-flying)))
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

// take cuts a chunk from the front of pending range i; the rest goes to the end
// of the line, so that entries take turns. A range that was handed back is taken
// whole: nobody knows which of its items are open.
func take(pending []steps.Range, i, chunk int) (steps.Range, []steps.Range) {
	part := pending[i]
	rest := append(append([]steps.Range(nil), pending[:i]...), pending[i+1:]...)
	if part.Left > 0 || part.Span() <= chunk {
		return part, rest
	}
	tail := part
	part.Hi, tail.Lo = part.Lo+int64(chunk)-1, part.Lo+int64(chunk)
	if part.First > 0 {
		tail.First = part.First + chunk
	}
	n := min(chunk, len(part.Labels))
	part.Labels, tail.Labels = part.Labels[:n], part.Labels[n:]
	return part, append(rest, tail)
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
