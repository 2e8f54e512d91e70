package polite

import "time"

// longWait is the longest wait of an item's first request for a host. If it would wait
// longer, it fails with the time to try again, so that a slow host does not occupy slots.
const longWait = 10 * time.Second

// mostEach bounds, in gaps, the estimated time between two requests: a few slow responses
// must not defer later waiters for hours.
const mostEach = 8

// queueRate measures how fast the queue of a host moves, and gives each deferred waiter a
// time of its own to come back.
type queueRate struct {
	each  time.Duration // between two requests, as measured lately
	last  time.Time     // the last request with a waiter behind it
	taken [6]time.Time  // times given away so far, by priority
}

// sent records a request; more is true if another one waits. A faster rate applies at
// once, a slower one gradually.
func (c *queueRate) sent(now time.Time, more bool) {
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

// cleared records that all waiters were refused.
func (c *queueRate) cleared() { c.last = time.Time{} }

// postpone returns nil if a request may wait behind ahead others and the rest of the gap,
// left; otherwise a refusal with the time to come back.
func (c *queueRate) postpone(ahead, priority int, left, gap time.Duration, now time.Time) *refusal {
	each := min(max(c.each, gap), mostEach*gap)
	wait := max(left, 0) + time.Duration(ahead)*each
	if gap == 0 || wait <= longWait {
		return nil
	}
	taken := &c.taken[min(max(priority, 0), len(c.taken)-1)]
	at := later(now.Add(wait), *taken)
	*taken = at.Add(each)
	return &refusal{text: "the host is busy or resting", rest: at.Sub(now), deferred: true}
}

// empty reports whether it can be dropped without loss.
func (c *queueRate) empty(now time.Time) bool {
	for _, until := range c.taken {
		if now.Before(until) {
			return false
		}
	}
	return true
}
