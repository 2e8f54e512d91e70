package activities

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// deadSource fails as a source that is gone for good.
func deadSource(context.Context, harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		yield(harvest.Page{}, harvest.Errorf(harvest.KindUnreachable, "get", "https://dead.example/", "connection refused"))
	}
}

// Refresh is written into a campaign that exists, of which one item is dead. What
// the others lose is deleted and counted with them; when the dead one is back it
// loses only its own.
func TestRefreshIsAddedWhileOneItemIsDead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sources := map[string]*repository{}
	for _, key := range []string{"a", "b", "dead"} {
		r := &repository{size: 2, ids: []string{"both", key + "1", key + "2", key + "3"}}
		sources[key] = r
		w.script.on(key, r.fetch)
	}
	sources["dead"].ids = []string{"x1", "x2"}
	c := campaign("news", "a", "b", "dead")
	w.apply(c)
	w.clock.set(passStart())
	w.once(steps.Start{Campaign: "news"})
	w.script.on("dead", deadSource)
	c.Entries[0].Refresh = 24 * time.Hour
	w.apply(c)
	sources["a"].ids, sources["b"].ids = []string{"both", "a1"}, []string{"b1", "b2", "b3"}
	w.clock.set(passStart().Add(48 * time.Hour))
	o := w.open(steps.Start{Campaign: "news", Refresh: true})
	_, err := w.fetch(o)
	require.NoError(t, err)
	w.close(o)
	require.Equal(t, "full pass 1: 2 no longer listed", w.items(o.Run)["a"].Why)
	require.Equal(t, "full pass 1: 0 no longer listed; 1 stay, listed by "+c.Entries[0].Name+" / a", w.items(o.Run)["b"].Why)
	require.Equal(t, map[string]int64{"a": 2, "b": 3, "dead": 2}, w.counts(c))

	w.script.on("dead", sources["dead"].fetch)
	sources["dead"].ids = []string{"x1"}
	w.clock.set(passStart().Add(72 * time.Hour))
	o = w.open(steps.Start{Campaign: "news", Refresh: true, Items: []string{"dead"}})
	_, err = w.fetch(o)
	require.NoError(t, err)
	w.close(o)
	require.Equal(t, "full pass 2: 1 no longer listed", w.items(o.Run)["dead"].Why)
	require.Equal(t, map[string]int64{"a": 2, "b": 3, "dead": 1}, w.counts(c))
	require.ElementsMatch(t, []string{"both", "a1", "b1", "b2", "b3", "x1"}, w.living())
}

func (w *world) counts(c campaigns.Campaign) map[string]int64 {
	list, err := w.store.Items(w.t.Context(), rows.ItemsFilter{Campaign: c.Name})
	require.NoError(w.t, err)
	n := map[string]int64{}
	for _, it := range list {
		n[it.Key] = int64(it.Documents)
	}
	return n
}
