package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// maxAsks bounds how often one execution asks the gate; eight events each.
	maxAsks = 500
	// maxLine bounds how long a run waits in line.
	maxLine = 7 * 24 * time.Hour
	// minWait and maxWait bound what the gate may ask us to wait.
	minWait = time.Second
	maxWait = 10 * time.Minute
)

// enter passes the gate, waiting in line where the overlap policy says so.
func (r *run) enter(ctx workflow.Context) ending {
	if r.state.Run.Run != 0 && r.state.Run.Busy == "" {
		return workedOff // passed by an execution before this one
	}
	for asked := 1; ; asked++ {
		r.show(ctx, false)
		opened, err := steps.OpenRun.Do(temporalx.With(ctx, temporalx.Gate()), r.request(ctx))
		if err != nil {
			return r.unable(ctx, "", err)
		}
		r.state.Run = opened
		switch {
		case opened.Refused != "":
			return refused
		case opened.Busy == "":
			return workedOff
		case workflow.Now(ctx).Sub(r.state.StartedAt) > maxLine:
			return crowded
		case asked == maxAsks || workflow.GetInfo(ctx).GetContinueAsNewSuggested():
			return again
		}
		if r.queue(ctx) != nil {
			return cancelled
		}
	}
}

func (r *run) request(ctx workflow.Context) steps.OpenRunIn {
	info := workflow.GetInfo(ctx)
	// Set by Temporal on what a schedule starts.
	due, _ := workflow.GetTypedSearchAttributes(ctx).GetTime(temporal.NewSearchAttributeKeyTime("TemporalScheduledStartTime"))
	if due.IsZero() {
		due = r.in.At
	}
	return steps.OpenRunIn{
		Start: r.in, WorkflowID: info.WorkflowExecution.ID, RunID: info.FirstRunID,
		StartedAt: r.state.StartedAt, DueAt: due,
	}
}

// queue waits as long as the gate said, or until it says that a place is free.
func (r *run) queue(ctx workflow.Context) error {
	r.show(ctx, true)
	wait := min(max(r.state.Run.Wait, minWait), maxWait)
	scope, cancel := workflow.WithCancel(ctx)
	defer cancel()
	turn := workflow.NewTimerWithOptions(scope, wait, workflow.TimerOptions{
		Summary: plain("waits for "+r.state.Run.Busy, maxSummary),
	})
	free := steps.PlaceFree.Channel(ctx)
	workflow.NewSelector(ctx).AddFuture(turn, func(workflow.Future) {}).
		AddReceive(free, func(workflow.ReceiveChannel, bool) {}).Select(ctx)
	for free.ReceiveAsync(nil) {
	}
	return ctx.Err()
}

// prepare asks the sources for items where they are to be asked at every run,
// and lays out what is to do.
func (r *run) prepare(ctx workflow.Context) ending {
	if r.state.Processors == 0 { // a person may have said otherwise meanwhile
		r.state.Processors = r.state.Run.Processors
	}
	if len(r.state.Run.Ask) > 0 {
		r.show(ctx, false)
		if end := r.expand(ctx); end != workedOff {
			return end
		}
	}
	if ranges := r.state.Run.Ranges; ranges != nil {
		r.state.Pending, r.state.Run.Ranges = number(ranges), nil
		r.state.Entries = entries(ranges)
	}
	return workedOff
}

// expand asks for the items of each entry, side by side, and seals the run. An
// entry that cannot be asked does not stop the others, and is not forgotten.
func (r *run) expand(ctx workflow.Context) ending {
	limit := workflow.NewSemaphore(ctx, int64(r.processors()))
	all := workflow.NewWaitGroup(ctx)
	for i := range r.state.Run.Ask {
		if limit.Acquire(ctx, 1) != nil {
			break // cancelled
		}
		all.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer all.Done()
			defer limit.Release(1)
			r.expandEntry(ctx, i)
		})
	}
	all.Wait(ctx)
	if ctx.Err() != nil {
		return cancelled
	}
	return r.seal(ctx)
}

func (r *run) expandEntry(ctx workflow.Context, i int) {
	entry, queue := r.state.Run.Ask[i], ""
	if i < len(r.state.Run.AskQueues) {
		queue = r.state.Run.AskQueues[i]
	}
	options := temporalx.Ask(queue, plain(entry+" · asks for its items", maxSummary))
	in := steps.ExpandIn{Entry: entry, RunOf: r.state.Run.RunOf}
	if _, err := steps.Expand.Do(temporalx.With(ctx, options), in); err != nil {
		r.unable(ctx, "entry "+entry, err)
	}
}

func (r *run) seal(ctx workflow.Context) ending {
	in := steps.SealRunIn{RunOf: r.state.Run.RunOf}
	sealed, err := steps.SealRun.Do(temporalx.With(ctx, temporalx.Alive(temporalx.Gate(), r.state.Run.Heartbeat)), in)
	if err != nil {
		return r.unable(ctx, "", err)
	}
	r.state.Run.Ranges, r.state.Run.Items, r.state.Run.Ask = sealed.Ranges, sealed.Items, nil
	if sealed.Label != "" {
		r.state.Run.Label = sealed.Label
	}
	return workedOff
}

// unable notes a trouble of our own, unless it is a cancel.
func (r *run) unable(ctx workflow.Context, on string, err error) ending {
	if temporal.IsCanceledError(err) && ctx.Err() != nil {
		return cancelled
	}
	e := temporalx.FromTemporal(err)
	workflow.GetLogger(ctx).Error("a step failed for good", "on", on, "kind", string(e.Kind), "error", err)
	text := e.Error()
	if on != "" {
		text = on + ": " + text
	}
	r.trouble(text)
	return unable
}

// trouble keeps the first and counts on.
func (r *run) trouble(text string) {
	if r.state.Trouble == "" {
		r.state.Trouble = plain(text, maxTrouble)
		return
	}
	r.state.Troubles++
}

// number gives every range the place of its first item in the run.
func number(ranges []steps.Range) []steps.Range {
	first, numbered := 1, make([]steps.Range, 0, len(ranges))
	for _, part := range ranges {
		if part.Span() <= 0 {
			continue
		}
		part.First = first
		first += part.Span()
		numbered = append(numbered, part)
	}
	return numbered
}

// entries counts the entries of ranges that follow each other by entry.
func entries(ranges []steps.Range) int {
	n, last := 0, ""
	for _, part := range ranges {
		if n == 0 || part.Entry != last {
			n, last = n+1, part.Entry
		}
	}
	return n
}
