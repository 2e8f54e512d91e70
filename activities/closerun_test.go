package activities

import (
	"errors"
	"fmt"
	"strings"
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

func TestCloseRunClosesWhatIsOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in     steps.CloseRunIn
		item   outcomes.Outcome
		why    string
		run    outcomes.Outcome
		failed bool
	}{
		{steps.CloseRunIn{Cause: outcomes.WhyCancelled}, outcomes.Cancelled, "cancelled", outcomes.Cancelled, false},
		{steps.CloseRunIn{Cause: outcomes.WhyNextTick}, outcomes.Failed, "next-tick", outcomes.Failed, true},
		{steps.CloseRunIn{Error: "the store was away"}, outcomes.Failed, "left open", outcomes.Failed, true},
		{steps.CloseRunIn{}, outcomes.Failed, "left open", outcomes.Failed, true},
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
			again, err := do(w, steps.CloseRun, steps.CloseRunIn{RunOf: steps.RunOf{Run: o.Run}})
			require.NoError(t, err)
			require.Equal(t, sum, again, "the first end stays")
		})
	}
}

func TestSummaryIsWhatPeopleSeeFirst(t *testing.T) {
	t.Parallel()
	w, began := newWorld(t), time.Now()
	w.clock.set(began)
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
	w.clock.set(began.Add(3*time.Minute + 14*time.Second))
	sum := w.close(o)
	require.Equal(t, outcomes.Failed, sum.Outcome)
	require.Equal(t, "8 of 20 items; 8 broken", sum.Why)
	require.Equal(t, "failed: 8 of 20 items; 8 broken · starter runs show news-1", sum.Failed)
	require.Len(t, sum.LookAt, 5)
	for _, text := range sum.LookAt {
		require.LessOrEqual(t, len([]rune(text)), maxText)
		require.NotContains(t, text, "secret")
	}
	require.Equal(t, 8, sum.FailedItems)
	require.Equal(t, steps.Documents{Listed: 12, New: 12}, sum.Documents)
	require.Equal(t, "3m14s", sum.Took)
	run, err := w.store.FindRun(t.Context(), "news")
	require.NoError(t, err)
	require.Equal(t, outcomes.Failed, run.Outcome)
}

func TestExpectRunFreshWithin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a")
	news.Expect = campaigns.RunExpectation{FreshWithin: 48 * time.Hour, Fail: true}
	w.apply(news)
	require.Equal(t, outcomes.Done, w.once(steps.Start{Campaign: "news"}).Outcome)
	require.Equal(t, outcomes.Unchanged, w.once(steps.Start{Campaign: "news"}).Outcome)
	w.clock.set(time.Now().Add(72 * time.Hour))
	sum := w.once(steps.Start{Campaign: "news"})
	require.Equal(t, outcomes.Empty, sum.Outcome)
	require.Contains(t, sum.Failed, "nothing new or changed within 2d")
}

func TestSkipItem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	o := w.open(steps.Start{Campaign: "news"})
	_, err := do(w, steps.SkipItem, steps.SkipItemIn{RunOf: o.RunOf, Key: "a", By: "marta"})
	require.NoError(t, err)
	_, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, outcomes.Skipped, w.items(o.Run)["a"].Outcome)
	require.Equal(t, "skipped by hand (marta)", w.items(o.Run)["a"].Why)
	require.Equal(t, outcomes.Done, w.close(o).Outcome)
	_, err = do(w, steps.SkipItem, steps.SkipItemIn{RunOf: steps.RunOf{Run: o.Run}, Key: "zzz"})
	require.ErrorContains(t, err, "the run has no item zzz")
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	require.True(t, ok && app.NonRetryable(), "a wrong key is an answer: asking again would not help")
}

// What the next tick breaks off goes on where it was: it asks to be started again. What
// fails by itself does not.
func TestTheEndingOfARun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err     error
		wait    time.Duration
		ending  outcomes.Ending
		outcome outcomes.Outcome
	}{
		"well":                           {nil, 0, outcomes.EndedOK, outcomes.Done},
		"throttled beyond the next tick": {kindError(harvest.KindThrottled), 2 * time.Hour, outcomes.EndedLater, outcomes.Throttled},
		"failing beyond the next tick":   {kindError(harvest.KindServerError), 2 * time.Hour, outcomes.EndedLater, outcomes.Failed},
		"failing":                        {kindError(harvest.KindBroken), 0, outcomes.EndedError, outcomes.Broken},
	} {
		w := newWorld(t)
		news := campaign("news", "a")
		news.Timeouts.Run = time.Hour
		if c.wait > 0 {
			news.Entries[0].Retry = []retry.Rule{{Times: retry.Forever, Wait: c.wait}}
		}
		w.apply(news)
		if c.err != nil {
			w.script.on("a", fails(c.err))
		}
		sum := w.once(steps.Start{Campaign: "news"})
		require.Equal(t, c.outcome, sum.Outcome, name)
		require.Equal(t, c.ending, sum.Ending, name)
		run, err := w.store.FindRun(t.Context(), "news")
		require.NoError(t, err)
		require.Equal(t, c.ending, run.Ending(), name)
	}
}
