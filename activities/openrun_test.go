package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func scheduled(c campaigns.Campaign, s campaigns.Schedule) campaigns.Campaign {
	c.Schedule = &s
	return c
}

func TestStartsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "ansa-economia", "ilpost"))
	unknown := campaign("odd", "a")
	unknown.Entries[0].Fetcher = "scriptde"
	w.apply(unknown)
	twins := campaign("twins", "a", "b", "a")
	w.apply(twins)
	w.apply(campaign("left", "a"))
	require.NoError(t, w.store.RemoveCampaigns(t.Context(), []string{"left"}, "marta"))
	w.once(steps.Start{Campaign: "news"})
	for _, c := range []struct {
		name  string
		start steps.Start
		why   string
	}{
		{"nothing", steps.Start{}, "a start must say what to run"},
		{"both", steps.Start{Campaign: "news", Fetcher: "feed"}, "a campaign or a fetcher, not both"},
		{"typo", steps.Start{Campaign: "nws"}, "there is no campaign nws in this store; did you mean news?"},
		{"unknown", steps.Start{Campaign: "weather"}, "apply its file first"},
		{"removed", steps.Start{Campaign: "left"}, "campaign left was removed on"},
		{"no such definition", steps.Start{Campaign: "news", Definition: "news@9"}, "there is no definition news@9; the current one is news@1"},
		{"odd definition", steps.Start{Campaign: "news", Definition: "seven"}, "it is written news@1"},
		{"no such item", steps.Start{Campaign: "news", Items: []string{"ansa-econmia", "zzz"}}, "no item ansa-econmia (did you mean ansa-economia?), zzz"},
		{"fetcher typo", steps.Start{Fetcher: "scriptd"}, "did you mean scripted?"},
		{"fetcher params", steps.Start{Fetcher: "scripted", Params: []byte(`{"nam":"x"}`)}, "nam no such param; did you mean name?"},
		{"fetcher of a campaign", steps.Start{Campaign: "odd"}, "campaign odd: "},
		{"twins", steps.Start{Campaign: "twins"}, `two items have the key "a"`},
		{"retry of nothing", steps.Start{Campaign: "news", RetryOf: "news-77"}, "news-77"},
		{"retry of all done", steps.Start{Campaign: "news", RetryOf: "news-1"}, "left nothing undone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := do(w, steps.OpenRun, w.in(c.start))
			require.NoError(t, err)
			require.Equal(t, outcomes.Misconfigured, out.Refused)
			require.Contains(t, out.Why, c.why)
		})
	}
	open, err := w.store.OpenRuns(t.Context())
	require.NoError(t, err)
	require.Empty(t, open, "a refused start leaves no open run behind")
	kept, err := w.store.Runs(t.Context(), rows.RunFilter{Campaign: "odd"})
	require.NoError(t, err)
	require.Len(t, kept, 1, "a refused run of a campaign is kept")
	require.Equal(t, outcomes.Misconfigured, kept[0].Outcome)
}

func TestAdhoc(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	start := steps.Start{Fetcher: "scripted", Params: json.RawMessage(`{"name":"x"}`)}
	o := w.open(start)
	require.Equal(t, "adhoc-scripted", o.Campaign)
	require.Equal(t, "adhoc-scripted@1", o.Definition)
	require.Equal(t, "x", o.Label)
	require.Equal(t, steps.TriggerHand, o.Trigger)
	require.Equal(t, []string{"x"}, o.Ranges[0].Labels)
	other := w.open(steps.Start{Fetcher: "scripted", Params: json.RawMessage(`{"name":"y"}`)})
	require.Equal(t, "adhoc-scripted@2", other.Definition, "another one beside it")
	for _, run := range []steps.Opened{o, other} {
		_, err := w.fetch(run)
		require.NoError(t, err)
		require.Equal(t, outcomes.Done, w.close(run).Outcome)
	}
	again := w.open(start)
	require.Equal(t, "adhoc-scripted@3", again.Definition)
	_, err := w.fetch(again)
	require.NoError(t, err)
	require.Equal(t, outcomes.Unchanged, w.close(again).Outcome, "its checkpoint is its own")
}

func TestOverrides(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b", "c"))
	o := w.open(steps.Start{Campaign: "news", Params: []byte(`{"max":7}`), Items: []string{"b"}, Processors: 9})
	require.Equal(t, 1, o.Items)
	require.Equal(t, 9, o.Processors)
	require.JSONEq(t, `{"max":7,"name":"b"}`, string(w.items(o.Run)["b"].Params))
}

func TestRetryTakesWhatWasLeftUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b", "c"))
	w.script.on("b", fails(kindError(harvest.KindBroken)))
	require.Equal(t, outcomes.Failed, w.once(steps.Start{Campaign: "news"}).Outcome)
	o := w.open(steps.Start{Campaign: "news", RetryOf: "news-1", Trigger: steps.TriggerRetry})
	require.Equal(t, steps.TriggerRetry, o.Trigger)
	require.Equal(t, 1, o.Items)
	require.Contains(t, w.items(o.Run), "b")
}

func TestTriggerIsCorrectedByTheFireTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(scheduled(campaign("news", "a"), campaigns.Schedule{Every: 2 * time.Hour, Overlap: campaigns.OverlapAllow}))
	due := time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		said steps.Trigger
		due  time.Time
		want steps.Trigger
	}{
		{steps.TriggerSchedule, due, steps.TriggerSchedule},
		{"", due, steps.TriggerSchedule},
		{steps.TriggerSchedule, due.Add(13 * time.Minute), steps.TriggerHand}, // the Web UI's own button
		{"", time.Time{}, steps.TriggerHand},
		{steps.TriggerBackfill, time.Time{}, steps.TriggerBackfill},
	} {
		in := w.in(steps.Start{Campaign: "news", Trigger: c.said})
		in.DueAt = c.due
		out, err := do(w, steps.OpenRun, in)
		require.NoError(t, err)
		require.Equal(t, c.want, out.Trigger, "%s at %s", c.said, c.due)
	}
}

// breaking fails one call of the store, as a crash between two steps would.
type breaking struct {
	seam
	at    string
	calls int
}

var errCrash = errors.New("crash")

func (b *breaking) crash(at string) error {
	if b.at != at {
		return nil
	}
	b.at = ""
	return errCrash
}

func (b *breaking) OpenRun(ctx context.Context, n rows.NewRun) (rows.Gate, error) {
	g, err := b.seam.OpenRun(ctx, n)
	return g, errors.Join(err, b.crash("opened"))
}

func (b *breaking) AddItems(ctx context.Context, run int64, items []rows.RunItem) error {
	b.calls++
	if b.at == "half the items" {
		items = items[:len(items)/2]
	}
	return errors.Join(b.seam.AddItems(ctx, run, items), b.crash("half the items"), b.crash("all items"))
}

func (b *breaking) SealRun(ctx context.Context, run int64, p int, deadline time.Time) (int, error) {
	n, err := b.seam.SealRun(ctx, run, p, deadline)
	return n, errors.Join(err, b.crash("sealed"))
}

func TestOpenRunGoesOnAfterACrash(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"opened", "half the items", "all items", "sealed"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			news := campaign("news")
			for i := range 40 {
				news.Entries[0].Split.Items = append(news.Entries[0].Split.Items, row(fmt.Sprintf("i%d@h%d.example", i, i%3)))
			}
			w.apply(news)
			broken := &breaking{seam: w.store, at: at}
			w.seam = broken
			in := w.in(steps.Start{Campaign: "news"})
			_, err := do(w, steps.OpenRun, in)
			require.ErrorContains(t, err, "crash")

			// Somebody applies another definition meanwhile: the first one stays.
			w.apply(campaign("news", "other"))
			out, err := do(w, steps.OpenRun, in)
			require.NoError(t, err)
			require.Equal(t, "news@1", out.Definition)
			require.Equal(t, 40, out.Items)
			require.Len(t, w.items(out.Run), 40)
			third, err := do(w, steps.OpenRun, in)
			require.NoError(t, err)
			require.Equal(t, out, third, "asked again, the same answer")
		})
	}
}

func TestDispatchOrderInTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a1@a.example", "a2@a.example", "a3@a.example", "b1@b.example", "b2@b.example", "c1@c.example"))
	o := w.open(steps.Start{Campaign: "news"})
	require.Equal(t, []string{"a1", "b1", "c1", "a2", "b2", "a3"}, o.Ranges[0].Labels)
	require.False(t, o.Ranges[0].Shared, "an activity each")
}

func TestEntriesHaveTheirOwnRangesQueuesAndPriorities(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Queue = func(name string) string { return "lib-" + name }
	news := campaign("news", "a", "b")
	second := campaign("x", "c").Entries[0]
	second.Name, second.Queue, second.Priority = "second", "library", campaigns.PriorityIdle
	news.Entries = append(news.Entries, second)
	w.apply(news)
	o := w.open(steps.Start{Campaign: "news"})
	require.Equal(t, []steps.Range{
		{Entry: "scripted", Queue: "lib-vendemmia-fetch", Lo: 0, Hi: 1, Priority: 3, Labels: []string{"a", "b"}},
		{Entry: "second", Queue: "lib-library", Lo: 1 << 32, Hi: 1 << 32, Priority: 5, Labels: []string{"c"}},
	}, o.Ranges)
}

func TestStoredListIsExpanded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.store.SaveList(t.Context(), "sha256:l", func(yield func(rows.ListRow) bool) {
		for i := range 1200 {
			if !yield(rows.ListRow(fmt.Sprintf(`{"key":"k%d","label":"L%d","params":{"name":"n%d"}}`, i, i, i))) {
				return
			}
		}
	}))
	news := campaign("news")
	news.Entries[0].Split = &campaigns.Split{List: "sha256:l", Count: 1200, Exclude: []string{"k1?"}}
	w.apply(news)
	o := w.open(steps.Start{Campaign: "news"})
	require.Equal(t, 1190, o.Items)
	require.Equal(t, []steps.Range{{Queue: "vendemmia-fetch", Shared: true, Chunk: 20, Priority: 3, Left: 1190}}, o.Ranges)
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 3, 16, 0, 7, 0, time.UTC)
	every := campaigns.Schedule{Every: 2 * time.Hour}
	daily := campaigns.Schedule{At: []string{"18:00", "22:30"}}
	for _, c := range []struct {
		name     string
		schedule *campaigns.Schedule
		timeouts campaigns.Timeouts
		run      rows.Run
		want     time.Time
	}{
		{"by hand", nil, campaigns.Timeouts{}, rows.Run{}, at.Add(7 * 24 * time.Hour)},
		{"given", &every, campaigns.Timeouts{Run: time.Hour}, rows.Run{}, at.Add(time.Hour)},
		{"none is none", &every, campaigns.Timeouts{Endless: true}, rows.Run{}, time.Time{}},
		{"until next", &every, campaigns.Timeouts{UntilNext: true}, rows.Run{}, time.Date(2026, 5, 3, 18, 0, 0, 0, time.UTC)},
		{"gap after the due time", &every, campaigns.Timeouts{}, rows.Run{DueAt: at.Add(-7 * time.Second)}, time.Date(2026, 5, 3, 18, 0, 0, 0, time.UTC)},
		{"gap, started late", &every, campaigns.Timeouts{}, rows.Run{DueAt: at.Add(-100 * time.Minute)}, at.Add(2 * time.Hour)},
		{"shortest gap", &daily, campaigns.Timeouts{}, rows.Run{}, at.Add(4*time.Hour + 30*time.Minute)},
		{"backfill", &every, campaigns.Timeouts{}, rows.Run{Lane: "backfill"}, at.Add(7 * 24 * time.Hour)},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run.StartedAt = at
			require.Equal(t, c.want, deadline(&campaigns.Campaign{Schedule: c.schedule, Timeouts: c.timeouts}, c.run).UTC())
		})
	}
}

func TestAMistakeFoundWhileOpeningIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	twins := campaign("twins", "a", "a")
	twins.Notify = []campaigns.Alert{{To: "https://x.example", When: []outcomes.Outcome{outcomes.Misconfigured}}}
	w.apply(twins)
	out, err := do(w, steps.OpenRun, w.in(steps.Start{Campaign: "twins"}))
	require.NoError(t, err)
	require.Equal(t, outcomes.Misconfigured, out.Refused)
	_, err = do(w, steps.Reconcile, steps.ReconcileIn{})
	require.NoError(t, err)
	require.Equal(t, []string{"misconfigured"}, w.sent.events(), "housekeeping sends what a refused run left in the outbox")
}
