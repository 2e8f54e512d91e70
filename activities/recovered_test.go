package activities

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// alarm is a world whose campaign news notifies by a rule.
type alarm struct {
	*world
	at time.Time
}

func alarmed(t *testing.T, rule campaigns.Alert, items ...string) *alarm {
	t.Helper()
	w := &alarm{world: newWorld(t), at: time.Now().Add(-time.Hour)}
	news := campaign("news", items...)
	rule.To = "https://hook.example"
	news.Notify = []campaigns.Alert{rule}
	w.apply(news)
	return w
}

// told does a run in which some items fail so, delivers, and lists what was sent.
func (w *alarm) told(s steps.Start, ends map[string]harvest.Kind) []string {
	w.t.Helper()
	w.at = w.at.Add(time.Minute)
	w.clock.set(w.at)
	for _, key := range []string{"a", "b", "c"} {
		w.script.on(key, nil)
		if kind := ends[key]; kind != "" {
			w.script.on(key, fails(kindError(kind)))
		}
	}
	before := len(w.sent.events())
	s.Campaign = "news"
	o := w.open(s)
	_, err := w.fetch(o)
	require.NoError(w.t, err)
	w.close(o)
	_, err = do(w.world, steps.Notify, steps.NotifyIn{RunOf: o.RunOf})
	require.NoError(w.t, err)
	return w.sent.events()[before:]
}

func TestARunOfSomeItemsSpeaksForThoseOnly(t *testing.T) {
	t.Parallel()
	gone := map[string]harvest.Kind{"a": harvest.KindGone, "b": harvest.KindGone}
	for name, part := range map[string]steps.Start{
		"items":    {Items: []string{"c"}},
		"retry of": {RetryOf: "news-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := alarmed(t, campaigns.Alert{When: []outcomes.Outcome{outcomes.Failed}}, "a", "b", "c")
			require.Equal(t, []string{"failed"}, w.told(steps.Start{}, gone))
			require.Empty(t, w.told(part, nil), "it speaks for those items only")
			require.Empty(t, w.told(steps.Start{}, gone), "it was told already")
			require.Equal(t, []string{"recovered"}, w.told(steps.Start{}, nil))
		})
	}
	t.Run("of a rule per item", func(t *testing.T) {
		t.Parallel()
		w := alarmed(t, campaigns.Alert{Per: "item", When: []outcomes.Outcome{outcomes.Gone}}, "a", "b", "c")
		require.Equal(t, []string{"gone"}, w.told(steps.Start{}, gone))
		require.Empty(t, w.told(steps.Start{Items: []string{"c"}}, nil))
		require.Equal(t, []string{"recovered"}, w.told(steps.Start{Items: []string{"a"}}, nil))
		last := w.sent.sent[len(w.sent.sent)-1]
		require.Len(t, last.Items, 1)
		require.Equal(t, "a", last.Items[0].Item)
		require.Equal(t, []string{"recovered"}, w.told(steps.Start{}, nil), "and b with the next run of all")
		require.Equal(t, []string{"gone", "recovered"}, append(w.told(steps.Start{Items: []string{"a"}}, gone), w.told(steps.Start{}, nil)...))
	})
}

func TestWorseIsNoRecovery(t *testing.T) {
	t.Parallel()
	for _, kind := range []harvest.Kind{harvest.KindGone, harvest.KindThrottled, harvest.KindTimeout} {
		w := alarmed(t, campaigns.Alert{When: []outcomes.Outcome{outcomes.Warnings}}, "a")
		w.script.on("a", pages(unread(1, "r1")))
		o := w.open(steps.Start{Campaign: "news"})
		_, err := w.fetch(o)
		require.NoError(t, err)
		w.close(o)
		_, err = do(w.world, steps.Notify, steps.NotifyIn{RunOf: o.RunOf})
		require.NoError(t, err)
		require.Equal(t, []string{"warnings"}, w.sent.events())
		require.Empty(t, w.told(steps.Start{}, map[string]harvest.Kind{"a": kind}), "%s is no recovery", kind)
	}
	w := alarmed(t, campaigns.Alert{Per: "item", When: []outcomes.Outcome{outcomes.Broken}}, "a", "b")
	require.Equal(t, []string{"broken"}, w.told(steps.Start{}, map[string]harvest.Kind{"a": harvest.KindBroken}))
	require.Empty(t, w.told(steps.Start{}, map[string]harvest.Kind{"a": harvest.KindGone}))
	require.Equal(t, []string{"recovered"}, w.told(steps.Start{}, nil))
}

func TestWhatWasNeverSentDoesNotRecover(t *testing.T) {
	t.Parallel()
	w := alarmed(t, campaigns.Alert{}, "a")
	w.sent.err = harvest.Errorf(harvest.KindMisconfigured, "notify", "https://hook.example", "no such hook")
	require.Empty(t, w.told(steps.Start{}, map[string]harvest.Kind{"a": harvest.KindGone}))
	w.sent.err = nil
	require.Empty(t, w.told(steps.Start{}, nil), "nobody knows that anything was wrong")
	require.Equal(t, []string{"gone"}, w.told(steps.Start{}, map[string]harvest.Kind{"a": harvest.KindGone}))
	require.Equal(t, []string{"recovered"}, w.told(steps.Start{}, nil))
}

func TestOneMessageOfWhoIsBadAndOneOfWhoIsWell(t *testing.T) {
	t.Parallel()
	w := alarmed(t, campaigns.Alert{Per: "item"}, "a", "b", "c")
	require.Equal(t, []string{"gone"}, w.told(steps.Start{}, map[string]harvest.Kind{"a": harvest.KindGone}))
	require.Equal(t, []string{"gone", "recovered"}, w.told(steps.Start{}, map[string]harvest.Kind{"b": harvest.KindGone}))
}

func TestRecoveredAfterMissedFollowsWhatWasSent(t *testing.T) {
	t.Parallel()
	for name, sendErr := range map[string]error{"sent": nil, "never sent": harvest.Errorf(harvest.KindMisconfigured, "notify", "", "no such hook")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			noon := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
			w.clock.set(noon)
			news := campaign("news", "a")
			news.Schedule = &campaigns.Schedule{Every: time.Hour, TimeZone: "UTC", Jitter: new(time.Duration), CatchUp: time.Minute, Overlap: campaigns.OverlapSkip}
			news.Notify = []campaigns.Alert{{To: "https://hook.example", When: []outcomes.Outcome{outcomes.Missed}}}
			w.apply(news)
			w.clock.set(noon.Add(90 * time.Minute))
			w.sent.err = sendErr
			out, err := do(w, steps.FindMissed, steps.FindMissedIn{})
			require.NoError(t, err)
			require.Equal(t, 1, out.Found)
			w.sent.err = nil
			w.clock.set(noon.Add(2 * time.Hour))
			o := w.open(steps.Start{Campaign: "news"})
			_, err = w.fetch(o)
			require.NoError(t, err)
			sum := w.close(o)
			require.Equal(t, sendErr == nil, sum.Notify)
			unsent, err := w.store.Messages(t.Context(), rows.MessageFilter{Unsent: true})
			require.NoError(t, err)
			require.Len(t, unsent, 1, "what cannot be sent stays to be seen, else the recovery is on its way")
		})
	}
}
