package activities

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestCloseRunClosesWhatIsOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in     steps.CloseRunIn
		item   harvest.Outcome
		why    string
		run    harvest.Outcome
		failed bool
	}{
		{steps.CloseRunIn{Cause: harvest.WhyCancelled}, harvest.OutcomeCancelled, "cancelled", harvest.OutcomeCancelled, false},
		{steps.CloseRunIn{Cause: harvest.WhyNextTick}, harvest.OutcomeFailed, "next-tick", harvest.OutcomeFailed, true},
		{steps.CloseRunIn{Error: "the store was away"}, harvest.OutcomeFailed, "left open", harvest.OutcomeFailed, true},
		{steps.CloseRunIn{}, harvest.OutcomeFailed, "left open", harvest.OutcomeFailed, true},
	} {
		t.Run(fmt.Sprintf("%s%s", c.in.Cause, c.in.Error), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.apply(campaign("news", "a"))
			o := w.open(steps.Start{Campaign: "news"})
			c.in.Run = o.Run
			sum, err := do(w, steps.CloseRun, c.in)
			require.NoError(t, err)
			require.Equal(t, c.run, sum.Outcome)
			require.Equal(t, c.failed, sum.Failed != "")
			item := w.items(o.Run)["a"]
			require.Equal(t, c.item, item.Outcome)
			require.Equal(t, c.why, item.Why)
			again, err := do(w, steps.CloseRun, steps.CloseRunIn{Run: o.Run})
			require.NoError(t, err)
			require.Equal(t, sum, again, "the first end stays")
		})
	}
}

func TestSummaryIsWhatPeopleSeeFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var keys []string
	for i := range 20 {
		keys = append(keys, fmt.Sprintf("k%02d", i))
	}
	news := campaign("news", keys...)
	w.apply(news)
	for i := range 8 {
		w.script.on(keys[i], fails(harvest.Errorf(harvest.KindBroken, "parse feed", "https://x.example/?secret=1", "%s", strings.Repeat("long ", 100))))
	}
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.NoError(t, err)
	w.clock.set(time.Now().Add(3*time.Minute + 14*time.Second))
	sum := w.close(o)
	require.Equal(t, harvest.OutcomeFailed, sum.Outcome)
	require.Equal(t, "8 of 20 items; 8 broken", sum.Why)
	require.Equal(t, "failed: 8 of 20 items; 8 broken · starter runs show news-1", sum.Failed)
	require.Len(t, sum.LookAt, 5)
	for _, text := range sum.LookAt {
		require.LessOrEqual(t, len([]rune(text)), maxText)
		require.NotContains(t, text, "secret")
	}
	require.Equal(t, 8, sum.FailedItems)
	require.Equal(t, steps.Documents{New: 12}, sum.Documents)
	require.Regexp(t, `^3m1[45]s$`, sum.Took)
	run, err := w.store.FindRun(t.Context(), "news")
	require.NoError(t, err)
	require.Equal(t, harvest.OutcomeFailed, run.Outcome)
}

func TestExpectRunFreshWithin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Expect = campaigns.RunExpectation{FreshWithin: 48 * time.Hour, Fail: true}
	w.apply(news)
	require.Equal(t, harvest.OutcomeDone, w.once(steps.Start{Campaign: "news"}).Outcome)
	require.Equal(t, harvest.OutcomeUnchanged, w.once(steps.Start{Campaign: "news"}).Outcome)
	w.clock.set(time.Now().Add(72 * time.Hour))
	sum := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, harvest.OutcomeEmpty, sum.Outcome)
	require.Contains(t, sum.Failed, "nothing new or changed within 2d")
}

func TestSkipItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	o := w.open(steps.Start{Campaign: "news"})
	_, err := do(w, steps.SkipItem, steps.SkipItemIn{Run: o.Run, Key: "a", By: "marta", Store: o.Store})
	require.NoError(t, err)
	_, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, harvest.OutcomeSkipped, w.items(o.Run)["a"].Outcome)
	require.Equal(t, "skipped by hand (marta)", w.items(o.Run)["a"].Why)
	require.Equal(t, harvest.OutcomeDone, w.close(o).Outcome)
	_, err = do(w, steps.SkipItem, steps.SkipItemIn{Run: o.Run, Key: "zzz"})
	require.ErrorContains(t, err, "skip item zzz")
}

// notified runs news once for each outcome and lists what was sent.
func notified(t *testing.T, rule campaigns.Alert, ends ...harvest.Kind) []string {
	t.Helper()
	w := newWorld(t)
	news := campaign("news", "a", "b")
	rule.To = "https://hook.example/${secret:env:TOKEN}"
	news.Notify = []campaigns.Alert{rule}
	w.apply(news)
	var all []string
	at := time.Now().Add(-time.Hour)
	for i, kind := range ends {
		w.clock.set(at.Add(time.Duration(i) * time.Minute))
		w.script.on("a", nil)
		if kind != "" {
			w.script.on("a", fails(kindError(kind)))
		}
		o := w.open(steps.Start{Campaign: "news"})
		_, err := w.fetch(o)
		require.NoError(t, err)
		before := len(w.sent.events())
		sum := w.close(o)
		_, err = do(w, steps.Notify, steps.NotifyIn{Run: o.Run, Store: o.Store})
		require.NoError(t, err)
		events := w.sent.events()[before:]
		require.Equal(t, len(events) > 0, sum.Notify)
		all = append(all, strings.Join(events, "+"))
	}
	for _, d := range w.sent.sent {
		require.Equal(t, "https://hook.example/hush-hush", d.to)
		require.NotEmpty(t, d.key)
		require.Contains(t, d.Text, "news: "+d.Event)
	}
	return all
}

func TestNotifyOnChangeOfStateOnly(t *testing.T) {
	t.Parallel()
	const ok, gone, broken = harvest.Kind(""), harvest.KindGone, harvest.KindBroken
	bad := []harvest.Outcome{harvest.OutcomeFailed}
	for _, c := range []struct {
		name string
		rule campaigns.Alert
		ends []harvest.Kind
		want []string
	}{
		{"once, then recovered", campaigns.Alert{When: bad}, []harvest.Kind{ok, gone, gone, ok, ok}, []string{"", "failed", "", "recovered", ""}},
		{"after three in a row", campaigns.Alert{When: bad, After: 3}, []harvest.Kind{gone, gone, gone, gone, ok}, []string{"", "", "failed", "", "recovered"}},
		{"not long enough", campaigns.Alert{When: bad, After: 3}, []harvest.Kind{gone, gone, ok, gone, gone, ok}, []string{"", "", "", "", "", ""}},
		{"other outcomes", campaigns.Alert{When: []harvest.Outcome{harvest.OutcomeThrottled}}, []harvest.Kind{gone, ok}, []string{"", ""}},
		{"all that need a look", campaigns.Alert{}, []harvest.Kind{gone, ok}, []string{"failed", "recovered"}},
		{"per item", campaigns.Alert{Per: "item", When: []harvest.Outcome{harvest.OutcomeGone}}, []harvest.Kind{ok, gone, gone, broken, gone, ok}, []string{"", "gone", "", "recovered", "gone", "recovered"}},
		{"per item, after two", campaigns.Alert{Per: "item", After: 2, When: []harvest.Outcome{harvest.OutcomeGone, harvest.OutcomeBroken}}, []harvest.Kind{gone, broken, gone, ok, gone, ok}, []string{"", "broken", "", "recovered", "", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, notified(t, c.rule, c.ends...))
		})
	}
}

func TestTrialsAndCancelsTellNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Notify = []campaigns.Alert{{To: "https://x.example"}}
	w.apply(news)
	w.script.on("a", fails(kindError(harvest.KindGone)))
	require.False(t, w.once(steps.Start{Campaign: "news", Limit: 2}).Notify)
	o := w.open(steps.Start{Campaign: "news"})
	sum, err := do(w, steps.CloseRun, steps.CloseRunIn{Run: o.Run, Cause: harvest.WhyCancelled})
	require.NoError(t, err)
	require.False(t, sum.Notify)
}

func TestNotifyKeepsWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Notify = []campaigns.Alert{{To: "https://x.example"}}
	w.apply(news)
	w.script.on("a", fails(kindError(harvest.KindGone)))
	now := time.Now()
	w.clock.set(now)
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.NoError(t, err)
	require.True(t, w.close(o).Notify)

	w.sent.err = errors.New("connection refused")
	_, err = do(w, steps.Notify, steps.NotifyIn{Run: o.Run})
	require.ErrorContains(t, err, "connection refused", "worth another try")
	due, err := w.store.Outbox(t.Context(), o.Run, now.Add(time.Second))
	require.NoError(t, err)
	require.Empty(t, due, "not at once")
	w.clock.set(now.Add(time.Minute))
	w.sent.err = harvest.Errorf(harvest.KindMisconfigured, "notify", "mailto:", "there is no way yet to send to mailto addresses")
	_, err = do(w, steps.Notify, steps.NotifyIn{})
	require.NoError(t, err, "trying again would not help")
	due, err = w.store.Outbox(t.Context(), 0, now.Add(1000*time.Hour))
	require.NoError(t, err)
	require.Empty(t, due)
	require.Empty(t, w.sent.sent)
}

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
	require.Equal(t, harvest.OutcomeCancelled, run.Outcome)
	require.Equal(t, "terminated in Temporal", run.Why)

	w.engine.closedAt = now.Add(-time.Minute)
	out, err = do(w, steps.Reconcile, steps.ReconcileIn{After: 30 * time.Second})
	require.NoError(t, err)
	require.Equal(t, []string{"young-3"}, out.Closed)
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
	news.Notify = []campaigns.Alert{{To: "https://x.example", When: []harvest.Outcome{harvest.OutcomeMissed}}}
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
	got := map[string]harvest.Outcome{}
	for _, r := range runs {
		got[r.WorkflowID] = r.Outcome
	}
	require.Equal(t, map[string]harvest.Outcome{
		"news-1": harvest.OutcomeDone, "news-2026-05-03T13:00:00Z": harvest.OutcomeSkipped,
		"news-2026-05-03T14:00:00Z": harvest.OutcomeMissed, "news-2026-05-03T15:00:00Z": harvest.OutcomeMissed,
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

func TestAMissedRunThatCouldNotBeToldIsFoundAgain(t *testing.T) {
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
	_, err := do(w, steps.FindMissed, steps.FindMissedIn{})
	require.ErrorContains(t, err, "connection refused")
	w.sent.err = nil
	out, err := do(w, steps.FindMissed, steps.FindMissedIn{})
	require.NoError(t, err)
	require.Equal(t, 1, out.Found)
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
