package workflows

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
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
	require.Equal(t, outcomes.Done, sum.Outcome)
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
		return steps.Summary{Outcome: outcomes.Done, Notify: true}, nil
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
			return steps.Opened{Refused: outcomes.Skipped, Why: "news-2026-05-03T14:00:00Z is going on"}, nil
		}
		sum, err := w.news()
		require.NoError(t, err)
		require.Equal(t, steps.Summary{Outcome: outcomes.Skipped, Why: "news-2026-05-03T14:00:00Z is going on"}, sum)
		require.Equal(t, []string{"open"}, w.calls, "no run, nothing to close")
	})
	t.Run("misconfigured fails", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 1)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) {
			return steps.Opened{Refused: outcomes.Misconfigured, Why: "no campaign nws; did you mean news?"}, nil
		}
		_, err := w.news()
		app, sum := failure(t, err)
		require.Equal(t, "misconfigured", app.Type())
		require.Equal(t, "misconfigured: no campaign nws; did you mean news?", app.Message())
		require.Equal(t, outcomes.Misconfigured, sum.Outcome)
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
	busy := steps.Opened{RunOf: steps.RunOf{Run: 7, Store: "7f3a"}, Campaign: "news", Busy: "news-2026-05-03T14:00:00Z", Wait: 20 * time.Second}
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
	t.Run("until a place is free", func(t *testing.T) {
		t.Parallel()
		w, slow := newWorld(t, 2), busy
		slow.Wait = 5 * time.Minute
		w.open = func(steps.OpenRunIn) (steps.Opened, error) {
			if w.env.Now().Sub(start) < 7*time.Second {
				return slow, nil
			}
			return opened(2), nil
		}
		for _, at := range []time.Duration{7 * time.Second, 8 * time.Second} { // told twice is alike
			w.after(at, func() { w.env.SignalWorkflow(steps.PlaceFree.Name, steps.Nothing{}) })
		}
		_, err := w.news()
		require.NoError(t, err)
		require.Equal(t, 2, w.count("open"))
		require.Less(t, w.env.Now().Sub(start), time.Minute)
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
		require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
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
			return steps.Summary{Outcome: outcomes.Done}, nil
		}
		_, err := w.news()
		app, sum := failure(t, err)
		require.Equal(t, 3, w.count("fetch"), "the others go on")
		require.Equal(t, "entry books: Expand: list sets of https://x.example/oai: no such verb", closed.Error)
		require.Equal(t, closed.Error, app.Message(), "a run with trouble is never green, whatever the store made of it")
		require.Equal(t, outcomes.Failed, sum.Outcome)
	})
	t.Run("cancelled meanwhile", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, 3)
		w.open = func(steps.OpenRunIn) (steps.Opened, error) { return asking(), nil }
		w.expand = func(steps.ExpandIn) (steps.Expanded, error) { return steps.Expanded{}, errors.New("not yet") }
		w.after(3*time.Second, w.env.CancelWorkflow)
		_, err := w.news()
		require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
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
