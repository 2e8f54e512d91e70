package activities

import (
	"sync"
	"time"
)

// pageClock fires when an item has yielded no page for too long. It stops while a
// request waits for its host, since that is not the source's slowness.
type pageClock struct {
	limit time.Duration
	mu    sync.Mutex
	timer *time.Timer
	end   time.Time     // when it fires, while it runs
	left  time.Duration // of the limit, while it is stopped
	waits int           // requests that wait for their host
}

func newPageClock(limit time.Duration, fire func()) *pageClock {
	return &pageClock{limit: limit, end: time.Now().Add(limit), timer: time.AfterFunc(limit, fire)}
}

// page restarts the limit after a page.
func (c *pageClock) page() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left = c.limit; c.waits == 0 && c.timer.Stop() {
		c.resume()
	}
}

// wait stops the clock when a request begins to wait for its host, and starts it when
// the last one has its turn.
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
		c.resume()
	}
}

// resume starts the clock with what is left. The lock is held.
func (c *pageClock) resume() {
	c.end = time.Now().Add(c.left)
	c.timer.Reset(c.left)
	c.left = 0
}

// stop ends the clock.
func (c *pageClock) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer.Stop()
	c.left, c.waits = 0, c.waits+1
}
