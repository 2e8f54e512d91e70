package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// Campaign is a run: it passes the one gate, has its items fetched,
// as many at once as there are processors, and closes, whatever happened. The
// result is the summary.
//
// It fails with an ApplicationError whose type is the outcome and whose details
// are the summary when the run has failed, and ends as canceled, the summary in
// its details, when it was cancelled. Pause, resume, processors, skipping an
// item and progress: see steps.
func Campaign(ctx workflow.Context, in steps.Start) (steps.Summary, error) {
	r := newRun(ctx, in)
	if err := r.listen(ctx); err != nil {
		return steps.Summary{}, err
	}
	end := r.enter(ctx)
	if end == workedOff {
		end = r.prepare(ctx)
	}
	if end == workedOff {
		end = r.work(ctx)
	}
	end = r.settle(ctx, end)
	if end == again {
		return r.continueAsNew(ctx)
	}
	return r.finish(ctx, end)
}

// ending is how a run, or one execution of it, came to its end.
type ending string

const (
	workedOff ending = ""          // nothing is left to do
	nextTick  ending = "next-tick" // the deadline
	cancelled ending = "cancelled" // here, or in the store
	crowded   ending = "overlap"   // waited in line for too long
	refused   ending = "refused"   // the gate made no run of it
	unable    ending = "unable"    // trouble of our own; see State.Trouble
	again     ending = "again"     // continue as new
)

// cause is what the store is told.
func (e ending) cause() outcomes.Why {
	switch e {
	case nextTick:
		return outcomes.WhyNextTick
	case cancelled:
		return outcomes.WhyCancelled
	case crowded:
		return outcomes.WhyOverlap
	default:
		return ""
	}
}

// run is one execution of a Campaign: its state goes on over continue-as-new,
// the rest does not.
type run struct {
	in    steps.Start
	state steps.State

	running  []*fetching
	scope    workflow.Context // of all that runs; nil: none yet
	handBack workflow.CancelFunc
	begun    int // activities of this execution

	restTimer *timer
	lateTimer *timer

	woken   bool // an update changed something
	stopped bool // an activity reported that the store says stop
	over    bool // it is being closed: no more updates
	shown   shown
}

func newRun(ctx workflow.Context, in steps.Start) *run {
	r := &run{in: in}
	if in.Resume != nil {
		r.state, r.in.Resume = *in.Resume, nil
	}
	if r.state.StartedAt.IsZero() {
		r.state.StartedAt = workflow.GetInfo(ctx).WorkflowStartTime
		if in.At.After(r.state.StartedAt) { // Temporal counts from when it was asked for
			r.state.StartedAt = in.At
		}
	}
	return r
}

// processors is how many items may run at once.
func (r *run) processors() int {
	return max(1, r.state.Processors)
}

// name is the campaign, or the fetcher of a run without one.
func (r *run) name() string {
	for _, name := range []string{r.state.Run.Campaign, r.in.Campaign} {
		if name != "" {
			return name
		}
	}
	return r.in.Fetcher
}
