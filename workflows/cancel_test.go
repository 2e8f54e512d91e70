package workflows

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestCancelInTheAir(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 20)
	w.fetch = hold
	w.after(time.Minute, func() { w.comeBack(1, done(steps.FetchItemsIn{Ord: 1}), nil) })
	w.after(2*time.Minute, w.env.CancelWorkflow)
	_, err := w.news()
	require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
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
	require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
	require.Equal(t, []string{"close cancelled"}, w.called("close"))
}

func TestCancelAtTheGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.open = func(steps.OpenRunIn) (steps.Opened, error) { return steps.Opened{}, errors.New("no database yet") }
	w.after(3*time.Second, w.env.CancelWorkflow)
	_, err := w.news()
	require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
	require.Equal(t, 0, w.count("close"), "there is no run")
}

func TestCancelWhileClosingChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		if w.count("close") < 3 {
			return steps.Summary{}, errors.New("database is locked")
		}
		return steps.Summary{Outcome: outcomes.Done}, nil
	}
	w.after(time.Second, w.env.CancelWorkflow)
	sum, err := w.news()
	require.NoError(t, err, "the work was done before")
	require.Equal(t, outcomes.Done, sum.Outcome)
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
	require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
	require.Equal(t, 1, w.count("close"))
}

func TestTheStoreSaysStop(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 50)
	w.fetch = func(in steps.FetchItemsIn) (steps.Fetched, error) {
		if in.Ord == 3 {
			return steps.Fetched{Left: 1, Stopped: true}, nil
		}
		return done(in), nil
	}
	_, err := w.news()
	require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
	require.Less(t, w.count("fetch"), 20)
	require.Equal(t, []string{"close cancelled"}, w.called("close"))
}
