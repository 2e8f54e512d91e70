package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func passLegacy(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "x"), doc("d2", "x"), doc("d3", "x"))
	require.Zero(t, health(t, s, "a").Pass)
	require.Equal(t, 2, pass(t, s, 2, "a", "d2", "d4"))
	require.ElementsMatch(t, []string{"d2", "d4"}, live(t, s))
}

func passLegacyOthers(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	for _, it := range claim(t, s, run, 1, 2).Items {
		w := page(it, it.Key+"1", it.Key+"2", "of-"+it.Key)
		commit(t, s, it, closed(w, outcomes.Done))
	}
	finish(t, s, run)

	run = openRun(t, s, "2", "a", "b")
	a := walk(t, s, run, "a", day(2)).begin().list("a1")
	b := walk(t, s, run, "b", day(2)).begin().list("b1")
	require.Equal(t, 2, a.sweep(), "b never listed them")
	a.end("")
	b.list("of-a")
	require.Equal(t, 2, b.sweep())
	b.end("")
	require.ElementsMatch(t, []string{"a1", "b1", "of-a"}, live(t, s), "it came back with b")
}

// What came after the pass that found out about documents from before is not from
// before.
func passLegacyLater(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	for _, it := range claim(t, s, run, 1, 2).Items {
		commit(t, s, it, closed(page(it, it.Key+"1", it.Key+"2"), outcomes.Done))
	}
	finish(t, s, run)
	run = openRun(t, s, "2", "a", "b")
	a := walk(t, s, run, "a", day(2)).begin().list("a1")
	b := walk(t, s, run, "b", day(2)).begin()
	require.Equal(t, 1, a.sweep())
	a.end("")
	b.list()
	commit(t, s, b.it, closed(write(b.it), outcomes.Cancelled))
	finish(t, s, run)

	run = openRun(t, s, "3", "a", "b") // with params of this one run
	it := claimAt(t, s, run, 1, 1, day(3)).Items[0]
	w := page(it, "a3")
	w.At = day(3)
	commit(t, s, it, closed(w, outcomes.Done))
	b = walk(t, s, run, "b", day(4)).begin().list("b1")
	require.Equal(t, 1, b.sweep())
	require.ElementsMatch(t, []string{"a1", "a3", "b1"}, live(t, s))
}

func passAway(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1")
	run := openRun(t, s, "2", "a") // refresh was taken out of the file
	it := claimAt(t, s, run, 1, 1, day(2)).Items[0]
	w := page(it, "d2", "d3")
	w.At = day(2)
	commit(t, s, it, closed(w, outcomes.Done))
	finish(t, s, run)

	run = openRun(t, s, "3", "a") // and is there again
	next := walk(t, s, run, "a", day(3))
	require.NotEqual(t, next.it.Pass.Run, next.it.Moved)
	p := next.page("d4")
	p.Page.Sighting.Unlisted = true
	p.Settle = &rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Done}
	commit(t, s, next.it, p)
	finish(t, s, run)
	require.Zero(t, pass(t, s, 4, "b"), "another item's pass does not judge what came after the last one of this")
	require.Len(t, live(t, s), 4)
	require.Equal(t, 1, pass(t, s, 5, "a", "d1", "d2", "d4"))
	require.ElementsMatch(t, []string{"d1", "d2", "d4"}, live(t, s))
}

func passForeign(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2")
	run := openRun(t, s, "2", "c")
	it := claim(t, s, run, 1, 1).Items[0]
	w := page(it)
	w.Page.Page.Documents = []harvest.Document{doc("d1", "changed by c")}
	commit(t, s, it, closed(w, outcomes.Done))
	finish(t, s, run)
	require.Equal(t, 1, pass(t, s, 3, "a", "d3"))
	require.ElementsMatch(t, []string{"d1", "d3"}, live(t, s))
}
