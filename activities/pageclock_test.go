package activities

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPageClock(t *testing.T) {
	t.Parallel()
	const limit, never = time.Minute, time.Duration(-1)
	sleep := time.Sleep
	for name, c := range map[string]struct {
		do    func(*pageClock)
		rings time.Duration // after the beginning
	}{
		"no page":         {func(*pageClock) {}, limit},
		"a page":          {func(c *pageClock) { sleep(50 * time.Second); c.page() }, 50*time.Second + limit},
		"a wait":          {func(c *pageClock) { sleep(20 * time.Second); c.wait(true); sleep(time.Hour); c.wait(false) }, time.Hour + limit},
		"a wait going on": {func(c *pageClock) { c.wait(true) }, never},
		"two waits at once": {func(c *pageClock) {
			c.wait(true)
			sleep(time.Hour)
			c.wait(true)
			c.wait(false)
			sleep(time.Hour)
			c.wait(false)
		}, 2*time.Hour + limit},
		"a page during a wait": {func(c *pageClock) {
			sleep(50 * time.Second)
			c.wait(true)
			c.page()
			sleep(time.Hour)
			c.wait(false)
		}, 50*time.Second + time.Hour + limit},
		"stopped":                 {func(c *pageClock) { c.stop() }, never},
		"stopped during a wait":   {func(c *pageClock) { c.wait(true); c.stop(); c.wait(false); c.page() }, never},
		"a wait after it is over": {func(c *pageClock) { sleep(2 * limit); c.wait(true); c.wait(false); c.page() }, limit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began, fired := time.Now(), make(chan time.Duration, 10)
				clock := newPageClock(limit, func() { fired <- time.Since(began) })
				c.do(clock)
				time.Sleep(24 * time.Hour)
				clock.stop()
				if c.rings == never {
					require.Empty(t, fired)
					return
				}
				require.Len(t, fired, 1)
				require.Equal(t, c.rings, <-fired)
			})
		})
	}
}
