package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func passTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"what left is deleted, what comes back lives":   passWhole,
		"in several pages, with a kill between":         passKilled,
		"a kill in the middle of a sweep":               passSweepKilled,
		"two items list one document":                   passShared,
		"documents from before":                         passLegacy,
		"documents from before wait for other items":    passLegacyWaits,
		"documents from before, and later ones":         passLegacyLater,
		"documents stored while nobody noted":           passAway,
		"a document that an item without passes brings": passForeign,
		"a stale pass":                       passStale,
		"an older epoch":                     passFenced,
		"five thousand":                      passMany,
		"given up and begun anew":            passAnew,
		"an empty list":                      passEmpty,
		"records that could not be read":     passRejects,
		"a list that is not whole":           passPartial,
		"announced deletions are not listed": passAnnounced,
		"a run that was told to stop":        passStopped,
		"between passes":                     passBetween,
		"a campaign that is renamed":         passRenamed,
		"others pay nothing":                 passNone,
	}
}

// walker makes passes of one item in one run.
type walker struct {
	t  *testing.T
	s  Store
	it rows.ClaimedItem
	at time.Time
	n  int // of the pass
}

// day is the moment of the nth run; passes of different runs have different times.
func day(n int) time.Time { return noon().AddDate(0, 0, n) }

// walk claims the item with a key in a run.
func walk(t *testing.T, s Store, run int64, key string, at time.Time) *walker {
	t.Helper()
	for _, it := range claimAt(t, s, run, 1, 1, at).Items {
		require.Equal(t, key, it.Key)
		return &walker{t: t, s: s, it: it, at: at, n: it.Pass.Number}
	}
	require.Fail(t, "nothing to claim")
	return nil
}

func (w *walker) start() rows.PassStart {
	return rows.PassStart{
		Run: w.it.Run, Ord: w.it.Ord, Epoch: w.it.Epoch, Item: harvest.Item{Campaign: w.it.Campaign, Entry: w.it.Entry, Key: w.it.Key},
		Lane: w.it.Lane, At: w.at, Params: "p1", Extraction: "e1",
	}
}

func (w *walker) begin() *walker {
	w.t.Helper()
	p, version, err := w.s.BeginPass(w.t.Context(), w.start())
	require.NoError(w.t, err)
	require.True(w.t, p.UnderWay())
	w.it.Checkpoint.Version, w.it.Checkpoint.Value, w.n = version, nil, p.Number
	return w
}

// page is the next page, noted under the pass.
func (w *walker) page(ids ...string) rows.Write {
	p := page(w.it, ids...)
	p.At = w.at
	p.Page.Sighting = &rows.Sighting{Pass: w.n}
	return p
}

func (w *walker) list(ids ...string) *walker {
	w.t.Helper()
	w.it, _ = commit(w.t, w.s, w.it, w.page(ids...))
	return w
}

func (w *walker) sweeping(entries ...string) rows.Sweep {
	p := w.start()
	return rows.Sweep{Run: p.Run, Ord: p.Ord, Epoch: p.Epoch, Item: p.Item, Collection: "news", Pass: w.n, At: w.at, Entries: entries, Whole: true}
}

// sweep deletes to the end and returns how many that were.
func (w *walker) sweep() int {
	w.t.Helper()
	deleted := 0
	for in := w.sweeping(); ; {
		out, err := w.s.Sweep(w.t.Context(), in)
		require.NoError(w.t, err)
		require.Empty(w.t, out.Void)
		require.LessOrEqual(w.t, out.Deleted, 1000)
		deleted += out.Deleted
		if in.After = out.Next; out.Next.Done {
			return deleted
		}
	}
}

// end closes the item and its pass.
func (w *walker) end(void string) {
	w.t.Helper()
	c := closed(write(w.it), harvest.OutcomeDone)
	c.At, c.Settle.Pass = w.at, &rows.PassEnd{Number: w.n, Void: void}
	commit(w.t, w.s, w.it, c)
}

// pass is one whole run of one item: everything listed, and swept.
func pass(t *testing.T, s Store, n int, key string, ids ...string) (deleted int) {
	t.Helper()
	run := openRun(t, s, fmt.Sprint(n), key)
	w := walk(t, s, run, key, day(n)).begin().list(ids...)
	deleted = w.sweep()
	w.end("")
	finish(t, s, run)
	return deleted
}

// live lists the ids of documents that are not deleted.
func live(t *testing.T, s Store) []string {
	t.Helper()
	no := false
	ids := []string{}
	for _, d := range all(t, s.Documents(t.Context(), rows.DocumentFilter{Deleted: &no})) {
		ids = append(ids, d.Line.ID)
	}
	return ids
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

func passKilled(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2", "d3", "d4")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin().list("d1").list("d2")
	got := claimAt(t, s, run, 2, 1, day(2)) // the worker died
	require.Len(t, got.Items, 1)
	it := got.Items[0]
	require.Equal(t, w.n, it.Pass.Number)
	require.True(t, it.Pass.UnderWay())
	require.Equal(t, run, it.Pass.Run)
	require.Equal(t, run, it.Moved)
	require.JSONEq(t, `{"seq":2}`, string(it.Checkpoint.Value))
	second := &walker{t: t, s: s, it: it, at: day(2), n: it.Pass.Number}
	require.ErrorIs(t, s.Write(t.Context(), w.page("d9")).Err, rows.ErrFenced)
	second.list("d3")
	require.Equal(t, 1, second.sweep())
	second.end("")
	require.ElementsMatch(t, []string{"d1", "d2", "d3"}, live(t, s))
}

func passSweepKilled(t *testing.T, s Store) {
	ids := keys(2500)
	run := openRun(t, s, "1", "a")
	w := walk(t, s, run, "a", day(1)).begin()
	for i := 0; i < len(ids); i += 500 {
		w.list(ids[i : i+500]...)
	}
	w.end("")
	finish(t, s, run)
	run = openRun(t, s, "2", "a")
	w = walk(t, s, run, "a", day(2)).begin().list("new")
	out, err := s.Sweep(t.Context(), w.sweeping())
	require.NoError(t, err)
	require.Equal(t, 1000, out.Deleted)
	old := w.sweeping()
	old.After = out.Next
	it := claimAt(t, s, run, 2, 1, day(2)).Items[0]
	require.True(t, it.Pass.Listed)
	require.Equal(t, 1000, it.Tally.Deleted)
	_, err = s.Sweep(t.Context(), old)
	require.ErrorIs(t, err, rows.ErrFenced)
	second := &walker{t: t, s: s, it: it, at: day(2), n: it.Pass.Number}
	require.Equal(t, 1500, second.sweep())
	second.end("")
	require.Equal(t, []string{"new"}, live(t, s))
	require.Equal(t, 2500, item(t, s, run, "a").Tally.Deleted)
	require.EqualValues(t, 1, health(t, s, "a").Documents)
}

func passShared(t *testing.T, s Store) {
	pass(t, s, 1, "a", "both", "a1")
	pass(t, s, 2, "b", "both", "b1")
	require.Zero(t, pass(t, s, 3, "a", "a1"), "b lists it still")
	require.ElementsMatch(t, []string{"both", "a1", "b1"}, live(t, s))
	require.Equal(t, 1, pass(t, s, 4, "b", "b1"), "now nobody does")
	require.ElementsMatch(t, []string{"a1", "b1"}, live(t, s))
}

func passLegacy(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "x"), doc("d2", "x"), doc("d3", "x"))
	require.Zero(t, health(t, s, "a").Pass)
	require.Equal(t, 2, pass(t, s, 2, "a", "d2", "d4"))
	require.ElementsMatch(t, []string{"d2", "d4"}, live(t, s))
}

func passLegacyWaits(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	for _, it := range claim(t, s, run, 1, 2).Items {
		w := page(it, it.Key+"1", it.Key+"2", "of-"+it.Key)
		commit(t, s, it, closed(w, harvest.OutcomeDone))
	}
	finish(t, s, run)

	run = openRun(t, s, "2", "a", "b")
	a := walk(t, s, run, "a", day(2)).begin().list("a1")
	b := walk(t, s, run, "b", day(2)).begin().list("b1")
	require.Zero(t, a.sweep(), "b might list them")
	a.end("")
	b.list("of-a")
	require.Equal(t, 3, b.sweep(), "its own, and what a left")
	b.end("")
	require.ElementsMatch(t, []string{"a1", "b1", "of-a"}, live(t, s))
}

// What came after the pass that found out about documents from before is not from
// before.
func passLegacyLater(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a", "b")
	for _, it := range claim(t, s, run, 1, 2).Items {
		commit(t, s, it, closed(page(it, it.Key+"1", it.Key+"2"), harvest.OutcomeDone))
	}
	finish(t, s, run)
	run = openRun(t, s, "2", "a", "b")
	a := walk(t, s, run, "a", day(2)).begin().list("a1")
	b := walk(t, s, run, "b", day(2)).begin()
	require.Zero(t, a.sweep())
	a.end("")
	b.list()
	commit(t, s, b.it, closed(write(b.it), harvest.OutcomeCancelled))
	finish(t, s, run)

	run = openRun(t, s, "3", "a", "b") // with params of this one run
	it := claimAt(t, s, run, 1, 1, day(3)).Items[0]
	w := page(it, "a3")
	w.At = day(3)
	commit(t, s, it, closed(w, harvest.OutcomeDone))
	b = walk(t, s, run, "b", day(4)).begin().list("b1")
	require.Equal(t, 2, b.sweep())
	require.ElementsMatch(t, []string{"a1", "a3", "b1"}, live(t, s))
}

func passAway(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1")
	run := openRun(t, s, "2", "a") // refresh was taken out of the file
	it := claimAt(t, s, run, 1, 1, day(2)).Items[0]
	w := page(it, "d2", "d3")
	w.At = day(2)
	commit(t, s, it, closed(w, harvest.OutcomeDone))
	finish(t, s, run)

	run = openRun(t, s, "3", "a") // and is there again
	next := walk(t, s, run, "a", day(3))
	require.NotEqual(t, next.it.Pass.Run, next.it.Moved)
	p := next.page("d4")
	p.Page.Sighting.Unlisted = true
	p.Settle = &rows.Settle{State: rows.ItemClosed, Outcome: harvest.OutcomeDone}
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
	commit(t, s, it, closed(w, harvest.OutcomeDone))
	finish(t, s, run)
	require.Equal(t, 1, pass(t, s, 3, "a", "d3"))
	require.ElementsMatch(t, []string{"d1", "d3"}, live(t, s))
}

func passStale(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin().list("d1")
	old := *w
	w.begin()
	_, err := s.Sweep(t.Context(), old.sweeping())
	require.ErrorIs(t, err, rows.ErrFenced)
	require.ErrorIs(t, s.Write(t.Context(), old.page("d2")).Err, rows.ErrFenced)
	require.Len(t, live(t, s), 2)
	w.list("d1", "d2")
	require.Zero(t, w.sweep())
	old.it = w.it
	old.end("") // of the pass before: ends nothing
	require.True(t, health(t, s, "a").Pass.UnderWay())
}

func passFenced(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin().list("d1")
	require.Len(t, claimAt(t, s, run, 2, 1, day(2)).Items, 1)
	_, err := s.Sweep(t.Context(), w.sweeping())
	require.ErrorIs(t, err, rows.ErrFenced)
	_, _, err = s.BeginPass(t.Context(), w.start())
	require.ErrorIs(t, err, rows.ErrFenced)
	_, err = s.CloseOpenItems(t.Context(), run, harvest.OutcomeCancelled, "cancelled")
	require.NoError(t, err)
	w.it.Epoch = 2
	_, err = s.Sweep(t.Context(), w.sweeping())
	require.ErrorIs(t, err, rows.ErrFenced, "closed")
	finish(t, s, run)
	require.Len(t, live(t, s), 2)
	p := health(t, s, "a").Pass
	require.True(t, p.UnderWay(), "it goes on in the next run")
	require.Equal(t, 2, p.Number)
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

func passAnew(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2", "d3")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin().list("d1", "d4")
	require.Equal(t, 2, w.n)
	w.begin()
	require.Equal(t, 3, w.n)
	w.list("d2")
	require.Equal(t, 3, w.sweep(), "what only the pass that was given up had listed goes, too")
	w.end("")
	require.Equal(t, []string{"d2"}, live(t, s))
}

func passEmpty(t *testing.T, s Store) {
	require.Zero(t, pass(t, s, 1, "a"), "there never was anything")
	pass(t, s, 2, "a", "d1", "d2")
	run := openRun(t, s, "3", "a")
	w := walk(t, s, run, "a", day(3)).begin().list()
	out, err := s.Sweep(t.Context(), w.sweeping())
	require.NoError(t, err)
	require.True(t, out.Empty)
	require.Equal(t, "nothing was listed where there always was something", out.Void)
	w.end(out.Void)
	finish(t, s, run)
	p := health(t, s, "a").Pass
	require.Equal(t, day(3), p.TriedAt)
	require.Equal(t, day(2), p.DoneAt)
	require.Equal(t, out.Void, p.Note)
	require.Len(t, live(t, s), 2)
	require.Equal(t, 1, pass(t, s, 4, "a", "d1"))
	p = health(t, s, "a").Pass
	require.Zero(t, p.TriedAt)
	require.Empty(t, p.Note)
}

func passRejects(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2", "d3")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin()
	p := w.page("d1")
	p.Page.Page.Rejects = []harvest.Reject{{ID: "d2", Reason: "torn"}}
	w.it, _ = commit(t, s, w.it, p)
	require.Equal(t, 1, w.sweep(), "d2 is there, though nobody can read it")
	w.end("")
	finish(t, s, run)
	require.ElementsMatch(t, []string{"d1", "d2"}, live(t, s))

	run = openRun(t, s, "3", "a")
	w = walk(t, s, run, "a", day(3)).begin()
	p = w.page("d1")
	p.Page.Page.Rejects = []harvest.Reject{{Reason: "torn"}}
	w.it, _ = commit(t, s, w.it, p)
	w.list("d7")
	out, err := s.Sweep(t.Context(), w.sweeping())
	require.NoError(t, err)
	require.Equal(t, "a record without an id could not be read", out.Void)
	require.Len(t, live(t, s), 3)
}

func passPartial(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin()
	p := w.page("d1")
	p.Page.Page.Partial = true
	w.it, _ = commit(t, s, w.it, p)
	it := claimAt(t, s, run, 2, 1, day(2)).Items[0]
	require.Equal(t, "the source's answer was not whole", it.Pass.Note)
	next := &walker{t: t, s: s, it: it, at: day(2), n: w.n}
	out, err := s.Sweep(t.Context(), next.list("d3").sweeping())
	require.NoError(t, err)
	require.Equal(t, "the source's answer was not whole", out.Void)
	next.begin().list("d1")
	require.Equal(t, 2, next.sweep(), "a new pass does not bear the doubts of the old one")
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

func passStopped(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1", "d2")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2)).begin().list("d1")
	require.NoError(t, s.StopRun(t.Context(), run, "cancelled"))
	out, err := s.Sweep(t.Context(), w.sweeping())
	require.True(t, errors.Is(err, rows.ErrStopped), err)
	require.Equal(t, 1, out.Deleted, "what was done is told")
	require.Equal(t, []string{"d1"}, live(t, s))
}

func passBetween(t *testing.T, s Store) {
	pass(t, s, 1, "a", "d1")
	run := openRun(t, s, "2", "a")
	w := walk(t, s, run, "a", day(2))
	require.Equal(t, 1, w.n)
	w.list("d2")
	commit(t, s, w.it, closed(write(w.it), harvest.OutcomeDone))
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
	commit(t, s, it, closed(page(it, "d2"), harvest.OutcomeDone))
	require.Zero(t, health(t, s, "a").Pass)
}
