package activities

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestOverlapPolicies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		policy campaigns.Overlap
		check  func(t *testing.T, w *world, holder steps.Opened, out steps.Opened)
	}{
		{campaigns.OverlapSkip, func(t *testing.T, w *world, _, out steps.Opened) {
			require.Equal(t, outcomes.Skipped, out.Refused)
			require.Contains(t, out.Why, "run news-1 is going on since ")
			run, err := w.store.RunByRunID(t.Context(), "first-of-news-2")
			require.NoError(t, err)
			require.Equal(t, outcomes.Skipped, run.Outcome)
			require.Equal(t, rows.RunClosed, run.State)
		}},
		{campaigns.OverlapBufferOne, func(t *testing.T, w *world, holder, out steps.Opened) {
			require.Equal(t, "news-1", out.Busy)
			require.Positive(t, out.Wait)
			require.NotZero(t, out.Run, "who gives up waiting can be closed")
			third, err := do(w, steps.OpenRun, w.in(steps.Start{Campaign: "news"}))
			require.NoError(t, err)
			require.Equal(t, outcomes.Skipped, third.Refused, "the line is full")
			w.close(holder)
			in := w.in(steps.Start{Campaign: "news"})
			in.WorkflowID, in.RunID = "news-2", "first-of-news-2"
			again, err := do(w, steps.OpenRun, in)
			require.NoError(t, err)
			require.Empty(t, again.Busy)
			require.Equal(t, 1, again.Items, "its turn has come")
		}},
		{campaigns.OverlapBufferAll, func(t *testing.T, w *world, _, out steps.Opened) {
			require.Equal(t, "news-1", out.Busy)
			third, err := do(w, steps.OpenRun, w.in(steps.Start{Campaign: "news"}))
			require.NoError(t, err)
			require.NotEmpty(t, third.Busy)
		}},
		{campaigns.OverlapCancel, func(t *testing.T, w *world, _, out steps.Opened) {
			require.Equal(t, "news-1", out.Busy)
			require.Equal(t, []string{"news-1"}, w.engine.cancelled)
		}},
		{campaigns.OverlapTerminate, func(t *testing.T, w *world, holder, out steps.Opened) {
			require.Equal(t, 1, out.Items)
			require.Equal(t, []string{"news-1"}, w.engine.terminated)
			run, err := w.store.RunByID(t.Context(), holder.Run)
			require.NoError(t, err)
			require.Equal(t, outcomes.Cancelled, run.Outcome)
			require.Equal(t, "terminated in Temporal", run.Why)
		}},
		{campaigns.OverlapAllow, func(t *testing.T, w *world, _, out steps.Opened) { require.Equal(t, 1, out.Items) }},
	} {
		t.Run(string(c.policy), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply(scheduled(campaign("news", "a"), campaigns.Schedule{Every: time.Hour, Overlap: c.policy}))
			holder := w.open(steps.Start{Campaign: "news"})
			out, err := do(w, steps.OpenRun, w.in(steps.Start{Campaign: "news"}))
			require.NoError(t, err)
			c.check(t, w, holder, out)
		})
	}
}

func TestTrialsAndLanesAreInNobodysWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.open(steps.Start{Campaign: "news"})
	w.open(steps.Start{Campaign: "news", Limit: 3})
	w.open(steps.Start{Campaign: "news", Lane: "backfill-1", Trigger: steps.TriggerBackfill})
}

func TestADeadHolderIsTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	dead := w.open(steps.Start{Campaign: "news"})
	w.engine.open["news-1"] = false
	w.open(steps.Start{Campaign: "news"})
	run, err := w.store.RunByID(t.Context(), dead.Run)
	require.NoError(t, err)
	require.Equal(t, rows.RunClosed, run.State)
	require.Equal(t, outcomes.Cancelled, w.items(dead.Run)["a"].Outcome)
	require.Equal(t, string(outcomes.WhyTerminated), w.items(dead.Run)["a"].Why)
}

func TestAHolderThatCannotBeAskedAboutIsNotTakenOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.open(steps.Start{Campaign: "news"})
	w.engine.err = errors.New("unavailable")
	_, err := do(w, steps.OpenRun, w.in(steps.Start{Campaign: "news"}))
	require.ErrorContains(t, err, "ask Temporal about run news-1")
}

func TestARunThatWaitsInLineCanBeClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(scheduled(campaign("news", "a"), campaigns.Schedule{Every: time.Hour, Overlap: campaigns.OverlapBufferOne}))
	w.open(steps.Start{Campaign: "news"})
	waiting, err := do(w, steps.OpenRun, w.in(steps.Start{Campaign: "news"}))
	require.NoError(t, err)
	sum, err := do(w, steps.CloseRun, steps.CloseRunIn{RunOf: steps.RunOf{Run: waiting.Run, Store: waiting.Store}, Cause: outcomes.WhyOverlap})
	require.NoError(t, err)
	require.Equal(t, outcomes.Skipped, sum.Outcome)
	next, err := do(w, steps.OpenRun, w.in(steps.Start{Campaign: "news"}))
	require.NoError(t, err)
	require.Equal(t, "news-1", next.Busy, "its place in line is free again")
}
