package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func placeTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"a registry bounds its runs, in due order": placesInOrder,
		"a line of its own campaign is no place":   placesBehindTheirOwn,
		"the bound changes":                        placesChange,
		"a race of two processes for places":       placesRace,
	}
}

// bounded is a registry with campaigns reg-house-0 … and a bound, and another campaign.
func bounded(t *testing.T, s Store, campaigns, most int) {
	t.Helper()
	r := sampleRegistry()
	r.MaxRunning = most
	require.NoError(t, s.PutRegistry(t.Context(), r))
	a := rows.Application{Project: rows.RegistryProject(r.Name), At: noon()}
	for i := range campaigns {
		a.Campaigns = append(a.Campaigns, rows.ApplyCampaign{Name: fmt.Sprintf("reg-house-%d", i), Digest: fmt.Sprint(i), Spec: []byte(`{}`)})
	}
	_, err := s.Apply(t.Context(), a)
	require.NoError(t, err)
}

// due is a run of a job that is due so long after noon; it may not wait for its own
// campaign.
func due(job, minutes int) rows.NewRun {
	n := newRun(fmt.Sprintf("%d-%d", job, minutes), "")
	n.Campaign, n.DueAt = fmt.Sprintf("reg-house-%d", job), noon().Add(time.Duration(minutes)*time.Minute)
	n.AskedAt = noon().Add(time.Hour)
	return n
}

func lineIDs(t *testing.T, s Store) (ids []string) {
	t.Helper()
	line, err := s.RegistryLine(t.Context(), "house")
	require.NoError(t, err)
	for _, r := range line {
		ids = append(ids, r.RunID)
	}
	return ids
}

func placesInOrder(t *testing.T, s Store) {
	bounded(t, s, 5, 2)
	first, second := ask(t, s, due(0, 0)), ask(t, s, due(1, 1))
	require.Nil(t, first.Place)
	require.Equal(t, rows.RunOpening, second.Run.State)
	for _, job := range []int{4, 2, 3} { // they come in another order than they are due in
		g := ask(t, s, due(job, job))
		require.Equal(t, rows.RunWaiting, g.Run.State, "also of a campaign whose runs may not wait for each other")
		require.Equal(t, &rows.Place{Registry: "house", Max: 2}, g.Place)
		require.Equal(t, first.Run.ID, g.Holder.ID)
	}
	require.Equal(t, []string{"run-2-2", "run-3-3", "run-4-4"}, lineIDs(t, s))
	require.Nil(t, ask(t, s, newRun("other", "")).Holder, "another campaign has nothing to do with it")
	place, waits, err := s.PlaceInLine(t.Context(), ask(t, s, due(4, 4)).Run)
	require.NoError(t, err)
	require.True(t, waits)
	require.Equal(t, rows.Place{Registry: "house", Max: 2, Before: 2}, place)

	finish(t, s, first.Run.ID)
	next, err := s.NextInLine(t.Context(), rows.Place{Registry: "house", Max: 2})
	require.NoError(t, err)
	require.Len(t, next, 1)
	require.Equal(t, "run-2-2", next[0].RunID)
	for _, job := range []int{4, 3} {
		g := ask(t, s, due(job, job))
		require.Equal(t, rows.RunWaiting, g.Run.State, "nobody jumps the line")
		require.Equal(t, "run-2-2", g.Holder.RunID)
	}
	in := ask(t, s, due(2, 2))
	require.Equal(t, rows.RunOpening, in.Run.State)
	require.Equal(t, noon().Add(time.Hour), in.Run.StartedAt, "it begins when it is let in")
	again, err := s.RunByRunID(t.Context(), "run-2-2")
	require.NoError(t, err)
	require.Equal(t, in.Run.StartedAt, again.StartedAt)
	finish(t, s, second.Run.ID)
	finish(t, s, in.Run.ID)
	early := ask(t, s, due(1, 2))
	require.Equal(t, rows.RunOpening, early.Run.State, "who was due before all that wait goes first")
	require.Equal(t, rows.RunWaiting, ask(t, s, due(4, 4)).Run.State)
	require.Equal(t, rows.RunOpening, ask(t, s, due(3, 3)).Run.State)
	finish(t, s, early.Run.ID)
	require.Equal(t, rows.RunOpening, ask(t, s, due(4, 4)).Run.State)
	require.Empty(t, lineIDs(t, s))
}

// What waits for the run before it of its own campaign keeps no place from others.
func placesBehindTheirOwn(t *testing.T, s Store) {
	bounded(t, s, 3, 2)
	ask(t, s, due(0, 0))
	behind := due(0, 1)
	behind.MayWait = true
	g := ask(t, s, behind)
	require.Equal(t, rows.RunWaiting, g.Run.State)
	require.Nil(t, g.Place)
	require.Empty(t, lineIDs(t, s))
	_, waits, err := s.PlaceInLine(t.Context(), g.Run)
	require.NoError(t, err)
	require.False(t, waits)
	require.Equal(t, rows.RunOpening, ask(t, s, due(1, 2)).Run.State)
	require.Equal(t, rows.RunWaiting, ask(t, s, due(2, 3)).Run.State)
	require.Zero(t, ask(t, s, due(2, 4)).Run.ID, "one run of a campaign waits, the next one is skipped")
	lane := due(2, 5)
	lane.Lane = "backfill"
	require.Equal(t, rows.RunWaiting, ask(t, s, lane).Run.State, "a backfill is counted, too")
	require.Equal(t, []string{"run-2-3", "run-2-5"}, lineIDs(t, s))
}

func placesChange(t *testing.T, s Store) {
	bounded(t, s, 4, 0)
	for job := range 3 {
		require.Equal(t, rows.RunOpening, ask(t, s, due(job, job)).Run.State)
	}
	r := sampleRegistry()
	r.MaxRunning = 1
	require.NoError(t, s.PutRegistry(t.Context(), r))
	require.Equal(t, rows.RunWaiting, ask(t, s, due(3, 3)).Run.State)
	require.Equal(t, []string{"run-3-3"}, lineIDs(t, s))
	r.MaxRunning = 0
	require.NoError(t, s.PutRegistry(t.Context(), r))
	require.Empty(t, lineIDs(t, s))
	require.Equal(t, rows.RunOpening, ask(t, s, due(3, 3)).Run.State)
}

// Runs of different campaigns ask at once, of several processes: no two pass for one
// place, and one always does.
func placesRace(t *testing.T, s Store) {
	const jobs, rounds = 8, 15
	bounded(t, s, jobs, 1)
	stores := []Store{s, s.Again(t), s.Again(t), s.Again(t)}
	for round := range rounds {
		gates := make([]rows.Gate, jobs)
		var wg sync.WaitGroup
		for job := range jobs {
			wg.Go(func() {
				g, err := stores[job%len(stores)].OpenRun(t.Context(), due(job, round))
				if err != nil {
					t.Error(err)
				}
				gates[job] = g
			})
		}
		wg.Wait()
		in := 0
		for _, g := range gates {
			if g.Run.State == rows.RunOpening {
				in++
			}
			finish(t, s, g.Run.ID)
		}
		require.Equal(t, 1, in, "runs that passed for one place")
	}
}
