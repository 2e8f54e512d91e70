package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func passTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"what left is deleted, what comes back lives":   passWhole,
		"in several pages, with a kill between":         passKilled,
		"a kill in the middle of a sweep":               passSweepKilled,
		"two items list one document":                   passShared,
		"documents from before":                         passLegacy,
		"what an item loses is its own":                 passOwn,
		"listed by another item before passes":          passListedByOther,
		"changed by another item":                       passChangedByOther,
		"listed by an item that is in no file":          passUnfiled,
		"deleted by another item":                       passCounts,
		"documents from before wait for nobody":         passLegacyOthers,
		"documents from before, and later ones":         passLegacyLater,
		"documents stored while nobody noted":           passAway,
		"a document that an item without passes brings": passForeign,
		"a stale pass":                                  passStale,
		"an older epoch":                                passFenced,
		"five thousand":                                 passMany,
		"given up and begun anew":                       passAnew,
		"an empty list":                                 passEmpty,
		"records that could not be read":                passRejects,
		"a list that is not whole":                      passPartial,
		"announced deletions are not listed":            passAnnounced,
		"a run that was told to stop":                   passStopped,
		"between passes":                                passBetween,
		"a campaign that is renamed":                    passRenamed,
		"others pay nothing":                            passNone,
	}
}

func passWhole(t *testing.T, s Store) {
	require.Zero(t, pass(t, s, 1, "a", "d1", "d2", "d3"))
	p := health(t, s, "a").Pass
	require.Equal(t, 1, p.Number)
	require.False(t, p.UnderWay())
	require.Equal(t, day(1), p.DoneAt)
	before, err := s.LastChange(t.Context())
	require.NoError(t, err)

	require.Equal(t, 2, pass(t, s, 2, "a", "d2"))
	require.Equal(t, []string{"d2"}, live(t, s))
	require.EqualValues(t, 1, health(t, s, "a").Documents)
	r, err := s.FindRun(t.Context(), "news-2")
	require.NoError(t, err)
	require.Equal(t, 2, r.Tally.Deleted)
	changes := all(t, s.Changes(t.Context(), rows.ChangeFilter{After: before}))
	require.Len(t, changes, 2)
	for _, c := range changes {
		require.Equal(t, "deleted", c.Op)
		require.Equal(t, 2, c.Document.Version)
		require.Equal(t, "news-2", c.Document.Run)
		require.NotEmpty(t, c.Document.Line.Title, "a tombstone says what it was")
		require.Empty(t, c.Document.Line.Fields)
	}
	last, err := s.LastChange(t.Context())
	require.NoError(t, err)
	require.Equal(t, before+2, last)

	require.Zero(t, pass(t, s, 3, "a", "d1", "d2"), "d3 is gone once")
	require.ElementsMatch(t, []string{"d1", "d2"}, live(t, s), "it came back")
	history, err := s.History(t.Context(), "news", "d1", false)
	require.NoError(t, err)
	require.Equal(t, []string{"changed", "deleted", "new"}, []string{history[0].Op, history[1].Op, history[2].Op})
	require.EqualValues(t, 2, health(t, s, "a").Documents)
}

func passShared(t *testing.T, s Store) {
	pass(t, s, 1, "a", "both", "a1")
	pass(t, s, 2, "b", "both", "b1")
	require.Zero(t, pass(t, s, 3, "a", "a1"), "b lists it still")
	require.ElementsMatch(t, []string{"both", "a1", "b1"}, live(t, s))
	require.Equal(t, 1, pass(t, s, 4, "b", "b1"), "now nobody does")
	require.ElementsMatch(t, []string{"a1", "b1"}, live(t, s))
}

func passMany(t *testing.T, s Store) {
	ids := keys(5000)
	run := openRun(t, s, "1", "a")
	w := walk(t, s, run, "a", day(1))
	for i := 0; i < len(ids); i += 1000 { // half of them from before
		if i == 2000 {
			w.begin()
		}
		p := page(w.it, ids[i:i+1000]...)
		p.At = noon()
		if w.n > 0 {
			p.Page.Sighting = &rows.Sighting{Pass: w.n}
		}
		w.it, _ = commit(t, s, w.it, p)
	}
	w.end("void")
	finish(t, s, run)
	require.Equal(t, 4999, pass(t, s, 2, "a", ids[4321]))
	require.Equal(t, []string{ids[4321]}, live(t, s))
	require.Equal(t, rows.Counts{Documents: 1, Deleted: 4999, Versions: 4999, Changes: 9999, Pages: 6}, counts(t, s))
}

func passAnnounced(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin()
	p := w.page("d1")
	p.Page.Page.Documents = append(p.Page.Page.Documents, harvest.Document{ID: "d2", Deleted: true})
	w.it, _ = commit(t, s, w.it, p)
	require.Zero(t, w.sweep(), "it is deleted already")
	require.Equal(t, []string{"d1"}, live(t, s))
	require.Equal(t, 1, item(t, s, run, "a").Tally.Deleted)
	w.end("")
	finish(t, s, run)
	pass(t, s, 3, "b", "d2", "d3")
	require.Equal(t, 1, pass(t, s, 4, "b", "d3"), "a does not list it")
}

func passBetween(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2))
	require.Equal(t, 1, w.n)
	w.list("d2")
	commit(t, s, w.it, closed(write(w.it), outcomes.Done))
	finish(t, s, run)
	require.Equal(t, 1, health(t, s, "a").Pass.Number)
	require.Equal(t, 1, pass(t, s, 3, "a", "d1"), "d2 was noted")
}

func passRenamed(t *testing.T, s Store) {
	apply := func(a rows.ApplyCampaign) {
		_, err := s.Apply(t.Context(), rows.Application{At: noon(), Campaigns: []rows.ApplyCampaign{a}})
		require.NoError(t, err)
	}
	apply(rows.ApplyCampaign{Name: "news", Digest: "1", Spec: []byte(`{}`)})
	pass(t, s, 1, "a", "d1", "d2")
	apply(rows.ApplyCampaign{Name: "novelties", Digest: "2", Spec: []byte(`{}`), Was: []string{"news"}})
	n := newRun("2", "")
	n.Campaign = "novelties"
	gate, err := s.OpenRun(t.Context(), n)
	require.NoError(t, err)
	require.NoError(t, s.AddItems(t.Context(), gate.Run.ID, runItems("a")))
	_, err = s.SealRun(t.Context(), gate.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	w := walk(t, s, gate.Run.ID, "a", day(2)).begin()
	p := w.page("d1")
	p.Page.Collection = "novelties"
	w.it, _ = commit(t, s, w.it, p)
	in := w.sweeping()
	in.Collection = "novelties"
	out, err := s.Sweep(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, 1, out.Deleted)
}

func passNone(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "x"))
	run := openRun(t, s, "2", "a")
	it := one(t, s, run, 1)
	require.Zero(t, it.Pass)
	require.NotZero(t, it.Moved)
	require.False(t, it.FirstSeen.IsZero())
	commit(t, s, it, closed(page(it, "d2"), outcomes.Done))
	require.Zero(t, health(t, s, "a").Pass)
}
