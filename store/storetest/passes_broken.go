package storetest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

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
	_, err = s.CloseOpenItems(t.Context(), run, outcomes.Cancelled, "cancelled")
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
