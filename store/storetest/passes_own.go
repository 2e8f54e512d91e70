package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
)

// withoutPasses harvests items of an entry that has no passes yet.
func withoutPasses(t *testing.T, s Store, id string, lists map[string][]string, keys ...string) {
	t.Helper()
	run := openRun(t, s, id, keys...)
	for _, it := range claim(t, s, run, 1, len(keys)).Items {
		commit(t, s, it, closed(page(it, lists[it.Key]...), outcomes.Done))
	}
	finish(t, s, run)
}

func documentsOf(t *testing.T, s Store, key string) int64 {
	t.Helper()
	return health(t, s, key).Documents
}

// Refresh is added to a campaign of which one item is dead: what the others lose
// is deleted, and counted with them.
func passOwn(t *testing.T, s Store) {
	withoutPasses(t, s, "1", map[string][]string{"a": {"a1", "a2", "a3"}, "b": {"b1", "b2"}, "dead": {"d1", "d2"}}, "a", "b", "dead")
	require.Equal(t, 2, pass(t, s, 2, "a", "a1"), "the dead one has not finished its first pass")
	require.EqualValues(t, 1, documentsOf(t, s, "a"))
	require.Equal(t, 1, pass(t, s, 3, "b", "b2"))
	require.EqualValues(t, 1, documentsOf(t, s, "b"))
	require.EqualValues(t, 2, documentsOf(t, s, "dead"))
	require.Equal(t, 1, pass(t, s, 4, "dead", "d1"), "it came back: only what is its own")
	require.EqualValues(t, 1, documentsOf(t, s, "dead"))
	require.ElementsMatch(t, []string{"a1", "b2", "d1"}, live(t, s))
}

// Two items list one document, unchanged, before anybody has passes.
func passListedByOther(t *testing.T, s Store) {
	withoutPasses(t, s, "1", map[string][]string{"a": {"both", "a1"}, "b": {"both", "b1"}}, "a", "b")
	require.EqualValues(t, 2, documentsOf(t, s, "a"))
	require.EqualValues(t, 1, documentsOf(t, s, "b"))
	run := openRun(t, s, "2", "a", "b")
	w := walk(t, s, run, "a", day(2)).begin().list("a1")
	deleted, held := w.swept()
	require.Zero(t, deleted)
	require.Equal(t, []rows.Kept{{Item: units.Item{Campaign: "news", Entry: "feed", Key: "b"}, Documents: 1}}, held)
	w.endHeld(held)
	finish(t, s, run)
	require.EqualValues(t, 1, documentsOf(t, s, "a"))
	require.EqualValues(t, 2, documentsOf(t, s, "b"), "it is b's now")
	require.Equal(t, held, health(t, s, "a").Pass.Kept)
	require.Equal(t, 1, pass(t, s, 3, "b", "b1"), "now nobody lists it")
	require.EqualValues(t, 1, documentsOf(t, s, "b"))
}

// A document that another item changed is that one's, and still on the first
// one's list.
func passChangedByOther(t *testing.T, s Store) {
	withoutPasses(t, s, "1", map[string][]string{"a": {"both"}}, "a")
	run := openRun(t, s, "2", "b")
	it := claim(t, s, run, 1, 1).Items[0]
	w := page(it, "b1")
	w.Page.Page.Documents = append(w.Page.Page.Documents, doc("both", "other"))
	commit(t, s, it, closed(w, outcomes.Done))
	finish(t, s, run)
	require.Zero(t, documentsOf(t, s, "a"))
	require.EqualValues(t, 2, documentsOf(t, s, "b"))
	require.Zero(t, pass(t, s, 3, "b", "b1"), "a lists it")
	require.EqualValues(t, 1, documentsOf(t, s, "a"))
	require.Equal(t, 1, pass(t, s, 4, "a", "a1"))
	require.ElementsMatch(t, []string{"a1", "b1"}, live(t, s))
	require.EqualValues(t, 1, documentsOf(t, s, "a"))
	require.EqualValues(t, 1, documentsOf(t, s, "b"))
}

// An item that is in no file holds nothing back.
func passUnfiled(t *testing.T, s Store) {
	withoutPasses(t, s, "1", map[string][]string{"a": {"both", "a1"}, "gone": {"both", "g1"}}, "a", "gone")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin().list("a1")
	w.whole = true
	require.Equal(t, 1, w.sweep(), "the run holds all items, and gone is not among them")
	w.end("")
	require.ElementsMatch(t, []string{"a1", "g1"}, live(t, s))
	require.EqualValues(t, 1, documentsOf(t, s, "a"))
	require.EqualValues(t, 1, documentsOf(t, s, "gone"))
}

// Deletions by one item of what another one brought make no count negative.
func passCounts(t *testing.T, s Store) {
	withoutPasses(t, s, "1", map[string][]string{"a": {"d1", "d2"}}, "a")
	run := openRun(t, s, "2", "b")
	it := claim(t, s, run, 1, 1).Items[0]
	w := page(it)
	w.Page.Page.Documents = []harvest.Document{{ID: "d1", Deleted: true}, {ID: "d2", Deleted: true}, {ID: "d3", Deleted: true}}
	commit(t, s, it, closed(w, outcomes.Done))
	finish(t, s, run)
	require.Zero(t, documentsOf(t, s, "a"))
	require.Zero(t, documentsOf(t, s, "b"))
	withoutPasses(t, s, "3", map[string][]string{"b": {"d2"}}, "b")
	require.EqualValues(t, 1, documentsOf(t, s, "b"))
}
