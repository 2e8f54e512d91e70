package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	w.fetch = hold
	var pause, twice, resume *answer
	w.after(time.Minute, func() { pause = w.update("pause", steps.PauseIn{By: "marta", Why: "feeds.csv under repair"}) })
	w.after(2*time.Minute, func() {
		require.True(t, pause.completed)
		p := w.progress()
		require.Equal(t, "by marta: feeds.csv under repair", p.Paused)
		require.Zero(t, p.Running, "everything came down")
		require.Contains(t, w.metadata(), "**paused** 0 of 10")
		require.Contains(t, w.metadata(), "paused by marta: feeds.csv under repair")
		twice = w.update("pause", steps.PauseIn{By: "ilse"})
	})
	w.after(time.Hour, func() {
		require.Equal(t, 4, w.count("fetch"), "nothing is started")
		w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) { return done(in), nil }
		resume = w.update("resume", steps.ResumeIn{By: "marta"})
	})
	_, err := w.news()
	require.NoError(t, err)
	require.ErrorContains(t, twice.rejected, "paused already by marta: feeds.csv under repair")
	require.True(t, resume.completed)
	require.Equal(t, 4+10, w.count("fetch"))
	require.Empty(t, w.called("stop"))
	require.Equal(t, []string{"close"}, w.called("close"))
}

func TestAPauseIsNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.fetch = hold
	for i := range 2 * maxFails {
		at := time.Duration(i+1) * time.Minute
		w.after(at, func() { w.update("pause", steps.PauseIn{}) })
		w.after(at+10*time.Second, func() { w.update("resume", steps.ResumeIn{}) })
		w.after(at+11*time.Second, func() { require.Equal(t, 1, w.progress().Running, "it starts again at once") })
	}
	w.after(time.Hour, func() { w.comeBack(1, done(steps.FetchItemsIn{Ord: 1}), nil) })
	w.close = func(in steps.CloseRunIn) (steps.Summary, error) {
		require.Empty(t, in.Error)
		return steps.Summary{Outcome: "done"}, nil
	}
	_, err := w.news()
	require.NoError(t, err)
}

func TestPauseBeforeThereIsARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) {
		if w.count("open") == 1 {
			return steps.Opened{Busy: "news-1", Wait: time.Minute}, nil
		}
		return opened(2), nil
	}
	var pause, processors, skip *answer
	w.after(time.Second, func() {
		pause = w.update("pause", steps.PauseIn{})
		processors = w.update("set-processors", steps.SetProcessorsIn{Processors: 1})
		skip = w.update("skip-item", steps.SkipItemIn{Key: "a"})
	})
	w.after(time.Hour, func() {
		require.Equal(t, 0, w.count("fetch"))
		require.Equal(t, "by hand", w.progress().Paused)
		require.Equal(t, 1, w.progress().Processors, "what a person said outranks the definition")
		w.update("resume", steps.ResumeIn{})
	})
	_, err := w.news()
	require.NoError(t, err)
	require.True(t, pause.completed)
	require.True(t, processors.completed)
	require.ErrorContains(t, skip.rejected, "no items yet")
}

func TestWhatIsRejected(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, update string
		in           any
		want         string
	}{
		{"resume what is not paused", "resume", steps.ResumeIn{}, "not paused"},
		{"no processors", "set-processors", steps.SetProcessorsIn{}, "between 1 and 10,000"},
		{"too many processors", "set-processors", steps.SetProcessorsIn{Processors: 10_001}, "between 1 and 10,000"},
		{"skip nothing", "skip-item", steps.SkipItemIn{}, "key is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.fetch = hold
			var got *answer
			w.after(time.Second, func() { got = w.update(c.update, c.in) })
			w.after(time.Minute, func() { w.comeBack(1, done(steps.FetchItemsIn{Ord: 1}), nil) })
			_, err := w.news()
			require.NoError(t, err)
			require.ErrorContains(t, got.rejected, c.want)
		})
	}
}

func TestNothingIsAcceptedWhileClosing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		if w.count("close") == 1 {
			return steps.Summary{}, temporal.NewApplicationError("database is locked", "internal")
		}
		return steps.Summary{Outcome: "done"}, nil
	}
	var answers []*answer
	w.after(500*time.Millisecond, func() {
		answers = append(answers,
			w.update("pause", steps.PauseIn{}), w.update("set-processors", steps.SetProcessorsIn{Processors: 2}),
			w.update("skip-item", steps.SkipItemIn{Key: "a"}))
	})
	_, err := w.news()
	require.NoError(t, err)
	require.Len(t, answers, 3)
	for _, a := range answers {
		require.ErrorContains(t, a.rejected, "the run of news is ending")
	}
}

func TestSetProcessors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 40)
	w.fetch = hold
	var more *answer
	w.after(time.Minute, func() {
		require.Equal(t, 4, w.progress().Running)
		more = w.update("set-processors", steps.SetProcessorsIn{Processors: 9, By: "marta"})
	})
	w.after(2*time.Minute, func() {
		require.Equal(t, 9, w.progress().Running)
		require.Equal(t, 9, w.progress().Processors)
		w.update("set-processors", steps.SetProcessorsIn{Processors: 2})
		for lo := range int64(8) {
			w.comeBack(lo+1, done(steps.FetchItemsIn{Ord: lo + 1}), nil)
		}
	})
	w.after(3*time.Minute, func() {
		require.Equal(t, 2, w.progress().Running, "eight came home, one was started")
		w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) { return done(in), nil }
		w.comeBack(9, done(steps.FetchItemsIn{Ord: 9}), nil)
		w.comeBack(10, done(steps.FetchItemsIn{Ord: 10}), nil)
	})
	_, err := w.news()
	require.NoError(t, err)
	require.True(t, more.completed)
	require.Equal(t, 40, w.count("fetch"))
}

func TestSkipAnItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	var asked steps.SkipItemIn
	w.skip = func(in steps.SkipItemIn) (steps.Skipped, error) {
		asked = in
		return steps.Skipped{Ords: []int64{1}, Queues: []string{"vendemmia-fetch"}}, nil
	}
	w.fetch = func(steps.FetchItemsIn) (steps.Fetched, error) {
		return steps.Fetched{Left: 1, NextAt: start.Add(5 * time.Hour)}, nil
	}
	var skip *answer
	w.after(time.Minute, func() { skip = w.update("skip-item", steps.SkipItemIn{Key: "nytimes-economy", By: "marta"}) })
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		require.Equal(t, 1, w.progress().Closed)
		return steps.Summary{Outcome: "done"}, nil
	}
	_, err := w.news()
	require.NoError(t, err)
	require.True(t, skip.completed)
	require.Equal(t, steps.SkipItemIn{RunOf: steps.RunOf{Run: 7, Store: "7f3a"}, Key: "nytimes-economy", By: "marta"}, asked)
	require.Less(t, w.env.Now().Sub(start), time.Hour, "it was all that was waited for")
}

// Skipping one of four hundred items that wait wakes none of the others.
func TestSkippingAnItemWakesNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 400)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if w.env.Now().Sub(start) > time.Hour {
			return done(in), nil
		}
		return steps.Fetched{Left: 1, NextAt: start.Add(5 * time.Hour)}, nil
	}
	w.skip = func(steps.SkipItemIn) (steps.Skipped, error) { return steps.Skipped{Ords: []int64{17}}, nil }
	w.after(time.Minute, func() { w.update("skip-item", steps.SkipItemIn{Key: "x"}) })
	w.after(time.Hour, func() {
		require.Equal(t, 400, w.count("fetch"), "nothing was started again")
		require.Equal(t, 1, w.progress().Closed)
	})
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, 799, w.count("fetch"))
}

// On a shared queue, too: only when all that waited may have been skipped, one
// activity looks.
func TestSkippingOnASharedQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2000)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return many(2000, 20, 0), nil }
	gone := 0
	w.fetch = func(steps.FetchItemsIn) (steps.Fetched, error) {
		if gone == 2 {
			return steps.Fetched{}, nil
		}
		return steps.Fetched{Left: 2, NextAt: start.Add(5 * time.Hour)}, nil
	}
	w.skip = func(steps.SkipItemIn) (steps.Skipped, error) {
		gone++
		return steps.Skipped{Ords: []int64{17}, Queues: []string{"vendemmia-fetch"}}, nil
	}
	before := 0
	w.after(time.Minute, func() { before = w.count("fetch"); w.update("skip-item", steps.SkipItemIn{Key: "x"}) })
	w.after(2*time.Minute, func() {
		require.Equal(t, before, w.count("fetch"))
		w.update("skip-item", steps.SkipItemIn{Key: "y"})
	})
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, before+1, w.count("fetch"))
	require.Less(t, w.env.Now().Sub(start), time.Hour, "they were all that was waited for")
}

// Activities that share a queue go on for long: fewer processors hold at once.
func TestFewerProcessorsOnASharedQueue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2000)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return many(2000, 20, 0), nil }
	w.fetch = hold
	w.after(time.Minute, func() { w.update("set-processors", steps.SetProcessorsIn{Processors: 5}) })
	w.after(2*time.Minute, func() {
		require.Equal(t, 1, w.progress().Running)
		w.fetch = func(steps.FetchItemsIn) (steps.Fetched, error) { return steps.Fetched{}, nil }
		w.comeBack(0, steps.Fetched{Closed: 2000}, nil)
	})
	_, err := w.news()
	require.NoError(t, err)
	require.Contains(t, w.called("fetch"), "fetch vendemmia-fetch/0 x5")
}

func TestSkipFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.fetch = hold
	w.skip = func(steps.SkipItemIn) (steps.Skipped, error) {
		return steps.Skipped{}, temporal.NewNonRetryableApplicationError("no item x", "gone", nil)
	}
	var skip *answer
	w.after(time.Minute, func() { skip = w.update("skip-item", steps.SkipItemIn{Key: "x"}) })
	w.after(time.Hour, func() { w.comeBack(1, done(steps.FetchItemsIn{Ord: 1}), nil) })
	_, err := w.news()
	require.NoError(t, err, "a refused update does not hurt the run")
	require.ErrorContains(t, skip.failed, "no item x")
}

func TestARunWaitsForItsUpdates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.fetch = hold
	w.skip = func(steps.SkipItemIn) (steps.Skipped, error) {
		if w.count("skip") < 3 {
			return steps.Skipped{}, temporal.NewApplicationError("database is locked", "internal")
		}
		return steps.Skipped{}, nil
	}
	var skip *answer
	w.after(time.Minute, func() {
		skip = w.update("skip-item", steps.SkipItemIn{Key: "x"})
		w.comeBack(1, done(steps.FetchItemsIn{Ord: 1}), nil)
	})
	_, err := w.news()
	require.NoError(t, err)
	require.True(t, skip.completed)
}

// What the store has committed is shown, not what activities returned: a killed one
// returns nothing. An answer that was overtaken takes nothing back.
func TestProgressOfASharedQueueIsTheStores(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2000)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return many(2000, 1, 0), nil }
	w.fetch = hold
	counted := func(closed int) steps.Fetched {
		return steps.Fetched{Closed: 1, Left: 1, Tally: harvest.Tally{New: 1}, Run: &steps.Counted{
			Closed: closed, Tally: harvest.Tally{New: closed}, Outcomes: map[outcomes.Outcome]steps.Seen{outcomes.Done: {Items: closed, New: closed}},
		}}
	}
	shown := func(closed int) {
		p := w.progress()
		require.Equal(t, closed, p.Closed)
		require.Equal(t, closed, p.Tally.New)
		require.Equal(t, map[outcomes.Outcome]int{outcomes.Done: closed}, p.Outcomes)
	}
	w.after(time.Minute, func() { w.comeBack(0, counted(1500), nil) })
	w.after(2*time.Minute, func() { shown(1500); w.comeBack(0, counted(1000), nil) })
	w.after(3*time.Minute, func() {
		shown(1500)
		w.fetch = func(steps.FetchItemsIn) (steps.Fetched, error) { return steps.Fetched{}, nil }
		w.comeBack(0, steps.Fetched{Closed: 500}, nil)
	})
	_, err := w.news()
	require.NoError(t, err)
}
