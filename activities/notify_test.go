package activities

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

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
		_, err = do(w, steps.Notify, steps.NotifyIn{RunOf: o.RunOf})
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
	bad := []outcomes.Outcome{outcomes.Failed}
	for _, c := range []struct {
		name string
		rule campaigns.Alert
		ends []harvest.Kind
		want []string
	}{
		{"once, then recovered", campaigns.Alert{When: bad}, []harvest.Kind{ok, gone, gone, ok, ok}, []string{"", "failed", "", "recovered", ""}},
		{"after three in a row", campaigns.Alert{When: bad, After: 3}, []harvest.Kind{gone, gone, gone, gone, ok}, []string{"", "", "failed", "", "recovered"}},
		{"not long enough", campaigns.Alert{When: bad, After: 3}, []harvest.Kind{gone, gone, ok, gone, gone, ok}, []string{"", "", "", "", "", ""}},
		{"other outcomes", campaigns.Alert{When: []outcomes.Outcome{outcomes.Throttled}}, []harvest.Kind{gone, ok}, []string{"", ""}},
		{"all that need attention", campaigns.Alert{}, []harvest.Kind{gone, ok}, []string{"failed", "recovered"}},
		{"per item", campaigns.Alert{Per: "item", When: []outcomes.Outcome{outcomes.Gone}}, []harvest.Kind{ok, gone, gone, broken, gone, ok}, []string{"", "gone", "", "", "", "recovered"}},
		{"per item, after two", campaigns.Alert{Per: "item", After: 2, When: []outcomes.Outcome{outcomes.Gone, outcomes.Broken}}, []harvest.Kind{gone, broken, gone, ok, gone, ok}, []string{"", "broken", "", "recovered", "", ""}},
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
	sum, err := do(w, steps.CloseRun, steps.CloseRunIn{RunOf: steps.RunOf{Run: o.Run}, Cause: outcomes.WhyCancelled})
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
	_, err = do(w, steps.Notify, steps.NotifyIn{RunOf: steps.RunOf{Run: o.Run}})
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
