package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// maxFails is how often a range may fail for good before it is given up.
	maxFails = 3
	// failWait is the wait after the first failure; it grows with each.
	failWait = 10 * time.Second
	// maxStall bounds the wait of a range that comes back without progress.
	maxStall = time.Minute
	// farAway bounds an activity of a run without a deadline, grace one with.
	farAway = 7 * 24 * time.Hour
	grace   = 10 * time.Minute
	// maxWhy bounds what a range waits for, in bytes: all of them are part of a
	// run's state.
	maxWhy = 120
)

// fetching is a running FetchItems.
type fetching struct {
	part    steps.Range
	width   int
	seat    int64 // of a shared queue
	began   time.Time
	future  workflow.Future
	stopped bool // we asked it to hand back
}

// used is how many processors the running activities have.
func (r *run) used() int {
	sum := 0
	for _, f := range r.running {
		sum += f.width
	}
	return sum
}

// fill starts as much as is due and fits.
func (r *run) fill(ctx workflow.Context) {
	for r.state.Paused == "" {
		i, free := due(r.state.Pending, workflow.Now(ctx)), r.processors()-r.used()
		if i < 0 || free <= 0 || len(r.running) >= maxRunning {
			return
		}
		width := 1
		if part := r.state.Pending[i]; part.Shared {
			width = min(max(1, part.Left), widthOf(r.processors(), free, r.queuesDue(ctx)))
		}
		var part steps.Range
		part, r.state.Pending = take(r.state.Pending, i, width)
		r.start(ctx, part, width)
	}
}

// queuesDue counts the shared queues that wait for processors.
func (r *run) queuesDue(ctx workflow.Context) (n int) {
	now := workflow.Now(ctx)
	for _, part := range r.state.Pending {
		if part.Shared && !part.NotBefore.After(now) {
			n++
		}
	}
	return n
}

func (r *run) start(ctx workflow.Context, part steps.Range, width int) {
	if r.scope == nil {
		r.scope, r.handBack = workflow.WithCancel(temporalx.Disconnected(ctx))
	}
	now := workflow.Now(ctx)
	options := temporalx.Fetch(temporalx.FetchSettings{
		Queue: part.Queue, Summary: r.summary(part, width), Priority: priority(part),
		Within: r.within(now), Heartbeat: r.state.Run.Heartbeat,
	})
	in := steps.FetchItemsIn{Ord: part.Lo, Width: width, RunOf: r.state.Run.RunOf}
	if part.Shared {
		in.Shared, in.Queue, in.Max, in.Seat = true, part.Queue, part.Chunk, r.freeSeat()
		if !r.runningOn(part.Queue) {
			in.Dead = now
		}
	}
	future := steps.FetchItems.Start(temporalx.With(r.scope, options), in)
	r.running = append(r.running, &fetching{part: part, width: width, seat: in.Seat, began: now, future: future})
	r.state.Activities++
	r.begun++
}

// freeSeat is the lowest number that no running activity has.
func (r *run) freeSeat() int64 {
	taken := map[int64]bool{}
	for _, f := range r.running {
		taken[f.seat] = true
	}
	for seat := int64(0); ; seat++ {
		if !taken[seat] {
			return seat
		}
	}
}

// runningOn reports whether an activity shares a queue.
func (r *run) runningOn(queue string) bool {
	for _, f := range r.running {
		if f.part.Shared && f.part.Queue == queue {
			return true
		}
	}
	return false
}

// priority is the server's, which knows the same five.
func priority(part steps.Range) int {
	if part.Priority == 0 {
		return 0
	}
	return urgency(part)
}

func (r *run) within(now time.Time) time.Duration {
	if r.state.Run.Deadline.IsZero() {
		return farAway
	}
	return max(0, r.state.Run.Deadline.Sub(now)) + grace
}

// stopAll asks everything that runs to hand back.
func (r *run) stopAll() {
	if r.scope == nil {
		return
	}
	for _, f := range r.running {
		f.stopped = true
	}
	r.handBack()
	r.scope, r.handBack = nil, nil
}

// collect takes in every activity that has come back.
func (r *run) collect(ctx workflow.Context) {
	all := r.running
	r.running = nil
	var back []*fetching
	for _, f := range all {
		if f.future.IsReady() {
			back = append(back, f)
		} else {
			r.running = append(r.running, f)
		}
	}
	for _, f := range back {
		out, err := steps.FetchItems.Result(ctx, f.future)
		switch {
		case err == nil:
			r.took(ctx, f, out)
		case f.stopped || temporal.IsCanceledError(err):
			r.took(ctx, f, steps.Fetched{Left: max(1, f.part.Open())})
		default:
			r.failed(ctx, f, err)
		}
	}
}

// took counts what came back; what is left waits until it is due.
func (r *run) took(ctx workflow.Context, f *fetching, out steps.Fetched) {
	r.count(out)
	r.stopped = r.stopped || out.Stopped
	part := slowed(f, out, workflow.Now(ctx))
	if part.Shared {
		if out.Run == nil {
			r.state.Closed += out.Closed
		}
		r.state.Pending = outdated(r.state.Pending, part.Queue, f.began)
		r.leave(part, out)
		return
	}
	r.state.Closed += max(0, f.part.Open()-max(0, out.Left)) // also what an attempt closed that did not return
	if out.Left <= 0 {
		return
	}
	if out.Queue != "" {
		part.Queue = out.Queue
	}
	r.state.Pending = append(r.state.Pending, part)
}

// leave puts back what is left of a shared queue. Where others hold the rest, the
// last of them reports it; one that died without a word is found by another look.
func (r *run) leave(part steps.Range, out steps.Fetched) {
	switch {
	case out.Left > 0:
		r.state.Pending = merge(r.state.Pending, part)
	case !out.Busy:
		r.state.Pending = without(r.state.Pending, sharedOn(r.state.Pending, part.Queue))
	case !r.runningOn(part.Queue) && sharedOn(r.state.Pending, part.Queue) < 0:
		part.Left = 1
		r.state.Pending = append(r.state.Pending, part)
	}
	if out.Queue != "" && sharedOn(r.state.Pending, out.Queue) < 0 {
		r.state.Pending = append(r.state.Pending, steps.Range{Queue: out.Queue, Shared: true, Chunk: part.Chunk, Priority: part.Priority, Left: 1})
	}
}

// slowed is what comes back of a range. One that comes back again and again
// without a reason waits longer each time.
func slowed(f *fetching, out steps.Fetched, now time.Time) steps.Range {
	part := f.part
	part.Left, part.NotBefore, part.Why = out.Left, out.NextAt, plain(out.Why, maxWhy)
	if part.Shared {
		part.Known = now
	}
	switch {
	case out.Closed > 0 || out.Tally.Pages > 0:
		part.Stalls, part.Fails = 0, 0
	case !f.stopped && !out.NextAt.After(now):
		part.Stalls++
		part.NotBefore = now.Add(stall(part.Stalls))
	}
	return part
}

// stall is the wait after so many returns: none at first, since a worker that
// drains hands back at once.
func stall(stalls int) time.Duration {
	if stalls <= 1 {
		return 0
	}
	return min(time.Second<<min(stalls-2, 10), maxStall)
}

// count adds what an activity did. What the store counted of the run stands in the
// place of that: it is never less, but for an answer that was overtaken.
func (r *run) count(out steps.Fetched) {
	if all := out.Run; all != nil {
		if all.Closed >= r.state.Closed {
			r.state.Closed, r.state.Tally, r.state.Seen = all.Closed, all.Tally, all.Outcomes
		}
		return
	}
	r.state.Tally = r.state.Tally.Add(out.Tally)
	r.see(out)
}

func (r *run) see(out steps.Fetched) {
	if r.state.Seen == nil {
		r.state.Seen = map[outcomes.Outcome]steps.Seen{}
	}
	for _, outcome := range outcomes.All() {
		if n, ok := out.Outcomes[outcome]; ok {
			seen := r.state.Seen[outcome]
			r.state.Seen[outcome] = steps.Seen{Items: seen.Items + n.Items, New: seen.New + n.New}
		}
	}
}

// failed puts a range back that failed for good, a few times.
func (r *run) failed(ctx workflow.Context, f *fetching, err error) {
	part := f.part
	part.Fails++
	if part.Fails >= maxFails {
		r.unable(ctx, r.place(part, f.width), err)
		return
	}
	workflow.GetLogger(ctx).Warn("an activity failed and is tried again", "items", r.place(part, f.width), "error", err)
	part.NotBefore = workflow.Now(ctx).Add(time.Duration(part.Fails) * failWait)
	part.Why = plain(temporalx.FromTemporal(err).Error(), maxWhy)
	if part.Shared {
		part.Left = max(1, part.Left)
		r.state.Pending = merge(r.state.Pending, part)
		return
	}
	r.state.Pending = append(r.state.Pending, part)
}

func (r *run) tellStop(free workflow.Context, end ending) workflow.Future {
	if r.state.Run.Run == 0 || end != cancelled && (end != nextTick || len(r.running) == 0) {
		return nil
	}
	return steps.StopRun.Start(temporalx.With(free, temporalx.Brief()), steps.StopRunIn{
		Why: string(end), RunOf: r.state.Run.RunOf,
	})
}
