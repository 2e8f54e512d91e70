package planner

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

const twoFile = `main.yaml
project: p
campaigns:
  a: { schedule: { every: 2h, max_runs: 10 }, fetcher: feed, params: { url: "https://a.example.org/rss" } }
  b: { schedule: daily at 06:00, fetcher: feed, params: { url: "https://b.example.org/rss" } }
`

func edit(file string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(file) }

func TestApplyTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	var told []string
	r, err := w.Apply(t.Context(), w.in, "", func(d Done) { told = append(told, d.String()) })
	require.NoError(t, err)
	require.Equal(t, []string{"+ a  a@1 · schedule made", "+ b  b@1 · schedule made"}, told)
	require.Len(t, r.Done, 2)
	require.Equal(t, "every 2h · 1 item · a@1 by marta 4 May 10:00 · main.yaml:3 · #"+w.digest("a"), w.schedule("campaign-a").State.Note)
	w.settled()
	require.Empty(t, w.apply().Done)
	require.Equal(t, []string{"list"}, w.server.took())
	events, err := w.store.Events(t.Context(), "a", time.Time{}, 10)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, "a@1", events[0].Note)
}

func (w *world) digest(campaign string) string {
	d, err := w.store.Definition(w.t.Context(), campaign, 0)
	require.NoError(w.t, err)
	return d.Digest[len("sha256:"):][:8]
}

func TestACrashAnywhereIsCompletedByTheNextApply(t *testing.T) {
	t.Parallel()
	boom := errors.New("connection reset")
	before := func(w *world) {
		w.files(twoFile, "old.yaml\nproject: p\ncampaigns:\n  gone: { schedule: every 3h, fetcher: feed, params: { url: \"https://g.example.org/rss\" } }\n  was: { schedule: every 5h, fetcher: feed, params: { url: \"https://w.example.org/rss\" } }")
		w.apply()
		w.server.took()
		w.files(edit(twoFile, "every: 2h", "every: 4h", "daily at 06:00", "daily at 07:00"), "old.yaml\nproject: p\ncampaigns:\n  now: { was: was, schedule: every 5h, fetcher: feed, params: { url: \"https://w.example.org/rss\" } }")
		w.in.Prune = true
	}
	for n := 1; ; n++ { // fail the n-th request of the apply
		w := newWorld(t)
		before(w)
		calls := 0
		w.server.fail = func(string) error {
			if calls++; calls == n {
				return boom
			}
			return nil
		}
		_, err := w.Apply(t.Context(), w.in, "", nil)
		if err == nil {
			require.Greater(t, n, 8, "the apply made fewer requests than it must")
			return
		}
		require.ErrorIs(t, err, boom)
		w.server.fail = nil
		w.apply()
		w.in.Prune = false
		w.settled()
		require.Len(t, w.server.schedules, 3, "request %d", n)
		require.Contains(t, w.schedule("campaign-a").State.Note, "every 4h · 1 item · a@2 by marta")
		require.Contains(t, w.server.schedules, "campaign-now")
	}
}

func TestAnInterruptedApplyIsCalledSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.files(edit(twoFile, "every: 2h", "every: 4h"))
	w.server.fail = func(call string) error {
		if strings.HasPrefix(call, "update") {
			return errors.New("unavailable")
		}
		return nil
	}
	_, err := w.Apply(t.Context(), w.in, "", nil)
	require.ErrorContains(t, err, "a: write schedule campaign-a: unavailable; 0 of 1 campaigns done, apply again to go on")
	w.server.fail = nil
	c := w.change("a")
	require.Equal(t, MarkDrift, c.Mark)
	require.Equal(t, "the server has a@1, the store a@2: an apply did not finish; apply completes it", c.Why)
	w.apply()
	w.settled()
	require.Equal(t, 4*time.Hour, w.schedule("campaign-a").Spec.Intervals[0].Every)
}

func TestAPlanThatMovedIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.files(edit(twoFile, "every: 2h", "every: 4h"))
	p := w.plan()
	require.Equal(t, p.Digest, w.plan().Digest, "looking again changes nothing")
	w.in.Now = w.in.Now.Add(time.Hour)
	require.Equal(t, p.Digest, w.plan().Digest, "nor does time")
	w.server.byHand("campaign-b", func(s *client.Schedule) { s.State.Paused, s.State.Note = true, "storm" })
	_, err := w.Apply(t.Context(), w.in, p.Digest[:4], nil)
	require.ErrorIs(t, err, ErrMoved)
	require.ErrorContains(t, err, "look again: starter campaigns plan")
	require.Contains(t, w.schedule("campaign-a").State.Note, "a@1 ", "nothing was changed")
	_, err = w.Apply(t.Context(), w.in, "4c1", nil)
	require.ErrorContains(t, err, "at least its first 4 digits")
	_, err = w.Apply(t.Context(), w.in, "#"+strings.ToUpper(w.plan().Digest[:6]), nil)
	require.NoError(t, err)
}

func TestFilesWithErrorsAreNotPlanned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.in.Loaded.Problems = []campaigns.Problem{{File: "x.yaml", Line: 3, Column: 5, Text: "no such key"}}
	_, err := w.Apply(t.Context(), w.in, "", nil)
	require.ErrorContains(t, err, "the files have errors, the first of 1: x.yaml:3:5 no such key")
	require.Empty(t, w.server.took())
}

func TestWhatIsLeftOfMaxRunsIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	require.Equal(t, 10, w.schedule("campaign-a").State.RemainingActions)
	w.server.byHand("campaign-a", func(s *client.Schedule) { s.State.RemainingActions = 3 })
	w.files(edit(twoFile, "every: 2h", "every: 4h"))
	w.apply()
	require.Equal(t, 3, w.schedule("campaign-a").State.RemainingActions)
	w.files(edit(twoFile, "every: 2h, max_runs: 10", "every: 4h, max_runs: 12"))
	w.apply()
	require.Equal(t, 12, w.schedule("campaign-a").State.RemainingActions)
	w.files(edit(twoFile, "every: 2h, max_runs: 10", "every: 4h"))
	w.apply()
	require.False(t, w.schedule("campaign-a").State.LimitedActions)
}

func TestTheServerTakesAnUpdateAndForgetsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.files(twoFile)
		w.apply()
		w.files(edit(twoFile, "every: 2h", "every: 4h"))
		w.server.lose = 1
		w.apply()
		require.Equal(t, 4*time.Hour, w.schedule("campaign-a").Spec.Intervals[0].Every)
		w.files(edit(twoFile, "every: 2h", "every: 6h"))
		w.server.lose = 100
		_, err := w.Apply(t.Context(), w.in, "", nil)
		require.ErrorContains(t, err, "took the change three times and did not keep it")
		w.server.lose = 0
		w.apply()
		w.settled()
		require.NoError(t, w.store.Close())
	})
}

func TestAListThatLagsIsLookedAtAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.stale = map[string]*client.ScheduleDescription{}
	w.files(twoFile)
	w.apply()
	p := w.plan()
	require.False(t, p.Pending())
	require.Empty(t, w.apply().Done)
}

func TestCampaignsWithoutAScheduleHaveNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.files(edit(twoFile, "schedule: daily at 06:00, ", ""))
	require.Equal(t, ActionDelete, w.change("b").Action)
	w.apply()
	w.settled()
	require.NotContains(t, w.server.schedules, "campaign-b")
	w.files(twoFile)
	require.Equal(t, ActionCreate, w.change("b").Action)
	w.apply()
	w.settled()
}

func TestPruneStaysInsideItsProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.files("main.yaml", "other.yaml\nproject: q\ncampaigns:\n  c: { schedule: every 3h, fetcher: feed, params: { url: \"https://c.example.org/rss\" } }")
	w.in.Prune = true
	w.apply()
	w.settled()
	require.Len(t, w.server.schedules, 3)

	w.files("other.yaml\nproject: q\ncampaigns:\n  a: { fetcher: feed, params: { url: \"https://c.example.org/rss\" } }")
	c := w.change("a")
	require.Contains(t, c.Blocked, `belongs to project "p"`)
	_, err := w.Apply(t.Context(), w.in, "", nil)
	require.ErrorIs(t, err, ErrBlocked)

	w.files("other.yaml", "main.yaml\nproject: p\ncampaigns:\n  a: { schedule: every 2h, fetcher: feed, params: { url: \"https://a.example.org/rss\" } }")
	require.Equal(t, MarkGone, w.change("b").Mark)
	w.in.Prune = false
	w.apply()
	require.Contains(t, w.server.schedules, "campaign-b", "without prune it stays")
	w.in.Prune = true
	w.apply()
	require.NotContains(t, w.server.schedules, "campaign-b")
	w.settled()

	w.files(twoFile) // it comes back
	require.Equal(t, MarkNew, w.change("b").Mark)
	w.apply()
	w.settled()
}

func TestAnotherStoresScheduleIsNotTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.Planner.settings.Instance.Store = "0badcafe"
	require.Contains(t, w.change("a").Blocked, "belongs to another store, #7f3a9c12")
	require.ErrorContains(t, w.Pause(t.Context(), "a", rows.Pause{}), "belongs to another store, #7f3a9c12")
	w.in.Adopt = true
	w.apply()
	w.in.Adopt = false
	w.settled()
	d, err := (&handle{server: w.server, id: "campaign-a"}).find()
	require.NoError(t, err)
	require.Equal(t, "0badcafe", memoText(d.Memo, "store"))
}

func TestHostsAreApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.files("main.yaml\nproject: p\nhosts: { a.example.org: { every: 2s } }\n" + edit(twoFile, "main.yaml\nproject: p\n", ""))
	p := w.plan()
	require.Equal(t, []Difference{{Path: "a.example.org", New: "every 2s"}}, p.Hosts)
	require.True(t, p.Pending())
	w.apply()
	w.settled()
	hosts, err := w.store.Hosts(t.Context())
	require.NoError(t, err)
	require.Len(t, hosts, 1)
	w.files(twoFile)
	require.Equal(t, []Difference{{Path: "a.example.org", Old: "every 2s"}}, w.plan().Hosts)
}

func TestRequestsKeepTheirDistance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, start := newPacer(10), time.Now()
		for range 5 {
			require.NoError(t, p.wait(t.Context(), 1))
		}
		require.Equal(t, 400*time.Millisecond, time.Since(start))
		require.NoError(t, p.wait(t.Context(), 2))
		require.NoError(t, p.wait(t.Context(), 1))
		require.Equal(t, 700*time.Millisecond, time.Since(start))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, p.wait(ctx, 1), context.Canceled)
		require.NoError(t, newPacer(0).wait(t.Context(), 100))
	})
}

func TestStoreErrorsNameWhatWasDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	require.NoError(t, w.store.Close())
	_, err := w.Plan(t.Context(), w.in)
	require.ErrorContains(t, err, "read the campaigns of the store")
	require.ErrorContains(t, w.Pause(t.Context(), "a", rows.Pause{}), "pause a: ")
}

func TestNothingOfAnotherStoreIsDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.files(twoFile)
	w.apply()
	w.Planner.settings.Instance.Store = "0badcafe"
	w.files("main.yaml\nproject: p\ncampaigns:\n  c: { was: a, schedule: every 2h, fetcher: feed, params: { url: \"https://a.example.org/rss\" } }")
	w.in.Prune = true
	w.apply() // c comes, a is renamed, b is pruned: in the store
	require.Len(t, w.server.schedules, 3, "the other store's two stay")
	w.settled()
	require.NoError(t, w.Delete(t.Context(), "b", "ilse"))
	require.Len(t, w.server.schedules, 3)
}
