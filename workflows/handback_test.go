package workflows

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestHandBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	back := start.Add(3 * time.Hour)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if in.Ord == 2 && w.count("fetch 2") == 1 {
			return steps.Fetched{Left: 1, NextAt: back, Why: "www.nytimes.com rests until 19:00"}, nil
		}
		return done(in), nil
	}
	one := opened(3)
	one.Processors = 1
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return one, nil }
	w.after(time.Hour, func() {
		p := w.progress()
		require.Equal(t, 1, p.Waiting)
		require.Equal(t, 2, p.Closed)
		require.Equal(t, 0, p.Running)
		require.Equal(t, map[outcomes.Outcome]int{outcomes.Done: 2}, p.Outcomes)
	})
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, []string{"fetch 1", "fetch 2", "fetch 3", "fetch 2"}, w.called("fetch"), "the slot is lent meanwhile")
	require.Equal(t, []time.Duration{3 * time.Hour}, w.timers, "one timer, and no deadline")
	require.Equal(t, 3*time.Hour, w.env.Now().Sub(start).Truncate(time.Minute))
}

func TestOneTimerForTheEarliest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if w.count("fetch") <= 3 {
			wait := time.Duration(4-in.Ord) * time.Hour // 3 h, 2 h, 1 h
			return steps.Fetched{Left: 1, NextAt: start.Add(wait)}, nil
		}
		return done(in), nil
	}
	o := opened(3)
	o.Processors = 1
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, []string{"fetch 3", "fetch 2", "fetch 1"}, w.called("fetch")[3:])
	require.Len(t, w.timers, 3, "none while the only processor has work")
}

func TestAnEarlierMomentReplacesTheTimer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if w.count("fetch") <= 2 {
			return hold(in)
		}
		return done(in), nil
	}
	w.after(time.Minute, func() { w.comeBack(1, steps.Fetched{Left: 1, NextAt: start.Add(3 * time.Hour)}, nil) })
	w.after(2*time.Minute, func() { w.comeBack(2, steps.Fetched{Left: 1, NextAt: start.Add(time.Hour)}, nil) })
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, []string{"fetch 2", "fetch 1"}, w.called("fetch")[2:])
	require.Equal(t, []time.Duration{179 * time.Minute, 58 * time.Minute, 120 * time.Minute}, w.timers)
}

// A shared queue with one item left is one activity, of one item at once.
func TestASharedQueueStartsNoMoreThanItNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2000)
	o := many(2000, 20, 0)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		switch w.count("fetch") {
		case 1, 2:
			return steps.Fetched{Closed: 10, Busy: true}, nil
		case 3:
			return steps.Fetched{Closed: 1979, Left: 1, NextAt: start.Add(time.Hour)}, nil
		default:
			return steps.Fetched{Closed: 1}, nil
		}
	}
	_, err := w.news()
	require.NoError(t, err)
	last := w.called("fetch")[w.count("fetch")-1]
	require.True(t, strings.HasSuffix(last, " x1"), last)
	require.LessOrEqual(t, w.count("fetch"), 5)
}

// The last one to come back holds nothing, yet something is claimed: its activity
// ended without a word. It is looked for, once all others are known to be over.
func TestWhatADeadActivityHeldIsLookedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2000)
	o := many(2000, 8, 0)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	var dead []time.Time
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		dead = append(dead, in.Dead)
		return steps.Fetched{Closed: 1000, Busy: len(dead) == 1}, nil
	}
	_, err := w.news()
	require.NoError(t, err)
	require.Len(t, dead, 2)
	require.False(t, dead[0].IsZero())
	require.False(t, dead[1].Before(dead[0]))
}

func TestAChunkThatNeverMovesIsSlowedDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if w.count("fetch") < 12 {
			return steps.Fetched{Left: 1}, nil
		}
		return done(in), nil
	}
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, 12, w.count("fetch"))
	require.Equal(t, []time.Duration{1, 2, 4, 8, 16, 32, 60, 60, 60, 60}, seconds(w.timers))
}

func seconds(ds []time.Duration) []time.Duration {
	var out []time.Duration
	for _, d := range ds {
		out = append(out, d/time.Second)
	}
	return out
}

func TestWhatIsLeftMovesToAnotherQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if w.count("fetch") == 1 {
			return steps.Fetched{Left: 1, NextAt: start.Add(time.Minute), Queue: "browser"}, nil
		}
		return done(in), nil
	}
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, "browser", w.infos[1].TaskQueue)
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	with := func(w *world, items int) {
		o := opened(items)
		o.Deadline = start.Add(2 * time.Hour)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	}
	t.Run("a wait beyond it is not waited", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 3)
		with(w, 3)
		w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
			if in.Ord == 2 {
				return steps.Fetched{Left: 1, NextAt: start.Add(3 * time.Hour)}, nil
			}
			return done(in), nil
		}
		_, err := w.news()
		require.NoError(t, err)
		require.Equal(t, []string{"close next-tick"}, w.called("close"))
		require.Equal(t, 0, w.count("stop"), "nothing was in the air")
		require.Less(t, w.env.Now().Sub(start), time.Minute)
	})
	t.Run("a wait before it is", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		with(w, 1)
		w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
			if w.count("fetch") == 1 {
				return steps.Fetched{Left: 1, NextAt: start.Add(time.Hour)}, nil
			}
			return done(in), nil
		}
		_, err := w.news()
		require.NoError(t, err)
		require.Equal(t, []string{"close"}, w.called("close"))
	})
	t.Run("reached in the air", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 2)
		with(w, 2)
		w.fetch = hold
		_, err := w.news()
		require.NoError(t, err)
		require.Equal(t, []string{"stop next-tick"}, w.called("stop"))
		require.Equal(t, []string{"close next-tick"}, w.called("close"))
		require.Equal(t, 2*time.Hour, w.env.Now().Sub(start).Truncate(time.Minute))
	})
	t.Run("reached while paused", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 2)
		with(w, 2)
		w.fetch = hold
		w.after(time.Minute, func() { w.update("pause", steps.PauseIn{By: "marta"}) })
		_, err := w.news()
		require.NoError(t, err)
		require.Equal(t, []string{"close next-tick"}, w.called("close"))
	})
}
