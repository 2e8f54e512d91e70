package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// maxFails is how often a chunk may fail for good before it is given up.
	maxFails = 3
	// failWait is the wait after the first failure; it grows with each.
	failWait = 10 * time.Second
	// maxStall bounds the wait of a chunk that comes back without progress.
	maxStall = time.Minute
	// farAway bounds a chunk of a run without a deadline, grace one with.
	farAway = 7 * 24 * time.Hour
	grace   = 10 * time.Minute
)

// flight is a chunk in work.
type flight struct {
	part   steps.Range
	width  int
	future workflow.Future
	called bool // we asked for it to come down
}

// used is how many processors the chunks in the air have.
func (r *run) used() int {
	sum := 0
	for _, f := range r.flights {
		sum += f.width
	}
	return sum
}

// fill starts as much as is due and fits.
func (r *run) fill(ctx workflow.Context) {
	for r.state.Paused == "" {
		i := due(r.state.Pending, workflow.Now(ctx))
		if i < 0 {
			return
		}
		chunk := chunkOf(r.state.Pending[i], r.state.Run.Items, r.processors())
		width := widthOf(r.processors(), chunk, len(r.flights), r.used())
		if width == 0 {
			return
		}
		var part steps.Range
		part, r.state.Pending = take(r.state.Pending, i, chunk)
		r.start(ctx, part, min(width, part.Open()))
	}
}

func (r *run) start(ctx workflow.Context, part steps.Range, width int) {
	if r.scope == nil {
		r.scope, r.ground = workflow.WithCancel(temporalx.Disconnected(ctx))
	}
	options := temporalx.Fetch(temporalx.FetchSettings{
		Queue: part.Queue, Summary: r.summary(part), Priority: priority(part),
		Within: r.within(workflow.Now(ctx)), Heartbeat: r.state.Run.Heartbeat,
	})
	future := steps.FetchItems.Start(temporalx.With(r.scope, options), steps.FetchItemsIn{
		Run: r.state.Run.Run, Lo: part.Lo, Hi: part.Hi, Width: width, Store: r.state.Run.Store, RunOf: r.state.Run.RunOf,
	})
	r.flights = append(r.flights, &flight{part: part, width: width, future: future})
	r.state.Chunks++
	r.begun++
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

// bringDown asks everything in the air to hand back.
func (r *run) bringDown() {
	if r.scope == nil {
		return
	}
	for _, f := range r.flights {
		f.called = true
	}
	r.ground()
	r.scope, r.ground = nil, nil
}

// land takes in every chunk that has come back.
func (r *run) land(ctx workflow.Context) {
	flights := r.flights
	r.flights = nil
	for _, f := range flights {
		if !f.future.IsReady() {
			r.flights = append(r.flights, f)
			continue
		}
		out, err := steps.FetchItems.Result(ctx, f.future)
		switch {
		case err == nil:
			r.took(ctx, f, out)
		case f.called || temporal.IsCanceledError(err):
			r.took(ctx, f, steps.Fetched{Left: f.part.Open()})
		default:
			r.failed(ctx, f, err)
		}
	}
}

// took counts what came back; what is left waits until it is due.
func (r *run) took(ctx workflow.Context, f *flight, out steps.Fetched) {
	r.state.Closed += max(0, f.part.Open()-max(0, out.Left)) // also what an attempt closed that did not return
	r.state.Tally = r.state.Tally.Add(out.Tally)
	r.see(out)
	r.stopped = r.stopped || out.Stopped
	if out.Left <= 0 {
		return
	}
	part := f.part
	part.Left, part.NotBefore, part.Why = out.Left, out.NextAt, plain(out.Why, maxSummary)
	if out.Queue != "" {
		part.Queue = out.Queue
	}
	r.state.Pending = append(r.state.Pending, slowed(part, f, out, workflow.Now(ctx)))
}

// slowed keeps a chunk that comes back again and again without a reason from
// turning in circles.
func slowed(part steps.Range, f *flight, out steps.Fetched, now time.Time) steps.Range {
	if out.Closed > 0 || out.Tally.Pages > 0 {
		part.Stalls, part.Fails = 0, 0
		return part
	}
	if f.called || out.NextAt.After(now) {
		return part
	}
	part.Stalls++
	part.NotBefore = now.Add(stall(part.Stalls))
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

func (r *run) see(out steps.Fetched) {
	if out.Worst == "" {
		return
	}
	if r.state.Seen == nil {
		r.state.Seen = map[harvest.Outcome]steps.Seen{}
	}
	seen := r.state.Seen[out.Worst]
	r.state.Seen[out.Worst] = steps.Seen{Chunks: seen.Chunks + 1, New: seen.New + out.Tally.New}
}

// failed puts a chunk back that failed for good, a few times.
func (r *run) failed(ctx workflow.Context, f *flight, err error) {
	part := f.part
	part.Fails++
	if part.Fails >= maxFails {
		r.unable(ctx, r.place(part), err)
		return
	}
	workflow.GetLogger(ctx).Warn("a chunk failed and is tried again", "chunk", r.place(part), "error", err)
	part.NotBefore = workflow.Now(ctx).Add(time.Duration(part.Fails) * failWait)
	part.Why = plain(temporalx.FromTemporal(err).Error(), maxSummary)
	r.state.Pending = append(r.state.Pending, part)
}

func (r *run) tellStop(free workflow.Context, end ending) workflow.Future {
	if r.state.Run.Run == 0 || end != cancelled && (end != nextTick || len(r.flights) == 0) {
		return nil
	}
	return steps.StopRun.Start(temporalx.With(free, temporalx.Brief()), steps.StopRunIn{
		Run: r.state.Run.Run, Why: string(end), Store: r.state.Run.Store, RunOf: r.state.Run.RunOf,
	})
}
