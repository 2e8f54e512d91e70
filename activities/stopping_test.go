package activities

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestAWorkerThatStopsHandsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b", "c", "d", "e"))
	began, letGo := make(chan struct{}, 5), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "a-1")))
	w.script.on("b", holds(began, nil, page(1)))
	for _, name := range []string{"c", "d"} {
		w.script.on(name, holds(began, letGo, page(1, name+"-1")))
	}
	go func() {
		for range 4 {
			<-began
		}
		close(w.stop)
		close(letGo)
	}()
	o := w.open(steps.Start{Campaign: "news"})
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 5, out.Left)
	require.Equal(t, "this worker is stopping", out.Why)
	require.Zero(t, w.script.count("e"), "nothing new was begun")
	require.Equal(t, 3, w.documents(), "the pages at work were committed, b's never came")
	for key, item := range w.items(o.Run) {
		require.Equal(t, rows.ItemOpen, item.State, key)
		require.Zero(t, item.Attempts, "a hand-back burns no attempt")
	}
	w.stop = make(chan struct{})
	w.script.on("b", nil)
	out, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 5, out.Closed)
}

func TestACancelledChunkHandsBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	ctx, cancel := context.WithCancelCause(t.Context())
	began, letGo := make(chan struct{}, 1), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "a-1")))
	go func() {
		<-began
		cancel(temporal.NewCanceledError())
		close(letGo)
	}()
	o := w.open(steps.Start{Campaign: "news"})
	out, err := doWith(w, steps.FetchItems, steps.FetchItemsIn{RunOf: steps.RunOf{Run: o.Run}, Width: 1}, func(e *testsuite.TestActivityEnvironment) {
		e.SetWorkerOptions(worker.Options{BackgroundActivityContext: ctx})
	})
	require.NoError(t, err)
	require.Equal(t, 1, out.Left)
	require.Equal(t, "handed back: "+string(temporalx.Cancel), out.Why)
	require.Equal(t, 1, w.documents())
}

func TestARunThatIsStoppedStopsAtTheNextPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	began, letGo := make(chan struct{}, 2), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "a-1")))
	w.script.on("b", holds(began, letGo, page(1, "b-1")))
	o := w.open(steps.Start{Campaign: "news"})
	go func() {
		<-began
		<-began
		_, err := do(w, steps.StopRun, steps.StopRunIn{RunOf: o.RunOf, By: "marta"})
		if err == nil {
			close(letGo)
		}
	}()
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.True(t, out.Stopped)
	require.Equal(t, 2, out.Left)
	require.Equal(t, 2, w.documents())
	sum, err := do(w, steps.CloseRun, steps.CloseRunIn{RunOf: steps.RunOf{Run: o.Run}, Cause: outcomes.WhyCancelled})
	require.NoError(t, err)
	require.Equal(t, outcomes.Cancelled, sum.Outcome)
	require.Equal(t, map[outcomes.Outcome]int{outcomes.Cancelled: 2}, sum.Items)
	require.Equal(t, 2, sum.Documents.New)
}

func TestAPausedRunHandsBackAndTakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	require.NoError(t, w.store.PauseRun(t.Context(), o.Run, "by marta: firewall"))
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Left)
	require.Contains(t, out.Why, "by marta: firewall")
	require.Zero(t, w.script.count("a"))
}

func TestPausedItemsAreSkipped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	news := campaign("news", "a", "b", "c")
	news.Entries[0].Split.Items[1].Paused = "feed is moving"
	w.apply(news)
	require.Equal(t, 2, w.once(steps.Start{Campaign: "news"}).Items[outcomes.Done])
	item := units.Item{Campaign: "news", Entry: "scripted", Key: "a"}
	require.NoError(t, w.store.PauseItem(t.Context(), item, &rows.Pause{By: "marta", Note: "until Monday", At: time.Now()}))
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.fetch(o)
	require.NoError(t, err)
	items := w.items(o.Run)
	for key, note := range map[string]string{"a": "until Monday", "b": "feed is moving"} {
		require.Equal(t, outcomes.Skipped, items[key].Outcome, key)
		require.Equal(t, string(outcomes.WhyPaused), items[key].Why)
		require.Equal(t, note, items[key].Error)
	}
	require.Equal(t, 1, w.script.count("a"))
	require.Zero(t, w.script.count("b"))
}
