package workflows

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// sticky replaces the name of a worker's own queue, which begins with the
	// name of its host.
	sticky = "recorder:sticky"
	// suggest makes the server suggest a fresh history after so many events.
	suggest = "80"
)

// scenario sets a stage and starts what is recorded; what it returns is run
// beside it.
type scenario struct {
	name  string
	items int
	set   func(s *stage)
	drive func(s *stage, run client.WorkflowRun)
}

// scenarios make the histories under testdata/replay.
func scenarios() []scenario {
	return []scenario{
		{name: "plain", items: 12, set: labelled},
		{name: "handback", items: 4, set: handBack},
		{name: "deadline", items: 3, set: late},
		{name: "cancelled", items: 9, set: lingering, drive: cancelIt},
		{name: "paused-resumed", items: 9, set: lingering, drive: pauseAndResume},
		{name: "continued-as-new", items: 40, set: labelled},
		{name: "failed", items: 4, set: failing},
		{name: "asked", items: 0, set: asking},
		{name: "shared", items: 600, set: sharing},
		{name: "waited-in-line", items: 2, set: func(s *stage) { s.busy = 2 }},
	}
}

// TestRecord records the histories that TestReplay replays, from the code of
// this tree: only with VENDEMMIA_RECORD=1, and only as docs/change-a-workflow.md
// says.
func TestRecord(t *testing.T) {
	if os.Getenv("VENDEMMIA_RECORD") == "" {
		t.Skip("set VENDEMMIA_RECORD=1 to record histories")
	}
	c := devServer(t, "--dynamic-config-value", "limit.historyCount.suggestContinueAsNew="+suggest)
	require.NoError(t, os.MkdirAll(recorded, 0o755))
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c, "vendemmia-control-"+sc.name, sc.items)
			sc.set(s)
			run := s.start("news-"+sc.name, steps.Start{Campaign: "news", Definition: "news@7", Trigger: steps.TriggerSchedule})
			first := run.GetRunID()
			if sc.drive != nil {
				sc.drive(s, run)
			}
			_, _ = s.result(run) // its end is in the history, whatever it is
			s.record(sc.name, run.GetID(), first)
		})
	}
}

// record writes the history of every execution, one file each.
func (s *stage) record(name, id, run string) {
	s.t.Helper()
	for n := 1; run != ""; n++ {
		h := s.history(id, run)
		file := name + ".json"
		if n > 1 {
			file = fmt.Sprintf("%s-%d.json", name, n)
		}
		for _, e := range h.Events {
			if q := e.GetWorkflowTaskScheduledEventAttributes().GetTaskQueue(); q.GetKind() == enumspb.TASK_QUEUE_KIND_STICKY {
				q.Name = sticky
			}
		}
		b, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(h)
		require.NoError(s.t, err)
		require.NoError(s.t, os.WriteFile(filepath.Join(recorded, file), append(b, '\n'), 0o644))
		run = continuedAs(h)
	}
}

func continuedAs(h *historypb.History) string {
	last := h.Events[len(h.Events)-1]
	return last.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId()
}

func labelled(s *stage) {
	part := &s.opened.Ranges[0]
	part.Priority = 2
	for i := range s.opened.Items {
		part.Labels = append(part.Labels, fmt.Sprintf("feed-%02d", i+1))
	}
}

// handBack: one item rests for two seconds, another moves to another queue
// without moving on.
func handBack(s *stage) {
	s.opened.Deadline = time.Now().Add(time.Hour)
	s.fetch = func(_ context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
		first := !s.again(in.Ord)
		switch {
		case in.Ord == 2 && first:
			return steps.Fetched{Left: 1, NextAt: time.Now().Add(2 * time.Second), Why: "www.nytimes.com rests until 21:03"}, nil
		case in.Ord == 3 && first:
			return steps.Fetched{Left: 1, Queue: s.queue}, nil
		}
		return done(in), nil
	}
}

// sharing: two activities take what is due in a queue; one is done with its share,
// the other leaves an item that waits, and one in another queue.
func sharing(s *stage) {
	s.opened.Processors = 10
	s.opened.Ranges = []steps.Range{{Queue: s.queue, Shared: true, Chunk: 200, Left: 600}}
	s.fetch = func(_ context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
		first := !s.again(in.Seat)
		switch {
		case first && in.Seat == 0:
			return steps.Fetched{Closed: 200, Left: 200, Busy: true}, nil
		case first:
			return steps.Fetched{Closed: 199, Left: 1, NextAt: time.Now().Add(2 * time.Second), Queue: s.queue}, nil
		}
		return steps.Fetched{Closed: 200}, nil
	}
}

// late: one item rests beyond the deadline.
func late(s *stage) {
	s.opened.Deadline = time.Now().Add(time.Hour)
	s.fetch = func(_ context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
		if in.Ord == 2 {
			return steps.Fetched{Left: 1, NextAt: time.Now().Add(3 * time.Hour)}, nil
		}
		return done(in), nil
	}
}

func lingering(s *stage) { s.fetch = s.linger }

func cancelIt(s *stage, run client.WorkflowRun) {
	s.inTheAir(4)
	require.NoError(s.t, s.client.CancelWorkflow(s.t.Context(), run.GetID(), ""))
}

func pauseAndResume(s *stage, run client.WorkflowRun) {
	ctx, id := s.t.Context(), run.GetID()
	s.inTheAir(4)
	_, err := steps.Pause.Send(ctx, s.client, id, "", steps.PauseIn{By: "marta", Why: "feeds.csv under repair"})
	require.NoError(s.t, err)
	for range 4 {
		<-s.cause
	}
	_, err = steps.SetProcessors.Send(ctx, s.client, id, "", steps.SetProcessorsIn{Processors: 6})
	require.NoError(s.t, err)
	_, err = steps.Skip.Send(ctx, s.client, id, "", steps.SkipItemIn{Key: "feed-03", By: "marta"})
	require.NoError(s.t, err)
	_, err = steps.Resume.Send(ctx, s.client, id, "", steps.ResumeIn{By: "marta"})
	require.NoError(s.t, err)
	s.inTheAir(6)
	close(s.goOn)
}

// failing: one chunk fails for good, a notification cannot be sent, the run has
// failed.
func failing(s *stage) {
	s.fetch = func(_ context.Context, in steps.FetchItemsIn) (steps.Fetched, error) {
		if in.Ord == 2 {
			return steps.Fetched{}, temporal.NewNonRetryableApplicationError("this worker is of store 9c12", "misconfigured", errors.New("store"))
		}
		return done(in), nil
	}
	s.close = func(in steps.CloseRunIn) steps.Summary {
		return steps.Summary{
			Outcome: outcomes.Failed, Failed: "failed: 1 of 4 items; " + in.Error, FailedItems: 1, Notify: true,
			LookAt: []string{"feed-02 failed"}, More: "starter runs show news",
		}
	}
	s.opened.Attributes = map[string]string{"Outcome": "VendOutcome"}
}

// asking: two entries, one of them on a queue of its own.
func asking(s *stage) {
	s.sealed = steps.Sealed{Items: 5, Ranges: []steps.Range{
		{Entry: "theses", Queue: s.queue, Lo: 0, Hi: 2},
		{Entry: "books", Queue: s.queue, Lo: 1 << 32, Hi: 1<<32 + 1, Priority: 4},
	}}
	s.opened.Ranges, s.opened.Items = nil, 0
	s.opened.Ask, s.opened.AskQueues = []string{"theses", "books"}, []string{"", s.queue}
}
