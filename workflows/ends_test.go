package workflows

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestFetchFailures(t *testing.T) {
	t.Parallel()
	for name, fails := range map[string]int{"twice": 2, "for good": 1000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 5)
			w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
				if in.Ord == 2 && w.count("fetch 2") <= fails {
					return steps.Fetched{}, temporal.NewNonRetryableApplicationError("this worker is of store 9c12", "misconfigured", nil)
				}
				return done(in), nil
			}
			var closed steps.CloseRunIn
			w.close = func(in steps.CloseRunIn) (steps.Summary, error) {
				closed = in
				if in.Error != "" {
					return steps.Summary{Outcome: outcomes.Failed, Failed: "failed: 1 of 5 items; " + in.Error}, nil
				}
				return steps.Summary{Outcome: outcomes.Done}, nil
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
	for _, outcome := range outcomes.All() {
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
			case outcome == outcomes.Cancelled:
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
				return steps.Summary{Outcome: outcomes.Done, Notify: true}, nil
			}
			w.notify = func(steps.NotifyIn) error { return err }
			sum, failed := w.news()
			require.NoError(t, failed, "a notification never fails a run")
			require.Equal(t, outcomes.Done, sum.Outcome)
			if err == nil {
				require.Equal(t, 1, w.count("notify"))
			} else {
				require.Equal(t, 4, w.count("notify"))
			}
		})
	}
}
