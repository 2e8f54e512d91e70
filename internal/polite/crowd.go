package polite

import "time"

// longLine is how long who has not begun yet waits for a host's turn. Whoever would
// wait longer is told when to come back, so that a slow host holds no place that
// others could use.
const longLine = 10 * time.Second

// mostEach bounds, in gaps, what is taken for the time from one departure to the
// next: some long answers must not send those who come then away for hours.
const mostEach = 8

// crowd knows how fast the line before a host moves, and gives those who are too
// many a moment of their own to come back.
type crowd struct {
	each  time.Duration // between two departures, as seen lately
	last  time.Time     // the last departure, where somebody waited behind it
	taken [6]time.Time  // until when moments are given away, by priority
}

// departs notes a departure; more: somebody waits behind it. What goes faster is
// believed at once, what goes slower little by little.
func (c *crowd) departs(now time.Time, more bool) {
	if !c.last.IsZero() {
		switch seen := now.Sub(c.last); {
		case c.each == 0 || seen < c.each:
			c.each = seen
		default:
			c.each += (seen - c.each) / 4
		}
	}
	c.last = time.Time{}
	if more {
		c.last = now
	}
}

// scatters notes that all who waited were sent away.
func (c *crowd) scatters() { c.last = time.Time{} }

// turnAway returns nil for who may wait, with so many ahead of it and what is left
// of the gap, else a refusal with the moment to come back.
func (c *crowd) turnAway(ahead, priority int, left, gap time.Duration, now time.Time) *refusal {
	each := min(max(c.each, gap), mostEach*gap)
	wait := max(left, 0) + time.Duration(ahead)*each
	if gap == 0 || wait <= longLine {
		return nil
	}
	taken := &c.taken[min(max(priority, 0), len(c.taken)-1)]
	at := later(now.Add(wait), *taken)
	*taken = at.Add(each)
	return &refusal{text: "the host has no free moment", rest: at.Sub(now), held: true}
}

// empty reports whether forgetting it loses nothing.
func (c *crowd) empty(now time.Time) bool {
	for _, until := range c.taken {
		if now.Before(until) {
			return false
		}
	}
	return true
}
