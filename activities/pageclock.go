package activities

import (
	"sync"
	"time"
)

// pageClock rings when an item has yielded no page for too long. It stands still
// while a request waits for its host: that is our politeness, not the source's
// slowness.
type pageClock struct {
	limit time.Duration
	mu    sync.Mutex
	timer *time.Timer
	end   time.Time     // when it rings, while it goes
	left  time.Duration // while it stands still
	waits int           // requests that wait
}

func newPageClock(limit time.Duration, ring func()) *pageClock {
	return &pageClock{limit: limit, end: time.Now().Add(limit), timer: time.AfterFunc(limit, ring)}
}

// page begins anew: a page has come.
func (c *pageClock) page() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left = c.limit; c.waits == 0 && c.timer.Stop() {
		c.goOn()
	}
}

// wait is told when a request begins to wait for its host, and when that is over.
func (c *pageClock) wait(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if on {
		if c.waits++; c.waits == 1 && c.timer.Stop() {
			c.left = time.Until(c.end)
		}
		return
	}
	if c.waits--; c.waits == 0 && c.left > 0 {
		c.goOn()
	}
}

// goOn lets it go for what is left. The lock is held.
func (c *pageClock) goOn() {
	c.end = time.Now().Add(c.left)
	c.timer.Reset(c.left)
	c.left = 0
}

// stop ends it for good.
func (c *pageClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.left, c.waits = 0, c.waits+1
}
