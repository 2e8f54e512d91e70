package workflows

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

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
	require.Equal(t, 4, s.Activities)
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
		Run: opened(10), Processors: 2, Closed: 7, Activities: 2007, StartedAt: start.Add(-time.Hour),
		Pending: []steps.Range{{Entry: "feed", Lo: 8, Hi: 10, First: 8, Chunk: 1}},
		Seen:    map[outcomes.Outcome]steps.Seen{outcomes.Gone: {Items: 7}},
	}
	state.Run.Ranges = nil
	w.close = func(steps.CloseRunIn) (steps.Summary, error) {
		p := w.progress()
		require.Equal(t, 10, p.Closed)
		require.Equal(t, map[outcomes.Outcome]int{outcomes.Gone: 7, outcomes.Done: 3}, p.Outcomes)
		return steps.Summary{Outcome: outcomes.Warnings}, nil
	}
	sum, err := w.run(steps.Start{Campaign: "news", Resume: &state})
	require.NoError(t, err)
	require.Equal(t, outcomes.Warnings, sum.Outcome)
	require.Equal(t, 0, w.count("open"), "the gate was passed")
	require.Equal(t, []string{"fetch 10", "fetch 8", "fetch 9"}, sorted(w.called("fetch")))
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
	require.Equal(t, outcomes.Cancelled, ended(t, err).Outcome)
	require.Equal(t, []string{"close cancelled"}, w.called("close"))
}
