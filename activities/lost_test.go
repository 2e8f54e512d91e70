package activities

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func TestFencedPageIsDroppedAndTheItemReadAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	item := units.Item{Campaign: "news", Entry: "scripted", Key: "a"}
	var once sync.Once
	w.script.on("a", func(_ context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
		return func(yield func(harvest.Page, error) bool) {
			// Somebody sets the checkpoint while the first page is on its way.
			once.Do(func() { require.NoError(t, w.store.SetCheckpoint(t.Context(), item, "", []byte(`{"page":7}`))) })
			yield(page(8, fmt.Sprintf("after %s", req.Checkpoint)), nil)
		}
	})
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Closed)
	require.Equal(t, 2, w.script.count("a"))
	_, err = w.store.Document(t.Context(), "news", `after {"page":7}`)
	require.NoError(t, err)
	require.Equal(t, 1, w.documents())
}

// A zombie is an attempt that was given up and lives on: its pages are fenced.
func TestZombieCommitsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	o := w.open(steps.Start{Campaign: "news"})
	began, letGo := make(chan struct{}, 1), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "of-the-zombie")))
	done := make(chan steps.Fetched)
	go func() {
		out, err := w.fetch(o)
		if err == nil {
			done <- out
		}
		close(done)
	}()
	<-began
	w.script.on("a", pages(page(1, "of-the-living")))
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 1, out.Closed)
	require.Equal(t, 1, w.items(o.Run)["a"].Lost)
	close(letGo)
	zombie := <-done
	require.Zero(t, zombie.Closed)
	require.Equal(t, 1, w.documents())
	_, err = w.store.Document(t.Context(), "news", "of-the-living")
	require.NoError(t, err)
}

func TestAPoisonedItemIsGivenUpAfterThreeWorkers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	o := w.open(steps.Start{Campaign: "news"})
	// Two dying workers have both, the third one a alone.
	for i := range 3 {
		c, err := w.store.Claim(t.Context(), rows.Claim{Run: o.Run, Shared: true, Idle: true, Queue: o.Ranges[0].Queue, Epoch: int64(i + 1), Worker: "dead", Max: 5, Now: time.Now()})
		require.NoError(t, err)
		require.NotEmpty(t, c.Items)
	}
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 2, out.Closed)
	items := w.items(o.Run)
	require.Equal(t, outcomes.Failed, items["a"].Outcome)
	require.Equal(t, string(outcomes.WhyWorkerLost), items["a"].Why)
	require.Zero(t, w.script.count("a"), "it was not run again")
	require.Equal(t, outcomes.Done, items["b"].Outcome, "lost twice: only one was handed out at a time after the second death")
}

// One death may have been bad luck: what a killed worker held goes on at once,
// side by side.
func TestItemsThatLostOneWorkerRunSideBySide(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b", "c", "d"))
	o := w.open(steps.Start{Campaign: "news"})
	_, err := w.store.Claim(t.Context(), rows.Claim{Run: o.Run, Shared: true, Idle: true, Queue: o.Ranges[0].Queue, Epoch: 1, Worker: "dead", Max: 5, Now: time.Now()})
	require.NoError(t, err)
	began, letGo := make(chan struct{}, 4), make(chan struct{})
	for _, key := range []string{"a", "b", "c", "d"} {
		w.script.on(key, holds(began, letGo, page(1, key+"-1")))
	}
	go func() {
		for range 4 {
			<-began
		}
		close(letGo) // only once all four are at work
	}()
	out, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 4, out.Closed)
	require.Equal(t, 1, w.items(o.Run)["d"].Lost)
}

func TestDangerousItemsRunOneAtATimeInAProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	o := w.open(steps.Start{Campaign: "news"})
	for epoch := range int64(2) {
		_, err := w.store.Claim(t.Context(), rows.Claim{Run: o.Run, Shared: true, Idle: true, Queue: o.Ranges[0].Queue, Epoch: epoch + 1, Worker: "dead", Max: 5, Now: time.Now()})
		require.NoError(t, err)
	}
	began, letGo := make(chan struct{}, 2), make(chan struct{})
	w.script.on("a", holds(began, letGo, page(1, "a-1")))
	w.script.on("b", holds(began, letGo, page(1, "b-1")))
	var chunks sync.WaitGroup
	for ord := range int64(2) {
		chunks.Go(func() {
			_, err := do(w, steps.FetchItems, steps.FetchItemsIn{RunOf: steps.RunOf{Run: o.Run}, Ord: ord, Width: 1})
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-began
	// The other one is told to wait its turn before it may begin.
	require.Eventually(t, func() bool {
		for _, item := range w.items(o.Run) {
			if item.State == rows.ItemOpen && !item.NotBefore.IsZero() {
				return true
			}
		}
		return false
	}, time.Minute, 10*time.Millisecond)
	require.Empty(t, began, "not both at once")
	close(letGo)
	chunks.Wait()
	for key, item := range w.items(o.Run) {
		require.Equal(t, rows.ItemClosed, item.State, key)
	}
}

// An attempt that was killed before it returned has committed what it closed: the
// next answer counts it.
func TestAnAnswerOfASharedQueueCountsTheRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b", "c"))
	o := w.open(steps.Start{Campaign: "news"})
	lost := w.whole(o, o.Ranges[0], 1)
	lost.Max = 1
	out, err := do(w, steps.FetchItems, lost)
	require.NoError(t, err)
	require.Equal(t, 1, out.Closed)
	out, err = w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, 2, out.Closed)
	require.Equal(t, 3, out.Run.Closed)
	require.Equal(t, 3, out.Run.Tally.New)
	require.Equal(t, map[outcomes.Outcome]steps.Seen{outcomes.Done: {Items: 3, New: 3}}, out.Run.Outcomes)
}
