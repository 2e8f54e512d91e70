package workflows

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/testkit/devtest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// identity is what histories say who it was: no machine's name.
const identity = "recorder"

// server is a real development server.
type server struct {
	client.Client
	cli, address string
}

// devServer starts a server, or skips where there is no Temporal CLI; in CI its
// absence is a failure.
func devServer(t *testing.T, args ...string) server {
	t.Helper()
	cli := devtest.CLI(t)
	started, err := testsuite.StartDevServer(t.Context(), testsuite.DevServerOptions{
		ExistingPath:  cli,
		ClientOptions: &client.Options{Identity: identity, Logger: quiet{}},
		LogLevel:      "never",
		ExtraArgs:     append([]string{"--search-attribute", "VendOutcome=Keyword"}, args...),
		Stdout:        io.Discard, Stderr: io.Discard,
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, started.Stop()) })
	return server{Client: started.Client(), cli: cli, address: started.FrontendHostPort()}
}

// stage is a worker on a task queue of its own whose steps are fakes.
type stage struct {
	t      *testing.T
	client server
	queue  string
	opened steps.Opened // the gate's answer
	busy   int          // how often it says wait first
	sealed steps.Sealed
	fetch  func(context.Context, steps.FetchItemsIn) (steps.Fetched, error)
	close  func(steps.CloseRunIn) steps.Summary

	mu    sync.Mutex
	opens []steps.OpenRunIn
	stops []steps.StopRunIn
	ends  []steps.CloseRunIn
	seen  map[int64]bool // chunks that were here before, by Lo
	goOn  chan struct{}  // closed: chunks that linger come back
	air   chan steps.FetchItemsIn
	cause chan temporalx.Cause // why a chunk that lingered ended
}

func newStage(t *testing.T, c server, queue string, items int) *stage {
	t.Helper()
	s := &stage{
		t: t, client: c, queue: queue, goOn: make(chan struct{}), seen: map[int64]bool{},
		air: make(chan steps.FetchItemsIn, 1000), cause: make(chan temporalx.Cause, 1000),
	}
	s.opened = opened(items)
	s.opened.Ranges[0].Queue = queue
	s.fetch = func(_ context.Context, in steps.FetchItemsIn) (steps.Fetched, error) { return done(in), nil }
	s.close = func(in steps.CloseRunIn) steps.Summary {
		sum := steps.Summary{Outcome: outcomes.Done, Items: map[outcomes.Outcome]int{outcomes.Done: items}, Took: "1s", More: "starter runs show news"}
		switch in.Cause {
		case outcomes.WhyCancelled:
			sum.Outcome = outcomes.Cancelled
		case outcomes.WhyNextTick:
			sum.Outcome = outcomes.Warnings
		}
		return sum
	}
	s.work()
	return s
}

func (s *stage) work() {
	options := temporalx.WorkerOptions(temporalx.WorkerSettings{Identity: identity, Drain: 5 * time.Second})
	options.MaxHeartbeatThrottleInterval = 200 * time.Millisecond
	w := worker.New(s.client.Client, s.queue, options)
	Register(w)
	steps.OpenRun.Register(w, func(_ context.Context, in steps.OpenRunIn) (steps.Opened, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.opens = append(s.opens, in)
		if len(s.opens) <= s.busy {
			return steps.Opened{RunOf: steps.RunOf{Run: 7, Store: "7f3a"}, Campaign: "news", Busy: "news-2026-05-03T14:00:00Z", Wait: time.Second}, nil
		}
		return s.opened, nil
	})
	steps.Expand.Register(w, func(context.Context, steps.ExpandIn) (steps.Expanded, error) { return steps.Expanded{Items: 2}, nil })
	steps.SealRun.Register(w, func(context.Context, steps.SealRunIn) (steps.Sealed, error) { return s.sealed, nil })
	steps.FetchItems.Register(w, func(ctx context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
		s.air <- in
		return s.fetch(ctx, in)
	})
	steps.StopRun.Register(w, func(_ context.Context, in steps.StopRunIn) (steps.Nothing, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.stops = append(s.stops, in)
		return steps.Nothing{}, nil
	})
	steps.CloseRun.Register(w, func(_ context.Context, in steps.CloseRunIn) (steps.Summary, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ends = append(s.ends, in)
		return s.close(in), nil
	})
	steps.Notify.Register(w, func(context.Context, steps.NotifyIn) (steps.Nothing, error) { return steps.Nothing{}, nil })
	steps.SkipItem.Register(w, func(context.Context, steps.SkipItemIn) (steps.Skipped, error) {
		return steps.Skipped{Ords: []int64{3}}, nil
	})
	steps.Reconcile.Register(w, func(context.Context, steps.ReconcileIn) (steps.Reconciled, error) {
		return steps.Reconciled{Looked: 3}, nil
	})
	steps.FindMissed.Register(w, func(context.Context, steps.FindMissedIn) (steps.Missed, error) { return steps.Missed{}, nil })
	steps.Clean.Register(w, func(context.Context, steps.CleanIn) (steps.Cleaned, error) { return steps.Cleaned{Runs: 1}, nil })
	require.NoError(s.t, w.Start())
	s.t.Cleanup(w.Stop)
}

// linger is a chunk that heartbeats until goOn, or hands back.
func (s *stage) linger(ctx context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
	beat := time.NewTicker(50 * time.Millisecond)
	defer beat.Stop()
	for {
		select {
		case <-s.goOn:
			return done(in), nil
		case <-ctx.Done():
			cause := temporalx.CancelCause(ctx)
			s.cause <- cause
			return steps.Fetched{Left: 1}, nil
		case <-beat.C:
			activity.RecordHeartbeat(ctx, in.Ord)
		}
	}
}

func (s *stage) start(id string, in steps.Start) client.WorkflowRun {
	s.t.Helper()
	run, err := s.client.ExecuteWorkflow(s.t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: s.queue}, steps.CampaignWorkflow, in)
	require.NoError(s.t, err)
	return run
}

// inTheAir waits until so many chunks were begun.
func (s *stage) inTheAir(n int) {
	s.t.Helper()
	for range n {
		<-s.air
	}
}

// result waits for the end of a run.
func (s *stage) result(run client.WorkflowRun) (steps.Summary, error) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	defer cancel()
	var sum steps.Summary
	err := run.Get(ctx, &sum)
	return sum, err
}

func (s *stage) status(id, run string) enumspb.WorkflowExecutionStatus {
	s.t.Helper()
	d, err := s.client.DescribeWorkflowExecution(s.t.Context(), id, run)
	require.NoError(s.t, err)
	return d.WorkflowExecutionInfo.Status
}

func (s *stage) history(id, run string) *historypb.History {
	s.t.Helper()
	h := &historypb.History{}
	events := s.client.GetWorkflowHistory(s.t.Context(), id, run, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		require.NoError(s.t, err)
		h.Events = append(h.Events, e)
	}
	return h
}

// summaries are what the Web UI shows beside events of a type.
func summaries(t *testing.T, h *historypb.History, kind enumspb.EventType) []string {
	t.Helper()
	var all []string
	for _, e := range h.Events {
		if e.EventType == kind && e.GetUserMetadata().GetSummary() != nil {
			all = append(all, strings.Trim(string(e.UserMetadata.Summary.Data), `"`))
		}
	}
	return all
}

func stoppedAtOnce(_ context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
	return steps.Fetched{Left: 1, Stopped: true}, nil
}

// failTwice is a chunk whose source asks for a second of rest, twice.
func failTwice(s *stage) func(context.Context, steps.FetchItemsIn) (steps.Fetched, error) {
	return func(ctx context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
		if activity.GetInfo(ctx).Attempt < 3 {
			return steps.Fetched{}, temporalx.RetryIn(harvest.Errorf(harvest.KindThrottled, "get", "https://x.example/rss", "HTTP status 429"), time.Second)
		}
		return done(in), nil
	}
}

// again reports whether the chunk from lo was here before.
func (s *stage) again(lo int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.seen[lo]
	s.seen[lo] = true
	return before
}
