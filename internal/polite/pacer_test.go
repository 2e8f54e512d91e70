package polite

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// The clock of these tests is synctest's: waits are exact and take no time.

func TestPacerIsFirstComeFirstServed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(every(time.Second), nil)
		start := time.Now()
		var order []int
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				permit, err := limiter.enter(t.Context(), "h", terms{})
				require.NoError(t, err)
				order = append(order, i)
				require.Equal(t, time.Duration(i)*3*time.Second, time.Since(start), "two seconds of answer, one of gap")
				require.Equal(t, time.Duration(i)*3*time.Second, permit.waited)
				time.Sleep(2 * time.Second)
				permit.end()
			})
			synctest.Wait()
		}
		wg.Wait()
		require.Equal(t, []int{0, 1, 2, 3, 4}, order)
	})
}

func TestPacerCancelledWaiterGivesItsPlaceOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(every(time.Second), nil)
		first, err := limiter.enter(t.Context(), "h", terms{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := limiter.enter(ctx, "h", terms{})
			require.ErrorIs(t, err, context.Canceled)
		}()
		synctest.Wait()
		go func() {
			permit, err := limiter.enter(t.Context(), "h", terms{})
			require.NoError(t, err)
			require.Equal(t, time.Second, permit.waited)
			permit.end()
		}()
		synctest.Wait()
		cancel()
		first.end()
		synctest.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Zero(t, limiter.pacers["h"].refs)
	})
}

func TestPacerTurnThatComesWithTheCancel(t *testing.T) {
	t.Parallel()
	p := &pacer{rule: every(0), inFlight: 1}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &waiter{ready: make(chan error, 1)}
	w.ready <- nil // granted, and no longer in the queue
	require.ErrorIs(t, p.giveUp(ctx, w), context.Canceled)
	require.Zero(t, p.inFlight)
	require.Zero(t, p.ended, "nothing was asked, so no gap begins")
}

func TestPacerRests(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		rest   time.Duration
		waits  time.Duration
		refuse string
	}{
		{"none", -time.Second, 0, ""},
		{"short", 20 * time.Second, 20 * time.Second, ""},
		{"just short", shortRest, shortRest, ""},
		{"long", 3 * time.Hour, 0, "the host rests until 2000-01-01T03:00:00Z: it asked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				until := time.Now().Add(c.rest)
				ruled := newLimiter(func(string) Rule { return Rule{RestUntil: until, RestWhy: "it asked"} }, nil)
				learnt := newLimiter(every(0), nil)
				learnt.take("h").learn(until, "it asked")
				for _, limiter := range []*limiter{ruled, learnt} {
					start := time.Now()
					permit, err := limiter.enter(t.Context(), "h", terms{})
					if c.refuse != "" {
						r, ok := err.(*refusal)
						require.True(t, ok)
						require.Equal(t, c.refuse, r.text)
						require.Equal(t, c.rest, r.rest)
						continue
					}
					require.NoError(t, err)
					require.Equal(t, c.waits, time.Since(start))
					permit.end()
					until = until.Add(c.waits) // the second kind of rest begins only now
					learnt.take("h").learn(until, "it asked")
				}
			})
		})
	}
}

func TestPacerWaitersHearOfALongRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(every(time.Second), nil)
		first, err := limiter.enter(t.Context(), "h", terms{})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				_, err := limiter.enter(t.Context(), "h", terms{})
				require.ErrorContains(t, err, "the host rests until")
			})
		}
		synctest.Wait()
		first.pacer.learn(time.Now().Add(time.Hour), "503")
		wg.Wait()
		first.end()
	})
}

func TestPacerFollowsAChangedRule(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rule := Rule{Every: time.Hour}
		limiter := newLimiter(func(string) Rule { return rule }, nil)
		permit, err := limiter.enter(t.Context(), "h", terms{})
		require.NoError(t, err)
		permit.end()
		rule.Every = time.Second
		permit, err = limiter.enter(t.Context(), "h", terms{})
		require.NoError(t, err)
		require.Equal(t, time.Second, permit.waited)
		permit.end()
	})
}

func TestIdlePacersAreDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		limiter := newLimiter(every(time.Minute), nil)
		pass := func(host string) {
			permit, err := limiter.enter(t.Context(), host, terms{})
			require.NoError(t, err)
			permit.end()
		}
		limiter.take("resting").learn(time.Now().Add(20*time.Hour), "asked")
		limiter.put(limiter.pacers["resting"])
		for i := range 10 * keepPacers {
			pass(fmt.Sprint("early", i))
		}
		require.Greater(t, len(limiter.pacers), 10*keepPacers, "gaps that still run are kept")
		time.Sleep(time.Minute)
		for i := range 10 * keepPacers {
			pass(fmt.Sprint("late", i))
			time.Sleep(time.Minute)
		}
		require.LessOrEqual(t, len(limiter.pacers), 2*keepPacers)
		require.Contains(t, limiter.pacers, "resting")
	})
}

func TestAPauseIsLookedAtLessAndLessOften(t *testing.T) {
	t.Parallel()
	began := time.Now()
	for _, c := range []struct{ lasts, until, again time.Duration }{
		{0, 0, pauseLeast},
		{time.Second, 0, pauseLeast},
		{time.Minute, 0, time.Minute},
		{48 * time.Hour, 0, pauseMost},
		{48 * time.Hour, 48*time.Hour + time.Minute, time.Minute},
		{time.Minute, time.Hour, time.Minute},
	} {
		rule := Rule{Paused: "they rebuild", PausedAt: began}
		if c.until > 0 {
			rule.PausedUntil = began.Add(c.until)
		}
		require.Equal(t, c.again, (&pacer{}).refuse(rule, began.Add(c.lasts)).rest)
	}
}
