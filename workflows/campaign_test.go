package workflows

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestARunGoesWell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 9)
	var asked steps.OpenRunIn
	w.open = func(in steps.OpenRunIn) (steps.Opened, error) {
		asked = in
		return opened(9), nil
	}
	sum, err := w.news()
	require.NoError(t, err)
	require.Equal(t, harvest.OutcomeDone, sum.Outcome)
	require.Equal(t, 9, w.count("fetch"))
	require.LessOrEqual(t, w.most, 4, "never more items in the air than processors")
	require.Equal(t, []string{"open", "close"}, []string{w.calls[0], w.calls[len(w.calls)-1]})
	require.Equal(t, "default-test-workflow-id", asked.WorkflowID)
	require.Equal(t, "news", asked.Start.Campaign)
	require.True(t, asked.StartedAt.Equal(start))
	require.Equal(t, 0, w.count("stop"))
	require.Equal(t, 0, w.count("notify"), "nothing to send")
}

func TestEveryStepNamesTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	var stores []string
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		stores = append(stores, in.Store)
		return done(in), nil
	}
	w.close = func(in steps.CloseRunIn) (steps.Summary, error) {
		stores = append(stores, in.Store)
		return steps.Summary{Outcome: harvest.OutcomeDone, Notify: true}, nil
	}
	w.notify = func(in steps.NotifyIn) error {
		stores = append(stores, in.Store)
		return nil
	}
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, []string{"7f3a", "7f3a", "7f3a"}, stores)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	t.Run("skipped completes", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) {
			return steps.Opened{Refused: harvest.OutcomeSkipped, Why: "news-2026-05-03T14:00:00Z is going on"}, nil
		}
		sum, err := w.news()
		require.NoError(t, err)
		require.Equal(t, steps.Summary{Outcome: harvest.OutcomeSkipped, Why: "news-2026-05-03T14:00:00Z is going on"}, sum)
		require.Equal(t, []string{"open"}, w.calls, "no run, nothing to close")
	})
	t.Run("misconfigured fails", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) {
			return steps.Opened{Refused: harvest.OutcomeMisconfigured, Why: "no campaign nws; did you mean news?"}, nil
		}
		_, err := w.news()
		app, sum := failure(t, err)
		require.Equal(t, "misconfigured", app.Type())
		require.Equal(t, "misconfigured: no campaign nws; did you mean news?", app.Message())
		require.Equal(t, harvest.OutcomeMisconfigured, sum.Outcome)
		require.Equal(t, []string{"open"}, w.calls)
	})
}

func TestTheGateFails(t *testing.T) {
	t.Parallel()
	t.Run("trouble of the store is waited out", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) {
			if w.count("open") < 3 {
				return steps.Opened{}, temporalx.ToTemporal(errors.New("database is locked"))
			}
			return opened(1), nil
		}
		_, err := w.news()
		require.NoError(t, err)
		require.Equal(t, 3, w.count("open"))
	})
	t.Run("what a repetition cannot help fails at once", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) {
			return steps.Opened{}, temporalx.ToTemporal(harvest.Errorf(harvest.KindMisconfigured, "open store", "", "it is another one"))
		}
		_, err := w.news()
		app, _ := failure(t, err)
		require.Equal(t, "failed", app.Type())
		require.Contains(t, app.Message(), "open store: it is another one")
		require.Equal(t, []string{"open"}, w.calls)
	})
}

func TestWaitingInLine(t *testing.T) {
	t.Parallel()
	busy := steps.Opened{Run: 7, Campaign: "news", Busy: "news-2026-05-03T14:00:00Z", Wait: 20 * time.Second, Store: "7f3a"}
	t.Run("until it is our turn", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 2)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) {
			if w.count("open") < 4 {
				return busy, nil
			}
			return opened(2), nil
		}
		_, err := w.news()
		require.NoError(t, err)
		require.Equal(t, []time.Duration{20 * time.Second, 20 * time.Second, 20 * time.Second}, w.timers)
		require.Equal(t, 2, w.count("fetch"))
	})
	t.Run("for a week at most", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 2)
		forever := busy
		forever.Wait = 24 * time.Hour
		w.open = func(steps.OpenRunIn) (steps.Opened, error) {
			require.Less(t, w.count("open"), 10_000)
			return forever, nil
		}
		_, err := w.run(steps.Start{Campaign: "news", Resume: &steps.State{StartedAt: start.Add(-maxLine)}})
		require.NoError(t, err)
		require.Equal(t, 2, w.count("open"))
		require.Equal(t, []time.Duration{maxWait}, w.timers, "the gate is asked now and then whatever it said")
		require.Equal(t, []string{"close overlap"}, w.called("close"))
	})
	t.Run("in a fresh history now and then", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 2)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) { return busy, nil }
		_, err := w.news()
		next := continued(t, err)
		require.Equal(t, maxAsks, w.count("open"))
		require.Equal(t, busy.Busy, next.Resume.Run.Busy)
		require.True(t, next.Resume.StartedAt.Equal(start))
		require.Equal(t, 0, w.count("close"))
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 2)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) { return busy, nil }
		w.after(5*time.Second, w.env.CancelWorkflow)
		_, err := w.news()
		require.Equal(t, harvest.OutcomeCancelled, ended(t, err).Outcome)
		require.Equal(t, []string{"close cancelled"}, w.called("close"), "its place in line is given up")
	})
}

// continued is the input of the execution a workflow continued as.
func continued(t *testing.T, err error) steps.Start {
	t.Helper()
	var again *workflow.ContinueAsNewError
	require.ErrorAs(t, err, &again)
	require.Equal(t, steps.CampaignWorkflow, again.WorkflowType.Name)
	var next steps.Start
	require.NoError(t, fromPayloads(again.Input, &next))
	return next
}

func TestAskingForItems(t *testing.T) {
	t.Parallel()
	asking := func() steps.Opened {
		o := opened(0)
		o.Ranges, o.Ask, o.Processors = nil, []string{"theses", "books", "maps"}, 2
		o.AskQueues = []string{"library"}
		return o
	}
	t.Run("then sealed", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 3)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) { return asking(), nil }
		_, err := w.news()
		require.NoError(t, err)
		require.Equal(t, 3, w.count("expand"))
		require.Equal(t, 3, w.count("fetch"))
		require.Equal(t, "seal", w.calls[4], "sealed when all were asked")
	})
	t.Run("one entry fails for good", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 3)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) { return asking(), nil }
		w.expand = func(in steps.ExpandIn) (steps.Expanded, error) {
			if in.Entry == "books" {
				return steps.Expanded{}, temporalx.ToTemporal(harvest.Errorf(harvest.KindMisconfigured, "list sets of", "https://x.example/oai?key=1", "no such verb"))
			}
			return steps.Expanded{Items: 1}, nil
		}
		var closed steps.CloseRunIn
		w.close = func(in steps.CloseRunIn) (steps.Summary, error) {
			closed = in
			return steps.Summary{Outcome: harvest.OutcomeDone}, nil
		}
		_, err := w.news()
		app, sum := failure(t, err)
		require.Equal(t, 3, w.count("fetch"), "the others go on")
		require.Equal(t, "entry books: Expand: list sets of https://x.example/oai: no such verb", closed.Error)
		require.Equal(t, closed.Error, app.Message(), "a run with trouble is never green, whatever the store made of it")
		require.Equal(t, harvest.OutcomeFailed, sum.Outcome)
	})
	t.Run("cancelled meanwhile", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 3)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) { return asking(), nil }
		w.expand = func(steps.ExpandIn) (steps.Expanded, error) { return steps.Expanded{}, errors.New("not yet") }
		w.after(3*time.Second, w.env.CancelWorkflow)
		_, err := w.news()
		require.Equal(t, harvest.OutcomeCancelled, ended(t, err).Outcome)
		require.Equal(t, 0, w.count("seal"))
		require.Equal(t, []string{"close cancelled"}, w.called("close"))
	})
	t.Run("sealing fails", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 3)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) { return asking(), nil }
		w.seal = func(steps.SealRunIn) (steps.Sealed, error) {
			return steps.Sealed{}, temporal.NewNonRetryableApplicationError("no such run", "gone", nil)
		}
		_, err := w.news()
		app, _ := failure(t, err)
		require.Contains(t, app.Message(), "SealRun: no such run")
		require.Equal(t, 0, w.count("fetch"))
		require.Equal(t, 1, w.count("close"))
	})
}

func TestHandBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	back := start.Add(3 * time.Hour)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if in.Lo == 2 && w.count("fetch 2-2") == 1 {
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
		require.Equal(t, 0, p.Flying)
		require.Equal(t, map[harvest.Outcome]int{harvest.OutcomeDone: 2}, p.Worst)
	})
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, []string{"fetch 1-1 x1", "fetch 2-2 x1", "fetch 3-3 x1", "fetch 2-2 x1"}, w.called("fetch"), "the slot is lent meanwhile")
	require.Equal(t, []time.Duration{3 * time.Hour}, w.timers, "one timer, and no deadline")
	require.Equal(t, 3*time.Hour, w.env.Now().Sub(start).Truncate(time.Minute))
}

func TestOneTimerForTheEarliest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 3)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if w.count("fetch") <= 3 {
			wait := time.Duration(4-in.Lo) * time.Hour // 3 h, 2 h, 1 h
			return steps.Fetched{Left: 1, NextAt: start.Add(wait)}, nil
		}
		return done(in), nil
	}
	o := opened(3)
	o.Processors = 1
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	_, err := w.news()
	require.NoError(t, err)
	require.Equal(t, []string{"fetch 3-3 x1", "fetch 2-2 x1", "fetch 1-1 x1"}, w.called("fetch")[3:])
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
	require.Equal(t, []string{"fetch 2-2 x1", "fetch 1-1 x1"}, w.called("fetch")[2:])
	require.Equal(t, []time.Duration{179 * time.Minute, 58 * time.Minute, 120 * time.Minute}, w.timers)
}

func TestAHandedBackChunkTakesNoMoreThanItNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20)
	o := opened(20)
	o.Processors, o.Ranges[0].Chunk = 10, 10
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if in.Lo == 1 && w.count("fetch 1-10") == 1 {
			return steps.Fetched{Closed: 9, Left: 1}, nil
		}
		return hold(in)
	}
	w.after(time.Minute, func() {
		require.Equal(t, []string{"fetch 1-10 x1", "fetch 1-10 x5", "fetch 11-20 x5"}, sorted(w.called("fetch")))
		w.comeBack(1, steps.Fetched{Closed: 1}, nil)
		w.comeBack(11, steps.Fetched{Closed: 10}, nil)
	})
	_, err := w.news()
	require.NoError(t, err)
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
			if in.Lo == 2 {
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

func TestCancelInTheAir(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20)
	w.fetch = hold
	w.after(time.Minute, func() { w.comeBack(1, done(steps.FetchItemsIn{Lo: 1, Hi: 1}), nil) })
	w.after(2*time.Minute, w.env.CancelWorkflow)
	_, err := w.news()
	require.Equal(t, harvest.OutcomeCancelled, ended(t, err).Outcome)
	require.Equal(t, 5, w.count("fetch"), "nothing is started after a cancel")
	require.Equal(t, []string{"stop cancelled", "close cancelled"}, w.calls[len(w.calls)-2:])
}

func TestCancelWhileResting(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.fetch = func(steps.FetchItemsIn) (steps.Fetched, error) {
		return steps.Fetched{Left: 1, NextAt: start.Add(time.Hour)}, nil
	}
	w.after(time.Minute, w.env.CancelWorkflow)
	_, err := w.news()
	require.Equal(t, harvest.OutcomeCancelled, ended(t, err).Outcome)
	require.Equal(t, []string{"close cancelled"}, w.called("close"))
}

func TestCancelAtTheGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return steps.Opened{}, errors.New("no database yet") }
	w.after(3*time.Second, w.env.CancelWorkflow)
	_, err := w.news()
	require.Equal(t, harvest.OutcomeCancelled, ended(t, err).Outcome)
	require.Equal(t, 0, w.count("close"), "there is no run")
}

func TestCancelWhileClosingChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		if w.count("close") < 3 {
			return steps.Summary{}, errors.New("database is locked")
		}
		return steps.Summary{Outcome: harvest.OutcomeDone}, nil
	}
	w.after(time.Second, w.env.CancelWorkflow)
	sum, err := w.news()
	require.NoError(t, err, "the work was done before")
	require.Equal(t, harvest.OutcomeDone, sum.Outcome)
	require.Equal(t, 3, w.count("close"))
}

func TestTheStoreCannotBeToldToStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.fetch = hold
	w.stop = func(steps.StopRunIn) error {
		return temporal.NewNonRetryableApplicationError("no database", "internal", nil)
	}
	w.after(time.Minute, w.env.CancelWorkflow)
	_, err := w.news()
	require.Equal(t, harvest.OutcomeCancelled, ended(t, err).Outcome)
	require.Equal(t, 1, w.count("close"))
}

func TestTheStoreSaysStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 50)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if in.Lo == 3 {
			return steps.Fetched{Left: 1, Stopped: true}, nil
		}
		return done(in), nil
	}
	_, err := w.news()
	require.Equal(t, harvest.OutcomeCancelled, ended(t, err).Outcome)
	require.Less(t, w.count("fetch"), 20)
	require.Equal(t, []string{"close cancelled"}, w.called("close"))
}

func TestContinueAsNewByHandBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	o := opened(10)
	o.Ranges[0].Labels = []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	o.Deadline = start.Add(24 * time.Hour)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	w.fetch = hold
	w.after(time.Minute, func() {
		w.update("pause", steps.PauseIn{By: "marta", Why: "feeds.csv"})
		w.env.SetContinueAsNewSuggested(true)
	})
	_, err := w.run(steps.Start{Campaign: "news", TriggeredBy: "marta"})
	next := continued(t, err)
	require.Equal(t, 0, w.count("close"))
	require.Equal(t, 0, w.count("stop"))
	s := next.Resume
	require.Equal(t, "marta", next.TriggeredBy)
	require.Equal(t, "by marta: feeds.csv", s.Paused)
	require.Equal(t, 4, s.Chunks)
	require.Equal(t, 4, s.Processors)
	require.Equal(t, o.Deadline, s.Run.Deadline.UTC())
	require.Nil(t, s.Run.Ranges, "they are pending")
	open, labels := 0, ""
	for _, part := range s.Pending {
		open += part.Open()
		for _, l := range part.Labels {
			labels += l
		}
	}
	require.Equal(t, 10, open, "nothing is lost")
	require.Len(t, labels, 10)
}

func TestResumeAfterContinueAsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 10)
	state := steps.State{
		Run: opened(10), Processors: 2, Closed: 7, Chunks: 2007, StartedAt: start.Add(-time.Hour),
		Pending: []steps.Range{{Entry: "feed", Lo: 8, Hi: 10, First: 8, Chunk: 1}},
		Seen:    map[harvest.Outcome]steps.Seen{harvest.OutcomeGone: {Chunks: 7}},
	}
	state.Run.Ranges = nil
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		p := w.progress()
		require.Equal(t, 10, p.Closed)
		require.Equal(t, map[harvest.Outcome]int{harvest.OutcomeGone: 7, harvest.OutcomeDone: 3}, p.Worst)
		return steps.Summary{Outcome: harvest.OutcomeWarnings}, nil
	}
	sum, err := w.run(steps.Start{Campaign: "news", Resume: &state})
	require.NoError(t, err)
	require.Equal(t, harvest.OutcomeWarnings, sum.Outcome)
	require.Equal(t, 0, w.count("open"), "the gate was passed")
	require.Equal(t, []string{"fetch 10-10 x1", "fetch 8-8 x1", "fetch 9-9 x1"}, sorted(w.called("fetch")))
	require.LessOrEqual(t, w.most, 2)
}

func TestCancelDuringContinueAsNewWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 4)
	w.fetch = hold
	w.after(time.Minute, func() {
		w.env.SetContinueAsNewSuggested(true)
		w.env.CancelWorkflow()
	})
	_, err := w.news()
	require.Equal(t, harvest.OutcomeCancelled, ended(t, err).Outcome)
	require.Equal(t, []string{"close cancelled"}, w.called("close"))
}

func TestFetchFailures(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]int{"twice": 2, "for good": 1000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 5)
			w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
				if in.Lo == 2 && w.count("fetch 2-2") <= fails {
					return steps.Fetched{}, temporal.NewNonRetryableApplicationError("this worker is of store 9c12", "misconfigured", nil)
				}
				return done(in), nil
			}
			var closed steps.CloseRunIn
			w.close = func(in steps.CloseRunIn) (steps.Summary, error) {
				closed = in
				if in.Error != "" {
					return steps.Summary{Outcome: harvest.OutcomeFailed, Failed: "failed: 1 of 5 items; " + in.Error}, nil
				}
				return steps.Summary{Outcome: harvest.OutcomeDone}, nil
			}
			_, err := w.news()
			require.Equal(t, 4+min(fails+1, maxFails), w.count("fetch"), "the others go on, and it is tried a few times")
			if fails < maxFails {
				require.NoError(t, err)
				require.Empty(t, closed.Error)
				return
			}
			app, _ := failure(t, err)
			require.Equal(t, "2 of 5: FetchItems: this worker is of store 9c12", closed.Error)
			require.Equal(t, "failed: 1 of 5 items; "+closed.Error, app.Message())
		})
	}
}

func TestOutcomesBecomeTheWorkflowsEnd(t *testing.T) {
	t.Parallel()
	for _, outcome := range harvest.Outcomes() {
		t.Run(string(outcome), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.close = func(steps.CloseRunIn) (steps.Summary, error) {
				sum := steps.Summary{Outcome: outcome, Asked: 3, Took: "3m14s"}
				if outcome.Failed() {
					sum.Failed = "failed: 9 of 133 items, 5% tolerated"
				}
				return sum, nil
			}
			sum, err := w.news()
			switch {
			case outcome == harvest.OutcomeCancelled:
				require.Equal(t, 3, ended(t, err).Asked)
			case outcome.Failed():
				app, sum := failure(t, err)
				require.Equal(t, string(outcome), app.Type())
				require.Equal(t, "failed: 9 of 133 items, 5% tolerated", app.Message())
				require.True(t, app.NonRetryable())
				require.Equal(t, "3m14s", sum.Took)
			default:
				require.NoError(t, err)
				require.Equal(t, outcome, sum.Outcome)
			}
		})
	}
}

func TestClosingFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		return steps.Summary{}, temporalx.ToTemporal(harvest.Errorf(harvest.KindGone, "close run", "7", "no such run"))
	}
	_, err := w.news()
	app, _ := failure(t, err)
	require.Equal(t, "gone", app.Type())
	require.Contains(t, app.Message(), "the run of news could not be closed: CloseRun: close run 7: no such run")
}

func TestNotify(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"sent": nil, "not sent": errors.New("503")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 1)
			w.close = func(steps.CloseRunIn) (steps.Summary, error) {
				return steps.Summary{Outcome: harvest.OutcomeDone, Notify: true}, nil
			}
			w.notify = func(steps.NotifyIn) error { return err }
			sum, failed := w.news()
			require.NoError(t, failed, "a notification never fails a run")
			require.Equal(t, harvest.OutcomeDone, sum.Outcome)
			if err == nil {
				require.Equal(t, 1, w.count("notify"))
			} else {
				require.Equal(t, 4, w.count("notify"))
			}
		})
	}
}

func TestSearchAttributes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	o := opened(1)
	o.Trigger = steps.TriggerHand
	o.Attributes = map[string]string{"Outcome": "VendOutcome", "Documents": "VendDocuments", "Trigger": "VendTrigger"}
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return o, nil }
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		return steps.Summary{Outcome: harvest.OutcomeWarnings, Documents: steps.Documents{New: 3, Changed: 2, Deleted: 1}, FailedItems: 1}, nil
	}
	w.env.OnUpsertTypedSearchAttributes(temporal.NewSearchAttributes(
		temporal.NewSearchAttributeKeyKeyword("VendOutcome").ValueSet("warnings"),
		temporal.NewSearchAttributeKeyInt64("VendDocuments").ValueSet(6),
		temporal.NewSearchAttributeKeyKeyword("VendTrigger").ValueSet("hand"),
	)).Return(nil).Once()
	_, err := w.run(steps.Start{Campaign: "news", Trigger: steps.TriggerSchedule})
	require.NoError(t, err)
	w.env.AssertExpectations(t)
}

func TestOnlyWhatTheStartDidNotKnowIsSet(t *testing.T) {
	t.Parallel()
	r := &run{in: steps.Start{Trigger: steps.TriggerHand}}
	r.state.Run = steps.Opened{Trigger: steps.TriggerHand, Attributes: map[string]string{"Trigger": "VendTrigger", "Campaign": "VendCampaign"}}
	require.Empty(t, r.attributes(steps.Summary{Outcome: harvest.OutcomeDone}))
	r.state.Run.Trigger = steps.TriggerSchedule
	require.Len(t, r.attributes(steps.Summary{Outcome: harvest.OutcomeDone}), 1)
	r.state.Run.Attributes = nil
	require.Empty(t, r.attributes(steps.Summary{Outcome: harvest.OutcomeDone, FailedItems: 3}), "a server without attributes")
}
