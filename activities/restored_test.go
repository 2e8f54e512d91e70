package activities

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// putBack is a run of news, and a worker on a copy of the store that was taken
// before it: weather has its number there.
func putBack(t *testing.T) (w *world, news, weather steps.Opened) {
	t.Helper()
	dir := t.TempDir()
	before := worldOn(t, filepath.Join(dir, "v.db"))
	before.apply(campaign("news", "a", "b"))
	before.apply(campaign("weather", "c", "d"))
	require.NoError(t, before.store.Close())
	old, err := os.ReadFile(filepath.Join(dir, "v.db"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "copy.db"), old, 0o600))
	then := worldOn(t, filepath.Join(dir, "v.db"))
	news = then.open(steps.Start{Campaign: "news"})
	w = worldOn(t, filepath.Join(dir, "copy.db"))
	weather = w.open(steps.Start{Campaign: "weather"})
	require.Equal(t, news.Run, weather.Run, "the number is handed out again")
	return w, news, weather
}

func TestAStepOfARunThatTheStoreHasForgottenTouchesNoOther(t *testing.T) {
	t.Parallel()
	w, news, weather := putBack(t)
	out, err := w.fetch(news)
	require.NoError(t, err)
	require.True(t, out.Stopped, "the workflow ends")
	require.Equal(t, 1, out.Left)
	_, err = do(w, steps.StopRun, steps.StopRunIn{RunOf: news.RunOf})
	require.NoError(t, err)
	_, err = do(w, steps.SealRun, steps.SealRunIn{RunOf: news.RunOf})
	require.ErrorContains(t, err, "store-restored")
	_, err = do(w, steps.Expand, steps.ExpandIn{RunOf: news.RunOf, Entry: "scripted"})
	require.ErrorContains(t, err, "store-restored")
	_, err = do(w, steps.SkipItem, steps.SkipItemIn{RunOf: news.RunOf, Key: "c"})
	require.ErrorContains(t, err, "store-restored")
	sum := w.close(news)
	require.Equal(t, outcomes.Cancelled, sum.Outcome)
	require.Contains(t, sum.Why, "store-restored")
	require.Empty(t, w.script.asked, "nothing was asked for")
	run, err := w.store.RunByID(t.Context(), weather.Run)
	require.NoError(t, err)
	require.Equal(t, "weather", run.Campaign)
	require.Equal(t, rows.RunOpen, run.State)
	require.Empty(t, run.Stop)
	_, err = w.fetch(weather)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, w.close(weather).Outcome)
}

func TestARunOfBeforeTheRestoreEndsAsStoreRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a", "b"))
	open := w.open(steps.Start{Campaign: "news"})
	other := worldOn(t, w.store.Address()[len("sqlite:"):])
	_, ended, err := other.store.Restored(t.Context(), "marta")
	require.NoError(t, err)
	require.Equal(t, 1, ended)
	out, err := w.fetch(open)
	require.NoError(t, err)
	require.True(t, out.Stopped)
	require.Empty(t, w.script.asked)
	sum := w.close(open)
	require.Equal(t, outcomes.Cancelled, sum.Outcome)
	require.Equal(t, "store-restored", sum.Why)
	next := w.open(steps.Start{Campaign: "news"})
	require.EqualValues(t, 2, next.Epoch, "the gate is free, and the run is of the new epoch")
	_, err = w.fetch(next)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, w.close(next).Outcome)
}

func TestARunThatIsNotInTheStoreEndsAsStoreRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	gone := steps.Opened{RunOf: steps.RunOf{Run: 77, Store: w.store.ID(), RunID: "first-of-news-77", Epoch: 1}, Ranges: []steps.Range{{Hi: 3}}}
	out, err := w.fetch(gone)
	require.NoError(t, err)
	require.Equal(t, steps.Fetched{Left: 1, Stopped: true}, out)
	require.Contains(t, w.close(gone).Why, "store-restored")
}
