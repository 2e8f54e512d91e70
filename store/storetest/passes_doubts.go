package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

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
