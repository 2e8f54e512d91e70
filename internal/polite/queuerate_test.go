package polite

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// Many who begin at one slow host: few of them wait, the others come back at a moment
// of their own, and the host is asked as fast as it may be all the same.
func TestALongLineTurnsAway(t *testing.T) {
	t.Parallel()
	const gap, answer, items = 4 * time.Second, time.Second, 24
	for processes := 1; processes <= 4; processes *= 2 {
		synctest.Test(t, func(t *testing.T) {
			f := newFleet(gap)
			var turnedAway atomic.Int64
			var mu sync.Mutex
			var longest time.Duration
			var wg sync.WaitGroup
			start := time.Now()
			for id := range processes {
				limiter := f.process(id + 1)
				for range items / processes {
					wg.Go(func() {
						for {
							permit, err := limiter.enter(t.Context(), "h", terms{yields: true})
							if err == nil {
								mu.Lock()
								longest = max(longest, permit.waited)
								mu.Unlock()
								time.Sleep(answer)
								permit.end()
								return
							}
							var r *refusal
							require.True(t, errors.As(err, &r) && r.deferred)
							turnedAway.Add(1)
							time.Sleep(r.rest)
						}
					})
				}
			}
			wg.Wait()
			took := time.Since(start)
			require.Less(t, took, items*(gap+answer)*110/100, "%d processes", processes)
			require.LessOrEqual(t, longest, time.Duration(processes)*(longWait+gap+answer), "who waits knows of its own process")
			t.Logf("%d processes: %d items in %s, at best %s; the longest wait in place %s, turned away %d times",
				processes, items, took.Round(time.Second), items*(gap+answer)-gap, longest.Round(time.Second), turnedAway.Load())
		})
	}
}

// Only a first request yields, only to its equals and betters, and only where the
// line is long.
func TestWhoIsTurnedAway(t *testing.T) {
	t.Parallel()
	now := time.Now()
	var c queueRate
	require.Nil(t, c.postpone(100, 3, 0, 0, now), "a host without a gap")
	require.Nil(t, c.postpone(10, 3, 0, time.Second, now), "as long as it may be")
	require.Equal(t, 11*time.Second, c.postpone(11, 3, 0, time.Second, now).rest)
	require.Equal(t, 12*time.Second, c.postpone(11, 3, 0, time.Second, now).rest, "the next moment")
	require.Equal(t, 11*time.Second, c.postpone(11, 2, 0, time.Second, now).rest, "the more urgent have their own")
	require.Equal(t, time.Hour, c.postpone(0, 1, time.Hour, time.Hour, now).rest, "what is left of the gap")
	require.False(t, c.empty(now))
	require.True(t, c.empty(now.Add(2*time.Hour)))

	var line queueRate
	for i, c := range []struct {
		after time.Duration // from one departure to the next
		more  bool          // somebody waits behind it
		each  time.Duration // what is made of it
	}{
		{0, true, 0},
		{8 * time.Second, true, 8 * time.Second},
		{16 * time.Second, true, 10 * time.Second},
		{2 * time.Second, false, 2 * time.Second},
		{time.Hour, true, 2 * time.Second},
		{time.Hour, true, 2*time.Second + (time.Hour-2*time.Second)/4},
	} {
		now = now.Add(c.after)
		line.sent(now, c.more)
		require.Equal(t, c.each, line.each, "departure %d", i)
	}
	require.Equal(t, 3*mostEach*time.Second, line.postpone(3, 3, 0, time.Second, now).rest, "not sent away for hours")
	line.cleared()
	line.sent(now.Add(24*time.Hour), true)
	require.Less(t, line.each, time.Hour, "a pause is no departure")

	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(every(time.Minute), nil)
		permit, err := limiter.enter(t.Context(), "h", terms{})
		require.NoError(t, err)
		var wg sync.WaitGroup
		wg.Go(func() { ask(t, limiter, 4) })
		synctest.Wait()
		_, err = limiter.enter(t.Context(), "h", terms{priority: 4, yields: true})
		require.ErrorContains(t, err, "the host is busy or resting")
		wg.Go(func() { ask(t, limiter, 4) }) // one that does not yield waits
		synctest.Wait()
		require.Len(t, limiter.pacers["h"].queue, 2)
		permit.end()
		wg.Wait()
	})
}
