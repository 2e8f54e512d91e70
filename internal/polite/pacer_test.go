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
		turns := newTurns(every(time.Second), nil)
		start := time.Now()
		var order []int
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				turn, err := turns.enter(t.Context(), "h", visit{})
				require.NoError(t, err)
				order = append(order, i)
				require.Equal(t, time.Duration(i)*3*time.Second, time.Since(start), "two seconds of answer, one of gap")
				require.Equal(t, time.Duration(i)*3*time.Second, turn.waited)
				time.Sleep(2 * time.Second)
				turn.end()
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
		turns := newTurns(every(time.Second), nil)
		first, err := turns.enter(t.Context(), "h", visit{})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := turns.enter(ctx, "h", visit{})
			require.ErrorIs(t, err, context.Canceled)
		}()
		synctest.Wait()
		go func() {
			turn, err := turns.enter(t.Context(), "h", visit{})
			require.NoError(t, err)
			require.Equal(t, time.Second, turn.waited)
			turn.end()
		}()
		synctest.Wait()
		cancel()
		first.end()
		synctest.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Zero(t, turns.pacers["h"].refs)
	})
}

func TestPacerTurnThatComesWithTheCancel(t *testing.T) {
	t.Parallel()
	p := &pacer{rule: every(0), flying: 1}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := &waiter{ready: make(chan error, 1)}
	w.ready <- nil // granted, and no longer in the queue
	require.ErrorIs(t, p.giveUp(ctx, w), context.Canceled)
	require.Zero(t, p.flying)
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
				ruled := newTurns(func(string) Rule { return Rule{RestUntil: until, RestWhy: "it asked"} }, nil)
				learnt := newTurns(every(0), nil)
				learnt.take("h").learn(until, "it asked")
				for _, turns := range []*turns{ruled, learnt} {
					start := time.Now()
					turn, err := turns.enter(t.Context(), "h", visit{})
					if c.refuse != "" {
						r, ok := err.(*refusal)
						require.True(t, ok)
						require.Equal(t, c.refuse, r.text)
						require.Equal(t, c.rest, r.rest)
						continue
					}
					require.NoError(t, err)
					require.Equal(t, c.waits, time.Since(start))
					turn.end()
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
		turns := newTurns(every(time.Second), nil)
		first, err := turns.enter(t.Context(), "h", visit{})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				_, err := turns.enter(t.Context(), "h", visit{})
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
		turns := newTurns(func(string) Rule { return rule }, nil)
		turn, err := turns.enter(t.Context(), "h", visit{})
		require.NoError(t, err)
		turn.end()
		rule.Every = time.Second
		turn, err = turns.enter(t.Context(), "h", visit{})
		require.NoError(t, err)
		require.Equal(t, time.Second, turn.waited)
		turn.end()
	})
}

func TestIdlePacersAreDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(every(time.Minute), nil)
		visit := func(host string) {
			turn, err := turns.enter(t.Context(), host, visit{})
			require.NoError(t, err)
			turn.end()
		}
		turns.take("resting").learn(time.Now().Add(20*time.Hour), "asked")
		turns.put(turns.pacers["resting"])
		for i := range 10 * keepPacers {
			visit(fmt.Sprint("early", i))
		}
		require.Greater(t, len(turns.pacers), 10*keepPacers, "gaps that still run are kept")
		time.Sleep(time.Minute)
		for i := range 10 * keepPacers {
			visit(fmt.Sprint("late", i))
			time.Sleep(time.Minute)
		}
		require.LessOrEqual(t, len(turns.pacers), 2*keepPacers)
		require.Contains(t, turns.pacers, "resting")
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
