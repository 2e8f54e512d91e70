package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

func queueTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"an empty store has none":            queuesNone,
		"due, running, resting, oldest due":  queuesCounted,
		"a paused run holds its items back":  queuesHeld,
		"queues are counted each by itself":  queuesApart,
		"runs that have not ended, by state": runStates,
	}
}

func queues(t *testing.T, s Store, now time.Time) []rows.Queue {
	t.Helper()
	list, err := s.Queues(t.Context(), now)
	require.NoError(t, err)
	return list
}

func queuesNone(t *testing.T, s Store) {
	require.Empty(t, queues(t, s, noon()))
	harvestOnce(t, s, "1", doc("x", "x"))
	require.Empty(t, queues(t, s, noon()), "a closed run has nothing to do")
}

func queuesCounted(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(5)...)
	got := claim(t, s, run, 10, 3)
	commit(t, s, got.Items[0], closed(page(got.Items[0], "x"), outcomes.Done))
	later := noon().Add(time.Hour)
	commit(t, s, got.Items[1], reopened(write(got.Items[1]), later))

	now := noon().Add(time.Minute)
	require.Equal(t, []rows.Queue{{Due: 2, Running: 1, Resting: 1, OldestDue: noon(), NextDue: later}}, queues(t, s, now))
	require.Equal(t, time.Minute, queues(t, s, now)[0].Waited(now))
	require.Equal(t, []rows.Queue{{Due: 3, Running: 1, OldestDue: noon()}}, queues(t, s, later), "its moment has come")

	claimAt(t, s, run, 11, 10, noon())
	require.Equal(t, later, queues(t, s, later.Add(time.Hour))[0].OldestDue, "due since its moment, not since the run began")
}

func queuesHeld(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(3)...)
	claim(t, s, run, 10, 1)
	require.NoError(t, s.PauseRun(t.Context(), run, "new firewall"))
	require.Equal(t, []rows.Queue{{Running: 1, Held: 2}}, queues(t, s, noon()))
	require.NoError(t, s.PauseRun(t.Context(), run, ""))
	require.NoError(t, s.StopRun(t.Context(), run, "cancelled"))
	require.Equal(t, []rows.Queue{{Running: 1, Held: 2}}, queues(t, s, noon()))
}

func queuesApart(t *testing.T, s Store) {
	gate, err := s.OpenRun(t.Context(), newRun("1", ""))
	require.NoError(t, err)
	items := runItems(keys(4)...)
	for i := range items {
		items[i].Queue = map[bool]string{true: "library", false: "vendemmia-fetch"}[i == 0]
	}
	require.NoError(t, s.AddItems(t.Context(), gate.Run.ID, items))
	require.Equal(t, []rows.Queue{{Queue: "library", Held: 1}, {Queue: "vendemmia-fetch", Held: 3}}, queues(t, s, noon()), "it is opening")
	_, err = s.SealRun(t.Context(), gate.Run.ID, 10, time.Time{})
	require.NoError(t, err)
	require.Equal(t, []rows.Queue{{Queue: "library", Due: 1, OldestDue: noon()}, {Queue: "vendemmia-fetch", Due: 3, OldestDue: noon()}}, queues(t, s, noon()))
}

func runStates(t *testing.T, s Store) {
	counts := func() map[rows.RunState]int {
		m, err := s.RunStates(t.Context())
		require.NoError(t, err)
		return m
	}
	require.Empty(t, counts())
	openRun(t, s, "1", "a")
	second := newRun("2", "")
	second.MayWait = true
	_, err := s.OpenRun(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, map[rows.RunState]int{rows.RunOpen: 1, rows.RunWaiting: 1}, counts())
}
