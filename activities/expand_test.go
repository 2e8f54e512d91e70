package activities

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func elements(err error, names ...string) func(harvest.Request) iter.Seq2[harvest.Element, error] {
	return func(harvest.Request) iter.Seq2[harvest.Element, error] {
		return func(yield func(harvest.Element, error) bool) {
			for _, name := range names {
				if !yield(harvest.Element{Label: "the " + name, Params: json.RawMessage(fmt.Sprintf(`{"name":%q}`, name))}, nil) {
					return
				}
			}
			if err != nil {
				yield(harvest.Element{}, err)
			}
		}
	}
}

func asking(name string) campaigns.Campaign {
	c := campaign(name)
	c.Entries[0].Split = &campaigns.Split{Ask: "sets"}
	return c
}

// expanded opens a run that asks, asks and seals.
func (w *world) expandAll(t *testing.T, start steps.Start) (steps.Opened, steps.Expanded) {
	t.Helper()
	o := w.open(start)
	require.Equal(t, []string{"scripted"}, o.Ask)
	require.Equal(t, []string{"vendemmia-fetch"}, o.AskQueues)
	require.Empty(t, o.Ranges)
	ex, err := do(w, steps.Expand, steps.ExpandIn{RunOf: o.RunOf, Entry: "scripted"})
	require.NoError(t, err)
	sealed, err := do(w, steps.SealRun, steps.SealRunIn{RunOf: o.RunOf})
	require.NoError(t, err)
	o.Ranges, o.Items, o.Label = sealed.Ranges, sealed.Items, sealed.Label
	return o, ex
}

func TestExpandAsksTheSource(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := asking("repo")
	c.Entries[0].Split.Include, c.Entries[0].Split.Exclude = []string{"col_*"}, []string{"*_x"}
	w.apply(c)
	w.script.split = elements(nil, "col_1", "other", "col_2", "col_1", "col_x")
	o, ex := w.expandAll(t, steps.Start{Campaign: "repo"})
	require.Equal(t, steps.Expanded{Items: 2}, ex)
	require.Equal(t, []string{"the col_1", "the col_2"}, o.Ranges[0].Labels)
	_, err := w.fetch(o)
	require.NoError(t, err)
	require.Equal(t, outcomes.Done, w.close(o).Outcome)
}

func TestExpandOfTheSameRunUsesTheListItGot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(asking("repo"))
	w.script.split = elements(nil, "a", "b")
	o := w.open(steps.Start{Campaign: "repo"})
	in := steps.ExpandIn{RunOf: steps.RunOf{Run: o.Run}, Entry: "scripted"}
	_, err := do(w, steps.Expand, in)
	require.NoError(t, err)
	w.script.split = elements(nil, "c", "a", "b") // the source has moved on
	ex, err := do(w, steps.Expand, in)
	require.NoError(t, err)
	require.Equal(t, 2, ex.Items)
	require.Equal(t, 1, w.script.count("split"))
	require.Len(t, w.items(o.Run), 2)
}

func TestExpandFailsOverToTheLastGoodList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(asking("repo"))
	w.script.split = elements(nil, "a", "b")
	first, _ := w.expandAll(t, steps.Start{Campaign: "repo"})
	_, err := w.fetch(first)
	require.NoError(t, err)
	w.close(first)

	w.script.split = elements(kindError(harvest.KindUnreachable), "a")
	o, ex := w.expandAll(t, steps.Start{Campaign: "repo"})
	require.Equal(t, steps.Expanded{Items: 2, Old: true}, ex)
	require.Equal(t, 3, o.Items)
	_, err = w.fetch(o)
	require.NoError(t, err)
	item := w.items(o.Run)[splitKey]
	require.Equal(t, outcomes.Partial, item.Outcome)
	require.Contains(t, item.Why, "the source could not be asked for its items; those of ")
	require.Contains(t, item.Error, "no luck")
	sum := w.close(o)
	require.Equal(t, outcomes.Warnings, sum.Outcome)
	require.Contains(t, sum.LookAt[0], "split partial")

	w.script.split = elements(nil)
	_, ex = w.expandAll(t, steps.Start{Campaign: "repo"})
	require.True(t, ex.Old, "a source that lists nothing where it listed two is not believed")
}

func TestExpandWithoutALastGoodListIsNeverGreen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(asking("repo"))
	w.script.split = elements(kindError(harvest.KindGone))
	o, ex := w.expandAll(t, steps.Start{Campaign: "repo"})
	require.Equal(t, steps.Expanded{Old: true}, ex)
	_, err := w.fetch(o)
	require.NoError(t, err)
	sum := w.close(o)
	require.Equal(t, outcomes.Gone, sum.Outcome)
	require.NotEmpty(t, sum.Failed)
}

func TestExpandIsAskedAgainWhileTheRulesAllow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := asking("repo")
	c.Entries[0].Retry = []retry.Rule{{Times: 5, Wait: 10 * time.Second}}
	w.apply(c)
	w.script.split = elements(kindError(harvest.KindServerError))
	o := w.open(steps.Start{Campaign: "repo"})
	_, err := do(w, steps.Expand, steps.ExpandIn{RunOf: steps.RunOf{Run: o.Run}, Entry: "scripted"})
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	require.Equal(t, 10*time.Second, app.NextRetryDelay())
}

func TestExpandContainsPanics(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(asking("repo"))
	w.script.split = func(harvest.Request) iter.Seq2[harvest.Element, error] { panic("ouch") }
	_, ex := w.expandAll(t, steps.Start{Campaign: "repo"})
	require.True(t, ex.Old)
}

func TestWhatTheSourceNoLongerListsIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := asking("repo")
	c.Entries[0].Split.Exclude = []string{"*_x"}
	w.apply(c)
	ends := func(start steps.Start) map[string]string {
		start.Campaign = "repo"
		o, _ := w.expandAll(t, start)
		_, err := w.fetch(o)
		require.NoError(t, err)
		ends := map[string]string{}
		for key, item := range w.items(o.Run) {
			ends[key] = strings.TrimSpace(string(item.Outcome) + " " + item.Why)
		}
		w.close(o)
		return ends
	}
	w.script.split = elements(nil, "a", "b", "c", "d_x")
	require.Equal(t, map[string]string{"a": "done", "b": "done", "c": "done"}, ends(steps.Start{}))
	before := w.documents()

	w.script.split = elements(nil, "a")
	require.Equal(t, map[string]string{"a": "unchanged"}, ends(steps.Start{Items: []string{"a"}}), "a run of some items leaves it to the next")
	asked := w.script.count("b")
	require.Equal(t, map[string]string{
		"a": "unchanged", "b": "gone the source no longer lists it", "c": "gone the source no longer lists it",
	}, ends(steps.Start{}))
	require.Equal(t, asked, w.script.count("b"), "it is not asked for")
	require.Equal(t, before, w.documents())
	left, err := w.store.Checkpoints(t.Context(), rows.CheckpointFilter{Campaign: "repo", Key: "b"})
	require.NoError(t, err)
	require.NotEmpty(t, left[0].Value)
	require.Equal(t, map[string]string{"a": "unchanged"}, ends(steps.Start{}), "once")

	w.script.split = elements(nil, "a", "b")
	require.Equal(t, map[string]string{"a": "unchanged", "b": "unchanged"}, ends(steps.Start{}), "it came back, and goes on")
	w.script.split = elements(kindError(harvest.KindBroken), "a")
	require.NotContains(t, ends(steps.Start{})["b"], "gone", "who did not answer lists nothing less")
}

func TestAnotherNameIsNotGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := asking("repo")
	w.apply(c)
	w.script.split = elements(nil, "a", "b")
	first, _ := w.expandAll(t, steps.Start{Campaign: "repo"})
	_, err := w.fetch(first)
	require.NoError(t, err)
	w.close(first)
	c.Entries[0].Split.Key = "url"
	c.Entries[0].Params = []byte(`{"url":"https://x.example/"}`)
	w.apply(c)
	w.script.split = elements(nil, "b")
	o, _ := w.expandAll(t, steps.Start{Campaign: "repo"})
	items := w.items(o.Run)
	require.Len(t, items, 2)
	require.Contains(t, items, "a", "gone under its old name")
	require.NotContains(t, items, "b")
}

func TestAVanishedItemSurvivesACrashOfItsRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(asking("repo"))
	w.script.split = elements(nil, "a", "b")
	first, _ := w.expandAll(t, steps.Start{Campaign: "repo"})
	_, err := w.fetch(first)
	require.NoError(t, err)
	w.close(first)
	w.script.split = elements(nil, "a")
	o := w.open(steps.Start{Campaign: "repo"})
	for range 2 {
		_, err = do(w, steps.Expand, steps.ExpandIn{RunOf: o.RunOf, Entry: "scripted"})
		require.NoError(t, err)
	}
	require.Len(t, w.items(o.Run), 2)
}
