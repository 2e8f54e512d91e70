package cli

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/engine"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/watch"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/store"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

func warned() steps.Summary {
	return steps.Summary{
		Outcome: outcomes.Warnings, LookAt: []string{"nytimes-economy throttled: Retry-After 3h", "ilsole24ore-norme 3 quarantined"},
		Documents: steps.Documents{Listed: 2732, New: 214, Changed: 9, Same: 2506, Quarantined: 3},
		Items: map[outcomes.Outcome]int{
			outcomes.Done: 74, outcomes.Unchanged: 57, outcomes.Partial: 1, outcomes.Throttled: 1,
		},
		Asked: 139, Took: "3m14s",
	}
}

func TestTrigger(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.summary = warned()
	r := b.run("trigger", "--campaign", "news", "--item", "feed-001", "--item", "feed-002", "--again", "--processors", "3", "--limit", "5",
		"--params", "pages=2", "--from", "2026-05-01")
	require.Equal(t, program.ExitOK, r.code, r.err)
	golden(t, "trigger", r.out)
	narrow(t, r.out)

	require.Len(t, b.engine.started, 1)
	n := b.engine.started[0]
	require.Equal(t, "news-2026-05-03T16:10:00Z", n.ID)
	require.Equal(t, "news", n.Campaign.Name)
	require.Equal(t, steps.Start{
		Campaign: "news", Params: json.RawMessage(`{"pages":2}`), Processors: 3, Items: []string{"feed-001", "feed-002"}, ForceRefresh: true, Limit: 5,
		Window: harvest.Window{From: time.Date(2026, 5, 1, 0, 0, 0, 0, rome(t))}, Trigger: steps.TriggerHand, TriggeredBy: "marta",
		Store: n.Start.Store,
	}, n.Start)
	require.NotEmpty(t, n.Start.Store, "a worker over another store must refuse")
}

func TestTriggerFetcher(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.summary = steps.Summary{Outcome: outcomes.Done}
	require.Equal(t, program.ExitOK, b.run("trigger", "--fetcher", "rss", "--fetcher-params", `{"url":"https://x.example.org"}`).code)
	n := b.engine.started[0]
	require.Equal(t, "adhoc-feed-2026-05-03T16:10:00Z", n.ID)
	require.Equal(t, "feed", n.Start.Fetcher)
	require.JSONEq(t, `{"url":"https://x.example.org"}`, string(n.Start.Params))
}

func TestTriggerEndsByItsOutcome(t *testing.T) {
	t.Parallel()
	for outcome, code := range map[outcomes.Outcome]int{
		outcomes.Done: program.ExitOK, outcomes.Unchanged: program.ExitOK, outcomes.Empty: program.ExitWarnings, outcomes.Warnings: program.ExitWarnings,
		outcomes.Failed: program.ExitRunFailed, outcomes.Blocked: program.ExitRunFailed, outcomes.Cancelled: program.ExitRunFailed, outcomes.Skipped: program.ExitError,
	} {
		t.Run(string(outcome), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.engine.summary = steps.Summary{Outcome: outcome, Why: "run news-1 is going on"}
			r := b.run("trigger", "--campaign", "news", "--strict", "-o", "json")
			require.Equal(t, code, r.code, r.err)
			var got map[string]any
			require.NoError(t, json.Unmarshal([]byte(r.out), &got), r.out)
			require.Equal(t, string(outcome), got["outcome"])
		})
	}
}

func TestTriggerFailsByAnExpectation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.summary = steps.Summary{Outcome: outcomes.Empty, Why: "10 documents listed, at least 50 expected", Failed: "empty: 10 documents listed"}
	require.Equal(t, program.ExitRunFailed, b.run("trigger", "news").code)
}

func TestTriggerWhileAnotherRuns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.summary = steps.Summary{Outcome: outcomes.Skipped, Why: "run news-2026-05-03T16:00:00Z is going on since 18:00, and overlap is skip"}
	r := b.run("trigger", "--campaign", "news")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "already running, run news-2026-05-03T16:00:00Z since 18:00, and overlap is skip")
}

func TestTriggerNobodyPolls(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.wait, b.engine.pollers = make(chan struct{}), map[string][]engine.Poller{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan result)
	go func() { done <- b.runIn(ctx, "trigger", "--campaign", "news") }()
	require.Eventually(t, func() bool { return b.engine.asked("vendemmia-control") }, time.Minute, time.Millisecond)
	cancel()
	r := <-done
	require.Equal(t, program.ExitInterrupted, r.code)
	require.Contains(t, r.err, "nobody polls vendemmia-control; start one: worker\n")
	require.Contains(t, r.err, "the run goes on")
	require.Contains(t, r.err, "starter runs cancel news-2026-05-03T16:10:00Z")
	require.Empty(t, b.engine.told, "Ctrl-C tells the run nothing")
}

func TestTriggerShowsProgress(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.wait = make(chan struct{})
	d := b.openStore()
	g, err := d.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r-new", WorkflowID: "weather-x", Campaign: "weather", Version: 1, StartedAt: moment().Add(-29 * time.Second)}})
	require.NoError(t, err)
	require.NoError(t, d.AddItems(t.Context(), g.Run.ID, []rows.RunItem{{Ord: 0, Entry: "feed", Key: "a", Fetcher: "feed"}, {Ord: 1, Entry: "feed", Key: "b", Fetcher: "feed"}}))
	_, err = d.SealRun(t.Context(), g.Run.ID, 2, time.Time{})
	require.NoError(t, err)
	require.NoError(t, d.SkipItem(t.Context(), g.Run.ID, "a", "by hand"))
	require.NoError(t, d.Close())

	b.engine.pollers = map[string][]engine.Poller{"vendemmia-control": {{Identity: "w"}}}
	b.engine.summary = steps.Summary{Outcome: outcomes.Done}
	done := make(chan result)
	go func() { done <- b.run("trigger", "--campaign", "weather") }()
	require.Eventually(t, func() bool { return b.engine.asked("library") }, time.Minute, time.Millisecond)
	close(b.engine.wait)
	r := <-done
	require.Equal(t, program.ExitOK, r.code, r.err)
	require.Contains(t, r.err, "nobody polls library; start one: worker --queues library\n")
}

func (b *bench) openStore() *store.Store {
	b.t.Helper()
	s, err := store.Open(b.t.Context(), b.dir+"/.vendemmia/vendemmia.db", store.Options{})
	require.NoError(b.t, err)
	return s
}

func TestTriggerDetached(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.wait = make(chan struct{})
	out := b.ok("trigger", "--campaign", "news", "-d", "-o", "jsonl")
	require.JSONEq(t, `{"run":"news-2026-05-03T16:10:00Z","run_id":"r-new"}`, out)
}

func TestTriggerUnknownCampaign(t *testing.T) {
	t.Parallel()
	r := newBench(t).run("trigger", "--campaign", "newz")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "not applied in store sqlite")
	require.Contains(t, r.err, "did you mean news?")
}

func TestTriggerWithoutAServer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.down = errors.New("connect to Temporal at localhost:7233: no answer in 5s")
	r := b.run("trigger", "--campaign", "news")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "no answer in 5s")
}

func TestRetry(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.summary = steps.Summary{Outcome: outcomes.Done}
	require.Equal(t, program.ExitOK, b.run("runs", "retry", "news").code)
	n := b.engine.started[0]
	require.Equal(t, "news-retry-2026-05-03T16:00:00Z-1", n.ID)
	require.Equal(t, newsRun, n.Start.RetryOf)
	require.Empty(t, n.Start.Items, "all that is unfinished: the gate finds it")

	require.Equal(t, program.ExitOK, b.run("runs", "retry", "news", "--outcome", "throttled").code)
	require.Equal(t, []string{"nytimes-economy"}, b.engine.started[1].Start.Items)

	r := b.run("runs", "retry", "news", "--item", "nytimes-economy", "--item", "feed-000")
	require.Equal(t, program.ExitError, r.code, "nothing named is left out in silence")
	require.Contains(t, r.err, "item feed-000 is not to be tried again, or not of this run")

	r = b.run("runs", "retry", "news~1")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "none of its items is to be tried again")

	require.Equal(t, program.ExitOK, b.run("items", "retry", "nytimes-economy", "--again").code)
	require.Equal(t, []string{"nytimes-economy"}, b.engine.started[2].Start.Items)
	require.True(t, b.engine.started[2].Start.ForceRefresh)
}

func TestTellingARun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	r := b.run("runs", "cancel", "news")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "it ended at Sun 3 May 18:03 CEST, warnings")

	s := b.openStore()
	_, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r-9", WorkflowID: "weather-9", Campaign: "weather", Version: 1, StartedAt: moment()}})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	for _, args := range [][]string{
		{"runs", "pause", "weather", "--note", "quiet"},
		{"runs", "resume", "weather"},
		{"runs", "set", "weather", "--processors", "5"},
		{"runs", "skip", "weather", "genova", "roma"},
		{"runs", "cancel", "weather-9"},
	} {
		require.Contains(t, b.ok(args...), "target   namespace default @ localhost:7233")
	}
	require.Equal(t, []string{
		"pause weather-9 by marta: quiet", "resume weather-9 by marta", "set weather-9 by marta", "skip weather-9 genova", "skip weather-9 roma", "cancel weather-9",
	}, b.engine.told)

	s = b.openStore()
	events, err := s.Events(t.Context(), "weather-9", time.Time{}, 10)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Len(t, events, 5, "who did what is kept")
	require.Equal(t, "marta", events[0].By)
}

func TestWaitAndWatchOfAnEndedRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	require.Equal(t, newsRun+"  warnings\n", b.ok("runs", "wait", "news"))
	require.Equal(t, program.ExitWarnings, b.run("runs", "wait", "news", "--strict").code)
	require.Equal(t, program.ExitOK, b.run("runs", "wait", "--all").code)
	require.Contains(t, b.ok("runs", "watch", "news"), "warnings")
}

func TestWaitGivesUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := b.openStore()
	_, err := s.OpenRun(t.Context(), rows.NewRun{Run: rows.Run{RunID: "r-9", WorkflowID: "weather-9", Campaign: "weather", Version: 1, StartedAt: moment()}})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	r := b.run("runs", "wait", "weather", "--timeout", "20ms")
	require.Equal(t, program.ExitError, r.code)
	require.Contains(t, r.err, "still going on after 20ms")
}

func TestTriggerTellsOfWorkersThatLeave(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]func(*fakeEngine){
		"polled long ago": func(f *fakeEngine) {
			f.pollers = map[string][]engine.Poller{"vendemmia-control": {{Identity: "w", LastSeen: moment().Add(-watch.PollWindow - time.Second)}}}
		},
		"said goodbye": func(f *fakeEngine) {
			f.workers = []engine.Worker{{Identity: "worker-a", Queue: "vendemmia-control", Status: "shuttingdown"}}
		},
		"fell silent": func(f *fakeEngine) {
			f.workers = []engine.Worker{{Identity: "worker-a", Queue: "vendemmia-control", Status: "running", LastSeen: moment().Add(-watch.PollWindow - time.Second)}}
		},
		"leaves later": func(f *fakeEngine) { f.leaves = 3 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.engine.wait = make(chan struct{})
			gone(b.engine)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			b.warned = cancel
			r := b.runIn(ctx, "trigger", "news")
			require.Equal(t, program.ExitInterrupted, r.code)
			require.Contains(t, r.err, "nobody polls vendemmia-control; start one: worker\n")
		})
	}
}

// The roster knows a worker that was killed; another took its name and polls.
func TestAWorkerOfTheSameNameIsAtWork(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"running", "shutdown"} {
		b := newBench(t)
		for _, q := range []string{"vendemmia-control", "vendemmia-fetch"} {
			b.engine.workers = append(b.engine.workers, engine.Worker{Identity: "worker-a", Queue: q, Status: status, LastSeen: moment().Add(-3 * time.Minute)})
		}
		require.NotContains(t, b.ok("workers"), "silent")
		require.Contains(t, b.ok("workers"), "worker-a")
		require.Contains(t, b.ok("why", "news"), "workers 1")
	}
}

func TestTriggerTwiceInOneSecond(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine.taken = []string{"news-2026-05-03T16:10:00Z", "news-2026-05-03T16:10:01Z"}
	b.engine.summary = steps.Summary{Outcome: outcomes.Done}
	require.Contains(t, b.ok("trigger", "news"), "run      news-2026-05-03T16:10:02Z\n")

	r := b.run("trigger", "news", "--campaign", "weather")
	require.Equal(t, program.ExitUsage, r.code)
	require.Contains(t, r.err, "news and --campaign weather both name a campaign")
}
