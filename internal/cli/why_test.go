package cli

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// TestWhy walks the causes, one world each.
func TestWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arg   string
		world func(*bench, *store.Store)
		cause string
	}{
		"paused":          {"news", pausedNews, "paused"},
		"server_down":     {"news", func(b *bench, _ *store.Store) { b.engine.down = errors.New("connect to Temporal: no answer") }, "Temporal"},
		"no_schedule":     {"news", func(b *bench, _ *store.Store) { b.engine.schedErr = engine.ErrNotFound }, "no schedule on the server"},
		"paused_there":    {"news", func(b *bench, _ *store.Store) { b.engine.schedule = engine.Schedule{Paused: true, Note: "by hand"} }, "paused on the server"},
		"no_worker":       {"news", func(b *bench, _ *store.Store) { b.engine.pollers = map[string][]engine.Poller{} }, "workers"},
		"outcome":         {"news", nil, "outcome"},
		"run_before":      {"news~1", nil, "nothing"},
		"missed":          {"weather", nil, "missed"},
		"item":            {"nytimes-economy", nil, "outcome"},
		"item_fine":       {"feed-001", nil, "item"},
		"item_paused":     {"feed-001", pausedItem, "item paused"},
		"store_full":      {"weather", storeFull, "steps fail"},
		"going_on":        {"weather", busy("", 6, 3, 3), "going on"},
		"processor":       {"weather", busyElsewhere, "processor"},
		"processor_alone": {"weather", openWeather(rows.RunItem{Key: "a"}, nil), "processor"},
		"processor_item":  {"weather-05", allTaken, "processor"},
		"host_pace":       {"weather", busy("meteo.example.org", 6, 3, 3), "host"},
		"host_slowed":     {"weather", slowedHost, "host"},
		"host_turn":       {"weather-02", slowedHost, "host"},
		"host_paused":     {"weather", pausedHost, "host"},
		"host_robots":     {"weather", noRobots, "host"},
		"unchanged_304":   {"weather", endedWeather(notModified304()), "unchanged"},
		"unchanged_hash":  {"weather", endedWeather(sameDigest()), "unchanged"},
		"item_unchanged":  {"genova", endedWeather(sameDigest()), "unchanged"},
		"nothing_listed":  {"weather", endedWeather(nothingListed()), "nothing listed"},
		"robots":          {"weather", endedWeather(robotsForbid()), "robots"},
		"blocked":         {"weather", endedWeather(challenge()), "blocked"},
		"changed_shape":   {"weather", endedWeather(newShape()), "changed shape"},
		"item_shape":      {"genova", endedWeather(newShape()), "changed shape"},
		"quarantined":     {"weather", endedWeather(aside()), "quarantined"},
		"unread_before":   {"weather", asideBefore, "quarantined"},
		"item_unread":     {"genova", asideBefore, "quarantined"},
		"paused_by_hand":  {"weather", pausedBusy, "going on"},
		"run_paused":      {"weather", openWeather(rows.RunItem{Key: "a"}, pauseRun), "run paused"},
		"ended_there":     {"weather", openWeather(rows.RunItem{Key: "a"}, endedInTemporal), "ended in Temporal"},
		"stopping":        {"weather", openWeather(rows.RunItem{Key: "a"}, stopRun), "stopping"},
		"waits_for_retry": {"weather", openWeather(rows.RunItem{Key: "a", Host: "h.example.org"}, failOnce), "retry"},
		"host_rests":      {"weather", openWeather(rows.RunItem{Key: "a", Host: "www.nytimes.com"}, failOnce), "host"},
		"overlap":         {"weather", skippedWeather, "overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			askWhy(t, c.world, c.cause, "why_"+name, c.arg)
		})
	}
}

// askWhy asks in a world of its own, for programs and for people.
func askWhy(t *testing.T, world func(*bench, *store.Store), cause, screen string, args ...string) {
	t.Helper()
	b := newBench(t)
	if world != nil {
		s := b.openStore()
		world(b, s)
		require.NoError(t, s.Close())
	}
	args = append([]string{"why"}, args...)
	var a diagnose.Answer
	require.NoError(t, json.Unmarshal([]byte(b.ok(append(args[:len(args):len(args)], "-o", "json")...)), &a))
	require.Equal(t, cause, a.Cause)
	out := b.ok(args...)
	narrow(t, out)
	golden(t, screen, out)
}

func pausedNews(b *bench, s *store.Store) {
	require.NoError(b.t, s.PauseCampaign(b.t.Context(), "news", &rows.Pause{By: "marta", At: moment(), Note: "feeds.csv under repair"}))
}

// pausedBusy: the campaign is paused, and somebody has started a run by hand.
func pausedBusy(b *bench, s *store.Store) {
	busy("", 6, 3, 3)(b, s)
	require.NoError(b.t, s.PauseCampaign(b.t.Context(), "weather", &rows.Pause{By: "marta", At: moment(), Note: "under repair"}))
}

func pausedItem(b *bench, s *store.Store) {
	item := units.Item{Campaign: "news", Entry: "feed", Key: "feed-001"}
	require.NoError(b.t, s.PauseItem(b.t.Context(), item, &rows.Pause{By: "marta", At: moment(), Note: "moved", Until: moment().AddDate(0, 0, 14)}))
}

func skippedWeather(b *bench, s *store.Store) {
	require.NoError(b.t, s.RecordRun(b.t.Context(), rows.Run{
		RunID: "r-s", WorkflowID: "weather-s", Campaign: "weather", Version: 1, State: rows.RunClosed, Outcome: outcomes.Skipped, Why: "run weather-1 was going on",
		DueAt: utc(10, 20, 0), StartedAt: utc(10, 20, 1), ClosedAt: utc(10, 20, 1),
	}))
}

// openWeather opens a run of one item and does something to it.
func openWeather(it rows.RunItem, do func(*bench, *store.Store, rows.Run)) func(*bench, *store.Store) {
	return func(b *bench, s *store.Store) {
		ctx := b.t.Context()
		it.Entry, it.Fetcher = "feed", "feed"
		g, err := s.OpenRun(ctx, rows.NewRun{Run: rows.Run{
			RunID: "r-w", WorkflowID: "weather-1", Campaign: "weather", Version: 1, DueAt: utc(16, 0, 0), StartedAt: utc(16, 0, 3),
		}})
		require.NoError(b.t, err)
		require.NoError(b.t, s.AddItems(ctx, g.Run.ID, []rows.RunItem{it}))
		_, err = s.SealRun(ctx, g.Run.ID, 1, utc(18, 0, 0))
		require.NoError(b.t, err)
		if do != nil {
			do(b, s, g.Run)
		}
	}
}

// pauseRun: a run that holds still says so itself.
func pauseRun(b *bench, _ *store.Store, _ rows.Run) {
	b.engine.progress = steps.ProgressOut{Paused: "by marta: quiet"}
}

func stopRun(b *bench, s *store.Store, r rows.Run) {
	require.NoError(b.t, s.StopRun(b.t.Context(), r.ID, "cancelled by marta"))
}

func failOnce(b *bench, s *store.Store, r rows.Run) {
	ctx := b.t.Context()
	c, err := s.Claim(ctx, rows.Claim{Run: r.ID, Shared: true, Epoch: 1, Worker: "worker-a", Max: 10, Now: utc(16, 1, 0)})
	require.NoError(b.t, err)
	require.Len(b.t, c.Items, 1)
	require.NoError(b.t, s.Write(ctx, rows.Write{
		Run: r.ID, Ord: 0, Epoch: 1, Item: units.Item{Campaign: "weather", Entry: "feed", Key: "a"}, Fetcher: "feed", At: utc(16, 1, 1), Attempt: 1, Worker: "worker-a",
		Settle: &rows.Settle{State: rows.ItemOpen, Kind: harvest.KindServerError, Error: "get https://h.example.org/: HTTP status 502", NotBefore: utc(16, 15, 0), Attempts: 1},
	}).Err)
}

func TestWhyOfAnItemInWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	openWeather(rows.RunItem{Key: "a"}, nil)(b, s)
	_, err := s.Claim(t.Context(), rows.Claim{Run: 3, Shared: true, Epoch: 1, Worker: "worker-b", Max: 10, Now: utc(16, 1, 0)})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Contains(t, b.ok("workers"), "worker-a")
	require.Contains(t, b.ok("why", "weather"), "1 at work")
}

func TestFacts(t *testing.T) {
	t.Parallel()
	a := diagnose.Why(diagnose.Facts{Subject: "x", Store: "store x", Clock: program.New(program.Env{Now: moment, Zone: time.UTC}).Clock})
	require.Equal(t, "not applied", a.Cause)
	for _, o := range outcomes.All() {
		if o.Severity() == outcomes.Bad && o != outcomes.Failed && o != outcomes.Missed {
			require.NotEmpty(t, diagnose.Meaning(o), o)
		}
	}
}

// storeFull is a run whose steps fail because the disk is full.
func storeFull(b *bench, s *store.Store) {
	busy("", 6, 3, 3)(b, s)
	b.engine.failing = "claim items of run 3: the disk is full: database or disk is full (13); free some space; nothing was half written, and work goes on by itself (attempt 4)"
}

func endedInTemporal(b *bench, _ *store.Store, _ rows.Run) { b.engine.ended = "Terminated" }

// TestListSaysWhatEndedInTemporal: a run that was terminated does not stand there as
// running until housekeeping comes.
func TestListSaysWhatEndedInTemporal(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]string{"Terminated": "terminated", "TimedOut": "timedout", "Completed": "running", "": "running"} {
		b := newBench(t)
		s := b.openStore()
		openWeather(rows.RunItem{Key: "a"}, nil)(b, s)
		require.NoError(t, s.Close())
		b.engine.ended = how
		require.Regexp(t, `(?m)^weather-1 +`+want+` `, b.ok("runs", "list", "--open"), how)
		b.engine.down = errors.New("connection refused")
		require.Regexp(t, `(?m)^weather-1 +running `, b.ok("runs", "list", "--open"), "without Temporal: as the store has it")
	}
}
