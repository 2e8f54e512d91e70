package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
)

func claimTests() map[string]func(*testing.T, Store) {
	return map[string]func(*testing.T, Store){
		"in order, at most Max, only what is due": claimInOrder,
		"a zombie gets nothing":                   claimZombie,
		"a younger attempt fences the older":      claimFences,
		"lost items alone and last":               claimLost,
		"a page between makes a loss the first":   claimStuck,
		"two claimers share nothing":              claimParallel,
		"stop and pause hand out nothing":         claimStopped,
		"a paused item says so":                   claimPausedItem,
		"lanes have checkpoints of their own":     claimLanes,
		"what was done before goes on":            claimResumes,
		"seats do not disturb each other":         claimSeats,
		"neither retries nor new items wait":      claimTurns,
		"the items of a resting host wait":        claimResting,
		"an unknown run":                          claimUnknown,
	}
}

func claimInOrder(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(5)...)
	got := claim(t, s, run, 10, 2)
	require.Len(t, got.Items, 2)
	require.Equal(t, []int64{0, 1}, []int64{got.Items[0].Ord, got.Items[1].Ord})
	first := got.Items[0]
	require.Equal(t, rows.ItemClaimed, first.State)
	require.EqualValues(t, 10, first.Epoch)
	require.Equal(t, noon(), first.StartedAt)
	require.Equal(t, "news", first.Campaign)
	require.JSONEq(t, `{"url":"https://example.org/k00000"}`, string(first.Params))
	require.Zero(t, first.Checkpoint.Version)
	require.Equal(t, 3, got.Left)
	require.Equal(t, noon(), got.NextAt)

	later := noon().Add(time.Hour)
	commit(t, s, first, reopened(write(first), later))
	got = claim(t, s, run, 10, 10)
	require.Len(t, got.Items, 3, "the one that waits is not due")
	require.Equal(t, 1, got.Left)
	require.Equal(t, later, got.NextAt)

	got = claimAt(t, s, run, 10, 10, later)
	require.Len(t, got.Items, 1)
	require.Equal(t, 1, got.Items[0].Attempts)
	require.Equal(t, harvest.KindTimeout, got.Items[0].Kind)
	require.Zero(t, got.Left)
	require.True(t, got.NextAt.IsZero())
}

func claimZombie(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(3)...)
	require.Len(t, claim(t, s, run, 20, 1).Items, 1)
	require.Empty(t, claim(t, s, run, 19, 5).Items, "an older attempt")
	require.Len(t, claim(t, s, run, 20, 5).Items, 2)

	other := openLane(t, s, "2", "b", keys(2)...)
	require.Empty(t, claim(t, s, other, 50, 0).Items, "asks for none, and is seen")
	require.Empty(t, claim(t, s, other, 49, 5).Items, "older than one that got nothing")
	require.Len(t, claim(t, s, other, 51, 5).Items, 2)
}

func claimFences(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	old := one(t, s, run, 1)
	old, _ = commit(t, s, old, page(old, "d1"))
	young := one(t, s, run, 2)
	require.Equal(t, 1, young.Lost)
	require.Equal(t, 1, young.Seq)
	require.EqualValues(t, 1, young.Checkpoint.Version)

	require.ErrorIs(t, s.Write(t.Context(), page(old, "d2")).Err, rows.ErrFenced)
	require.ErrorIs(t, s.Write(t.Context(), closed(write(old), outcomes.Done)).Err, rows.ErrFenced)
	require.ErrorIs(t, s.Write(t.Context(), reopened(write(old), noon())).Err, rows.ErrFenced)
	_, tally := commit(t, s, young, page(young, "d2"))
	require.Equal(t, 1, tally.New)
	require.EqualValues(t, 2, counts(t, s).Documents)
	require.EqualValues(t, 2, counts(t, s).Pages)
}

// A long item may lose many workers; one that is the cause loses them at one page.
func claimStuck(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	one(t, s, run, 1)
	second := one(t, s, run, 2)
	require.Equal(t, []int{1, 1}, []int{second.Lost, second.Stuck})
	third := one(t, s, run, 3)
	require.Equal(t, []int{2, 2}, []int{third.Lost, third.Stuck}, "no page between")
	commit(t, s, third, page(third, "d1"))
	fourth := one(t, s, run, 4)
	require.Equal(t, []int{3, 1}, []int{fourth.Lost, fourth.Stuck}, "a page between")
	fifth := one(t, s, run, 5)
	require.Equal(t, []int{4, 2}, []int{fifth.Lost, fifth.Stuck})
}

func claimLost(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(4)...)
	require.Len(t, claim(t, s, run, 1, 2).Items, 2, "these two are in flight when the worker dies")
	require.Len(t, claim(t, s, run, 2, 2).Items, 2, "one death is bad luck: side by side")

	got := claim(t, s, run, 3, 10)
	require.Len(t, got.Items, 2, "all others first")
	require.Equal(t, []int64{2, 3}, []int64{got.Items[0].Ord, got.Items[1].Ord})
	require.Equal(t, 2, got.Left)
	require.Empty(t, claimBeside(t, s, run, 3, 10).Items, "not beside others")
	for _, it := range got.Items {
		commit(t, s, it, closed(page(it, it.Key), outcomes.Done))
	}
	for left := 1; left >= 0; left-- {
		got = claim(t, s, run, 3, 10)
		require.Len(t, got.Items, 1, "alone")
		require.Equal(t, 2, got.Items[0].Lost)
		require.Equal(t, left, got.Left)
		require.Empty(t, claimBeside(t, s, run, 3, 10).Items, "nothing beside a dangerous one")
		commit(t, s, got.Items[0], closed(page(got.Items[0], got.Items[0].Key), outcomes.Done))
	}
	require.Zero(t, claim(t, s, run, 3, 10).Left)
}

func claimParallel(t *testing.T, s Store) {
	const n = 60
	run := openRun(t, s, "1", keys(n)...)
	again := s.Again(t)
	var mu sync.Mutex
	seen := map[int64]int{}
	var wg sync.WaitGroup
	for i := range 6 {
		claimer := []Store{s, again}[i%2]
		wg.Go(func() {
			for {
				got, err := claimer.Claim(t.Context(), rows.Claim{Run: run, Shared: true, Epoch: 5, Worker: "w", Max: 3, Now: noon()})
				if err != nil {
					t.Error(err)
				}
				if err != nil || len(got.Items) == 0 {
					return
				}
				mu.Lock()
				for _, it := range got.Items {
					seen[it.Ord]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	require.Len(t, seen, n)
	for ord, times := range seen {
		require.Equal(t, 1, times, "item %d", ord)
	}
}

func claimStopped(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(2)...)
	require.NoError(t, s.PauseRun(t.Context(), run, "marta: firewall"))
	got := claim(t, s, run, 1, 5)
	require.Empty(t, got.Items)
	require.Equal(t, "marta: firewall", got.Paused)
	require.Equal(t, 2, got.Left)
	require.NoError(t, s.PauseRun(t.Context(), run, ""))
	require.Len(t, claim(t, s, run, 1, 1).Items, 1)

	require.NoError(t, s.StopRun(t.Context(), run, "cancelled by marta"))
	got = claim(t, s, run, 1, 5)
	require.Empty(t, got.Items)
	require.Equal(t, "cancelled by marta", got.Stop)
	require.Equal(t, 1, got.Left)
}

func claimPausedItem(t *testing.T, s Store) {
	pause := rows.Pause{By: "marta", At: noon(), Note: "feed is broken", Until: noon().Add(time.Hour)}
	name := units.Item{Campaign: "news", Entry: "feed", Key: "a"}
	require.NoError(t, s.PauseItem(t.Context(), name, &pause))
	run := openRun(t, s, "1", "a", "b")
	got := claim(t, s, run, 1, 5)
	require.Equal(t, &pause, got.Items[0].Paused)
	require.Nil(t, got.Items[1].Paused)

	got = claimAt(t, s, run, 2, 1, noon().Add(time.Hour))
	require.Len(t, got.Items, 1)
	require.Nil(t, got.Items[0].Paused, "the pause has ended by itself")
	require.Equal(t, &pause, health(t, s, "a").Paused)
	require.NoError(t, s.PauseItem(t.Context(), name, nil))
	require.Nil(t, health(t, s, "a").Paused)
}

func claimLanes(t *testing.T, s Store) {
	harvestOnce(t, s, "1", doc("d1", "x"))
	back := openLane(t, s, "2", "backfill-1", "a")
	it := one(t, s, back, 1)
	require.Equal(t, "backfill-1", it.Lane)
	require.Zero(t, it.Checkpoint.Version, "a lane starts empty")
	commit(t, s, it, closed(page(it, "d0"), outcomes.Done))
	require.EqualValues(t, 1, checkpoint(t, s, "a", "").Version)
	require.EqualValues(t, 1, checkpoint(t, s, "a", "backfill-1").Version)

	live := openRun(t, s, "3", "a")
	got := one(t, s, live, 1)
	require.EqualValues(t, 1, got.Checkpoint.Version)
	require.True(t, got.Always)
}

func claimResumes(t *testing.T, s Store) {
	run := openRun(t, s, "1", "a")
	it := one(t, s, run, 1)
	require.False(t, it.Always)
	w := page(it, "d1", "d2")
	w.Progress = rows.Progress{Done: 2, Total: 9}
	w.Page.Page.Warnings = []string{"one date is odd"}
	it, _ = commit(t, s, it, w)
	commit(t, s, it, reopened(write(it), noon()))
	got := one(t, s, run, 1)
	require.Equal(t, 1, got.Seq)
	require.Equal(t, 1, got.Attempts)
	require.EqualValues(t, 2, got.Done)
	require.EqualValues(t, 9, got.Total)
	require.Equal(t, 2, got.Tally.New)
	require.Equal(t, []string{"one date is odd"}, got.Warnings)
	require.JSONEq(t, `{"seq":1}`, string(got.Checkpoint.Value))
	require.Equal(t, "p1", got.Checkpoint.Params)
	require.Equal(t, "e1", got.Checkpoint.Extraction)
}

// Activities that share a queue take each other nothing away, and what a dead one
// held comes back when its seat is taken again, or when it is known to be over.
func claimSeats(t *testing.T, s Store) {
	run := openRun(t, s, "1", keys(6)...)
	ask := func(c rows.Claim) []int64 {
		c.Run, c.Shared, c.Worker, c.Now = run, true, "w", noon()
		got, err := s.Claim(t.Context(), c)
		require.NoError(t, err)
		var ords []int64
		for _, it := range got.Items {
			ords = append(ords, it.Ord)
		}
		return ords
	}
	require.Equal(t, []int64{0, 1}, ask(rows.Claim{Seat: 1, Epoch: 9, Max: 2}))
	require.Equal(t, []int64{2, 3}, ask(rows.Claim{Seat: 0, Epoch: 5, Max: 2}), "an older attempt on another seat is no zombie")
	require.Empty(t, ask(rows.Claim{Seat: 0, Epoch: 4, Max: 2}), "one on the same seat is")
	require.Equal(t, []int64{2, 3, 4}, ask(rows.Claim{Seat: 0, Epoch: 12, Max: 3}), "what its own seat held, and nothing of others")
	require.Equal(t, []int64{0, 1, 4}, ask(rows.Claim{Seat: 2, Epoch: 20, Dead: 15, Max: 3}), "all that began before are over; two of them have lost two workers now")
	require.Empty(t, ask(rows.Claim{Seat: 1, Epoch: 9, Max: 9}), "and get nothing more")
}

// What waited for another try and what was not tried yet take turns, the latter in
// the order of their places.
func claimTurns(t *testing.T, s Store) {
	g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r-turns", WorkflowID: "turns", Campaign: "turns"}})
	require.NoError(t, err)
	var items []rows.RunItem
	for i, key := range keys(8) {
		items = append(items, rows.RunItem{Ord: int64(i), Place: int64(8 - i), Entry: "feed", Key: key, Fetcher: "feed", Queue: "q"})
	}
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	ask := func(queue string, max int, now time.Time) rows.Claimed {
		got, err := s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Shared: true, Queue: queue, Epoch: 1, Worker: "w", Max: max, Now: now})
		require.NoError(t, err)
		return got
	}
	ords := func(got rows.Claimed) (list []int64) {
		for _, it := range got.Items {
			list = append(list, it.Ord)
		}
		return list
	}
	first := ask("q", 4, noon())
	require.Equal(t, []int64{7, 6, 5, 4}, ords(first))
	require.Equal(t, 4, first.Left)
	require.True(t, first.Busy)
	for _, it := range first.Items {
		w := reopened(write(it), noon().Add(time.Minute))
		if it.Ord == 7 {
			w.Settle.Queue = "slow"
		}
		require.NoError(t, s.Write(t.Context(), w).Err)
	}
	require.ElementsMatch(t, []int64{6, 5, 3, 2}, ords(ask("q", 4, noon().Add(time.Hour))), "half of each")
	require.Equal(t, []int64{7}, ords(ask("slow", 4, noon().Add(time.Hour))), "it was moved")
	require.ElementsMatch(t, []int64{4, 1, 0}, ords(ask("q", 4, noon().Add(time.Hour))))
	last := ask("q", 4, noon().Add(time.Hour))
	require.Zero(t, last.Left)
	require.True(t, last.Busy)
}

// When a host refuses one item, its others that were not tried yet wait as long; the
// items of other hosts, of other runs and those that were tried do not.
func claimResting(t *testing.T, s Store) {
	run, other := restingRun(t, s, "1"), restingRun(t, s, "2")
	got := claim(t, s, run, 10, 3)
	require.Len(t, got.Items, 3)
	require.Equal(t, "slow.example", got.Items[0].Host)
	require.Equal(t, "slow.example", got.Items[2].Host)
	commit(t, s, got.Items[2], reopened(write(got.Items[2]), noon().Add(time.Second)))
	later := noon().Add(time.Hour)
	w := reopened(write(got.Items[0]), later)
	w.Settle.HostRests = later
	commit(t, s, got.Items[0], w)

	got = claimAt(t, s, run, 10, 99, noon().Add(time.Minute))
	var hosts []string
	for _, it := range got.Items {
		hosts = append(hosts, it.Host)
	}
	require.ElementsMatch(t, []string{"slow.example", "quick.example", "quick.example", "quick.example", ""}, hosts, "one was tried before")
	require.Equal(t, 4, got.Left)
	require.Equal(t, later, got.NextAt)
	require.Len(t, claimAt(t, s, run, 10, 99, later).Items, 4)
	require.Len(t, claim(t, s, other, 10, 99).Items, 10, "another run asks for itself")
}

// restingRun has five items of a host, four of another and one of none.
func restingRun(t *testing.T, s Store, id string) int64 {
	t.Helper()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "rests-" + id, WorkflowID: "rests-" + id, Campaign: "rests"}})
	require.NoError(t, err)
	var items []rows.RunItem
	for i, key := range keys(10) {
		host := []string{"slow.example", "quick.example"}[i%2]
		if i == 9 {
			host = ""
		}
		items = append(items, rows.RunItem{Ord: int64(i), Place: int64(i), Entry: "feed", Key: key, Fetcher: "feed", Host: host})
	}
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	return g.Run.ID
}

func claimUnknown(t *testing.T, s Store) {
	_, err := s.Claim(t.Context(), rows.Claim{Run: 77, Shared: true, Epoch: 1, Max: 1})
	require.ErrorIs(t, err, rows.ErrNotFound)
	require.ErrorIs(t, s.Write(t.Context(), rows.Write{Run: 77}).Err, rows.ErrNotFound)
	require.ErrorIs(t, s.StopRun(t.Context(), 77, ""), rows.ErrNotFound)
	require.ErrorIs(t, s.FinishRun(t.Context(), rows.Finish{Run: 77}), rows.ErrNotFound)
	_, err = s.SealRun(t.Context(), 77, 1, time.Time{})
	require.ErrorIs(t, err, rows.ErrNotFound)
}
