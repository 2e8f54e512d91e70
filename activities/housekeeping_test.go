package activities

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestReconcile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"alive", "dead", "young", "justdead"} {
		w.apply(campaign(name, "a"))
	}
	now := time.Now()
	w.clock.set(now.Add(-time.Hour))
	w.open(steps.Start{Campaign: "alive"})
	dead := w.open(steps.Start{Campaign: "dead"})
	w.clock.set(now.Add(-time.Minute))
	w.open(steps.Start{Campaign: "young"})
	w.clock.set(now)
	w.engine.open["dead-2"], w.engine.open["young-3"] = false, false
	out, err := do(w, steps.Reconcile, steps.ReconcileIn{})
	require.NoError(t, err)
	require.Equal(t, steps.Reconciled{Looked: 3, Closed: []string{"dead-2"}}, out)
	run, err := w.store.RunByID(t.Context(), dead.Run)
	require.NoError(t, err)
	require.Equal(t, outcomes.Cancelled, run.Outcome)
	require.Equal(t, "terminated in Temporal", run.Why)

	w.engine.closedAt = now.Add(-time.Minute)
	out, err = do(w, steps.Reconcile, steps.ReconcileIn{After: 30 * time.Second})
	require.NoError(t, err)
	require.Equal(t, []string{"young-3"}, out.Closed)
}

// TestAPauseThatIsOverEnds: housekeeping resumes a campaign whose pause had an
// end, and no other.
func TestAPauseThatIsOverEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := time.Now()
	w.clock.set(now)
	for _, name := range []string{"over", "still", "for-ever", "awake"} {
		w.apply(campaign(name, "a"))
	}
	for name, until := range map[string]time.Time{"over": now.Add(-time.Second), "still": now.Add(time.Hour), "for-ever": {}} {
		require.NoError(t, w.store.PauseCampaign(t.Context(), name, &rows.Pause{By: "marta", At: now.Add(-time.Hour), Until: until}))
	}
	var resumed []string
	w.Resume = func(_ context.Context, campaign, by string, _ time.Time) error {
		resumed = append(resumed, campaign+" by "+by)
		return nil
	}
	_, err := do(w, steps.Reconcile, steps.ReconcileIn{})
	require.NoError(t, err)
	require.Equal(t, []string{"over by its --until"}, resumed)
}

func TestFindMissed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := time.Duration(0)
	hourly := campaigns.Schedule{Every: time.Hour, Jitter: &none, CatchUp: 10 * time.Minute, Overlap: campaigns.OverlapSkip}
	noon := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	w.clock.set(noon.Add(-30 * time.Minute))
	news := scheduled(campaign("news", "a"), hourly)
	news.Timeouts.Run = 5 * time.Hour
	news.Notify = []campaigns.Alert{{To: "https://x.example", When: []outcomes.Outcome{outcomes.Missed}}}
	w.apply(news)
	w.apply(scheduled(campaign("asleep", "a"), hourly))
	w.apply(campaign("by-hand", "a"))
	require.NoError(t, w.store.PauseCampaign(t.Context(), "asleep", &rows.Pause{By: "marta", At: noon.Add(-20 * time.Minute)}))

	// 12:00 ran until 13:30, 13:00 was skipped by Temporal itself, 14:00 and 15:00
	// were missed; 16:00 may still come.
	in := w.in(steps.Start{Campaign: "news"})
	in.StartedAt, in.DueAt = noon.Add(time.Second), noon
	o, err := do(w, steps.OpenRun, in)
	require.NoError(t, err)
	w.clock.set(noon.Add(90 * time.Minute))
	_, err = w.fetch(o)
	require.NoError(t, err)
	w.close(o)

	w.clock.set(noon.Add(4*time.Hour + 5*time.Minute))
	out, err := do(w, steps.FindMissed, steps.FindMissedIn{})
	require.NoError(t, err)
	require.Equal(t, []string{"news-2026-05-03T14:00:00Z", "news-2026-05-03T15:00:00Z"}, out.Names)
	require.Equal(t, 2, out.Found)
	runs, err := w.store.Runs(t.Context(), rows.RunFilter{})
	require.NoError(t, err)
	got := map[string]outcomes.Outcome{}
	for _, r := range runs {
		got[r.WorkflowID] = r.Outcome
	}
	require.Equal(t, map[string]outcomes.Outcome{
		"news-1": outcomes.Done, "news-2026-05-03T13:00:00Z": outcomes.Skipped,
		"news-2026-05-03T14:00:00Z": outcomes.Missed, "news-2026-05-03T15:00:00Z": outcomes.Missed,
	}, got)
	require.Equal(t, []string{"missed"}, w.sent.events(), "told once")

	out, err = do(w, steps.FindMissed, steps.FindMissedIn{})
	require.NoError(t, err)
	require.Zero(t, out.Found, "found once")
	w.clock.set(noon.Add(4*time.Hour + 20*time.Minute))
	out, err = do(w, steps.FindMissed, steps.FindMissedIn{})
	require.NoError(t, err)
	require.Equal(t, []string{"news-2026-05-03T16:00:00Z"}, out.Names)
}

func TestAMissedRunThatCouldNotBeToldIsToldLater(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	none := time.Duration(0)
	at := time.Date(2026, 5, 3, 11, 30, 0, 0, time.UTC)
	w.clock.set(at)
	news := scheduled(campaign("news", "a"), campaigns.Schedule{Every: 24 * time.Hour, Offset: 12 * time.Hour, Jitter: &none, CatchUp: time.Minute})
	news.Notify = []campaigns.Alert{{To: "https://x.example"}}
	w.apply(news)
	w.clock.set(at.Add(time.Hour))
	w.sent.err = errors.New("connection refused")
	out, err := do(w, steps.FindMissed, steps.FindMissedIn{})
	require.NoError(t, err)
	require.Equal(t, 1, out.Found)
	waiting, err := w.store.Messages(t.Context(), rows.MessageFilter{Campaign: "news", Failed: true})
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	require.Equal(t, "retrying", waiting[0].State())
	w.sent.err = nil
	w.clock.set(at.Add(2 * time.Hour))
	_, err = do(w, steps.Reconcile, steps.ReconcileIn{})
	require.NoError(t, err)
	require.Equal(t, []string{"missed"}, w.sent.events())
}

func TestCleanKeepsTheLastRunsAndTakesOldItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	w.clock.set(time.Now().Add(-100 * 24 * time.Hour))
	for range keepRuns + 2 {
		w.once(steps.Start{Campaign: "news"})
	}
	w.clock.set(time.Time{})
	out, err := do(w, steps.Clean, steps.CleanIn{})
	require.NoError(t, err)
	require.Equal(t, 2, out.Runs)
	require.Equal(t, keepRuns+2, out.Items)
	require.Equal(t, 1, w.documents(), "documents stay")
}

func TestRetention(t *testing.T) {
	t.Parallel()
	now := time.Now()
	r := retention("news", campaigns.Keep{Raw: time.Hour}, now)
	require.Equal(t, now.Add(-time.Hour), r.Raw)
	require.True(t, r.Versions.IsZero() && r.Ledger.IsZero(), "0 is for ever")
	require.Equal(t, keepRuns, r.KeepRuns)
}

func TestRetentionOfWhatBelongsToNoCampaign(t *testing.T) {
	t.Parallel()
	now := time.Now()
	short, long := rows.Retention{Runs: now.Add(-time.Hour)}, rows.Retention{Runs: now.Add(-2 * time.Hour)}
	require.Equal(t, long.Runs, shared([]rows.Retention{short, long, short}, true, now).Events)
	require.Zero(t, shared([]rows.Retention{short, {}, long}, true, now).Events, "one keeps its runs for ever")
	require.Zero(t, shared([]rows.Retention{short}, false, now).Events, "not all are known")
	require.Zero(t, shared(nil, true, now).Events)
	require.Equal(t, now.Add(-keepUnused), shared(nil, true, now).Unused)
}

// A run that began after a due time was not in its way.
func TestOnlyARunThatWasOpenExplainsAMissedOne(t *testing.T) {
	t.Parallel()
	none := time.Duration(0)
	due := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		began, ended time.Duration // after the due time
		want         outcomes.Outcome
	}{
		"open then":                {-time.Minute, time.Minute, outcomes.Skipped},
		"began a second after":     {time.Second, time.Minute, outcomes.Missed},
		"began two minutes after":  {2 * time.Minute, 3 * time.Minute, outcomes.Missed},
		"ended just before":        {-time.Minute, -time.Second, outcomes.Missed},
		"began in the very moment": {0, time.Minute, outcomes.Skipped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.clock.set(due.Add(-time.Hour))
			w.apply(scheduled(campaign("news", "a"), campaigns.Schedule{Every: 24 * time.Hour, Offset: 12 * time.Hour, Jitter: &none, CatchUp: time.Minute, Overlap: campaigns.OverlapSkip}))
			w.clock.set(due.Add(c.began))
			o := w.open(steps.Start{Campaign: "news", Trigger: steps.TriggerHand})
			_, err := w.fetch(o)
			require.NoError(t, err)
			w.clock.set(due.Add(c.ended))
			w.close(o)
			w.clock.set(due.Add(time.Hour))
			_, err = do(w, steps.FindMissed, steps.FindMissedIn{})
			require.NoError(t, err)
			run, err := w.store.FindRun(t.Context(), "news-2026-05-03T12:00:00Z")
			require.NoError(t, err)
			require.Equal(t, c.want, run.Outcome, run.Why)
		})
	}
}
