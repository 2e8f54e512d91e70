package activities

import (
	"context"
	"errors"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestRetryOfOneItemIsTemporalsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Entries[0].Retry = []retry.Rule{{Times: 2, Wait: 20 * time.Second}}
	w.apply(news)
	w.clock.set(time.Now())
	w.script.on("a", fails(kindError(harvest.KindServerError)))
	o := w.open(steps.Start{Campaign: "news"})
	for attempt := 1; attempt <= 2; attempt++ {
		_, err := w.fetch(o)
		var app *temporal.ApplicationError
		require.ErrorAs(t, err, &app)
		require.InDelta(t, 20, app.NextRetryDelay().Seconds(), 0.01)
		require.Equal(t, "server_error", app.Type())
		require.False(t, app.NonRetryable())
		require.Contains(t, app.Message(), "no luck")
		require.NotContains(t, app.Message(), "token")
		require.Equal(t, attempt, w.items(o.Run)["a"].Attempts)
		w.clock.set(w.clock.now().Add(21 * time.Second))
	}
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Closed)
	item := w.items(o.Run)["a"]
	require.Equal(t, outcomes.Failed, item.Outcome)
	require.Equal(t, string(outcomes.WhyTriedTooManyTimes), item.Why)
	require.Equal(t, 3, item.Attempts)
	require.Equal(t, 3, w.script.count("a"))
}

func TestLongWaitIsHandedBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a@slow.example")
	news.Entries[0].Retry = []retry.Rule{{When: []harvest.Kind{harvest.KindThrottled}, Times: 20, Wait: time.Minute, Queue: "patient"}}
	w.apply(news)
	now := time.Now().Truncate(time.Microsecond)
	w.clock.set(now)
	w.script.on("a", fails(&harvest.Error{Kind: harvest.KindThrottled, Op: "get", RetryAfter: 3 * time.Hour, Err: errors.New("HTTP status 429")}))
	o := w.open(steps.Start{Campaign: "news"})
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Left)
	require.WithinDuration(t, now.Add(3*time.Hour), out.NextAt, 0)
	require.Equal(t, "slow.example rests until "+now.Add(3*time.Hour).UTC().Format("15:04:05 UTC"), out.Why)
	require.Equal(t, "patient", out.Queue)
	item := w.items(o.Run)["a"]
	require.Equal(t, []int{0, 1}, []int{item.Attempts, item.Throttles}, "throttling burns no attempt")

	out, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Left, "asked before its time: not due, not fetched")
	require.Equal(t, 1, w.script.count("a"))
}

// What we ourselves hold back, because a person has paused the host, counts neither
// as an attempt nor as throttling, however often it is tried: its time is the run's.
func TestHeldBackBurnsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a@slow.example")
	news.Entries[0].Retry = []retry.Rule{{Times: 0}}
	news.Timeouts.Run = 2 * time.Hour
	w.apply(news)
	now := time.Now().Truncate(time.Microsecond)
	w.clock.set(now)
	w.script.on("a", fails(&harvest.Error{Kind: harvest.KindThrottled, Op: "get", Deferred: true, RetryAfter: 10 * time.Minute, Err: errors.New("the host is paused: they rebuild")}))
	o := w.open(steps.Start{Campaign: "news"})
	for n := range 10 {
		out, err := w.fetch(o)
		require.NoError(t, err)
		require.Equal(t, 1, out.Left)
		require.WithinDuration(t, w.clock.now().Add(10*time.Minute), out.NextAt, 0)
		require.Equal(t, "slow.example: the host is paused: they rebuild, again at "+out.NextAt.UTC().Format("15:04:05 UTC"), out.Why)
		item := w.items(o.Run)["a"]
		require.Equal(t, []int{0, 0}, []int{item.Attempts, item.Throttles}, "time %d", n)
		w.clock.set(out.NextAt.Add(time.Millisecond))
	}
	w.clock.set(now.Add(110*time.Minute + time.Second))
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Closed)
	require.Equal(t, string(outcomes.WhyNextTick), w.items(o.Run)["a"].Why)
}

func TestWaitBeyondTheDeadlineIsNextTick(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*campaigns.Campaign)
	}{
		{"run", func(c *campaigns.Campaign) { c.Timeouts.Run = time.Hour }},
		{"item", func(c *campaigns.Campaign) { c.Entries[0].Timeouts.Item = time.Hour }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			news := campaign("news", "a")
			news.Entries[0].Retry = []retry.Rule{{Times: retry.Forever, Wait: 2 * time.Hour}}
			c.change(&news)
			w.apply(news)
			w.script.on("a", fails(kindError(harvest.KindThrottled)))
			o := w.open(steps.Start{Campaign: "news"})
			out, err := w.fetch(o)
			require.NoError(t, err)
			require.Equal(t, 1, out.Closed)
			item := w.items(o.Run)["a"]
			require.Equal(t, outcomes.Throttled, item.Outcome)
			require.Equal(t, string(outcomes.WhyNextTick), item.Why)
		})
	}
}

func TestTheDeadlineStopsAnItemBetweenPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a", "b")
	news.Timeouts.Run = time.Hour
	w.apply(news)
	start := time.Now()
	w.clock.set(start)
	w.script.on("a", func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			w.clock.set(start.Add(2 * time.Hour))
			if yield(page(1, "x"), nil) {
				yield(page(2, "y"), nil)
			}
		}
	})
	o := w.open(steps.Start{Campaign: "news"})
	r := o.Ranges[0]
	out, err := do(w, steps.FetchItems, w.whole(o, r, 1))
	require.NoError(t, err)
	require.Zero(t, out.Left)
	items := w.items(o.Run)
	require.Equal(t, outcomes.Partial, items["a"].Outcome)
	require.Equal(t, string(outcomes.WhyNextTick), items["a"].Why)
	require.Equal(t, outcomes.Failed, items["b"].Outcome, "its turn never came")
	require.Zero(t, w.script.count("b"))
	require.Equal(t, 1, w.documents(), "the page at work was kept")
}

func TestAFetcherThatIgnoresItsContextIsLeftBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a", "b")
	news.Entries[0].Timeouts.Page = 30 * time.Millisecond
	w.apply(news)
	letGo := make(chan struct{})
	late := make(chan bool, 1)
	w.script.on("a", func(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			<-letGo
			late <- yield(page(1, "too-late"), nil)
		}
	})
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.NoError(t, err)
	item := w.items(o.Run)["a"]
	require.Equal(t, harvest.KindInternal, item.Kind)
	require.Contains(t, item.Error, "was left behind")
	close(letGo)
	require.False(t, <-late, "what comes later is not committed")
	require.Equal(t, 1, w.documents(), "only b's")
}

// retry.queue holds for short waits too: the item is not tried again here.
func TestAnotherQueueHoldsForShortWaits(t *testing.T) {
	t.Parallel()
	for _, items := range [][]string{{"a"}, {"a", "b"}} {
		w := newWorld(t)
		w.Queue = func(name string) string { return "lib-" + name }
		news := campaign("news", items...)
		news.Entries[0].Retry = []retry.Rule{{Times: 3, Wait: time.Second, Queue: "slow"}}
		w.apply(news)
		w.script.on("a", fails(kindError(harvest.KindServerError)))
		o := w.open(steps.Start{Campaign: "news"})
		out, err := w.fetch(o)
		require.NoError(t, err)
		require.Equal(t, "lib-slow", out.Queue)
		require.Equal(t, 1, w.script.count("a"), "%d items", len(items))
		require.Equal(t, "lib-slow", w.items(o.Run)["a"].Queue)
	}
}
