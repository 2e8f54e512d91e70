package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// maxChunks is our own bound of an execution, far below the server's 51,200
// events; the server's suggestion comes first as a rule.
const maxActivities = 2000

// work dispatches what is pending until there is no more, or no more that may
// be waited for.
func (r *run) work(ctx workflow.Context) ending {
	if deadline := r.state.Run.Deadline; !deadline.IsZero() {
		r.lateTimer = newTimer(ctx, deadline, "must end by "+clock(deadline, workflow.Now(ctx)))
	}
	for {
		r.collect(ctx)
		if end, over := r.verdict(ctx); over {
			return end
		}
		r.fill(ctx)
		r.rest(ctx)
		r.show(ctx, len(r.running) == 0)
		if workflow.Await(ctx, r.stirred) != nil {
			return cancelled
		}
		r.woken = false
	}
}

// stirred reports whether there is something to react to.
func (r *run) stirred() bool {
	return r.woken || r.lateTimer.fired() || r.restTimer.fired() || r.ready()
}

// ready reports whether an activity has come back.
func (r *run) ready() bool {
	for _, f := range r.running {
		if f.future.IsReady() {
			return true
		}
	}
	return false
}

// verdict says whether and how the work ends now.
func (r *run) verdict(ctx workflow.Context) (end ending, over bool) {
	now, deadline := workflow.Now(ctx), r.state.Run.Deadline
	switch {
	case ctx.Err() != nil, r.stopped:
		return cancelled, true
	case len(r.running) == 0 && len(r.state.Pending) == 0:
		return workedOff, true
	case !deadline.IsZero() && !now.Before(deadline):
		return nextTick, true
	case len(r.running) == 0 && hopeless(r.state.Pending, deadline):
		return nextTick, true
	case r.begun >= maxActivities || workflow.GetInfo(ctx).GetContinueAsNewSuggested():
		return again, true
	default:
		return "", false
	}
}

// rest waits for the range that is due first, when there is a processor for it.
func (r *run) rest(ctx workflow.Context) {
	if r.restTimer.fired() {
		r.restTimer = nil
	}
	now := workflow.Now(ctx)
	i := earliest(r.state.Pending, now, r.state.Run.Deadline)
	if i < 0 || r.state.Paused != "" || r.used() >= r.processors() {
		return
	}
	at := r.state.Pending[i].NotBefore
	if r.restTimer != nil && r.restTimer.at.Sub(at) <= minWait {
		return
	}
	r.restTimer.cancel()
	r.restTimer = newTimer(ctx, at, restSummary(r.state.Pending, i, now))
}

// settle stops what runs, and says whether that changed how the
// work ends. After a stop or a cancel the store is told first, so that the page
// in work is the last one whatever heartbeats do.
func (r *run) settle(ctx workflow.Context, end ending) ending {
	free := temporalx.Disconnected(ctx)
	told := r.tellStop(free, end)
	r.stopAll()
	for len(r.running) > 0 {
		_ = workflow.Await(free, r.ready) // never cancelled
		r.collect(free)
	}
	if told != nil {
		if err := told.Get(free, nil); err != nil {
			workflow.GetLogger(ctx).Warn("the store was not told to stop the run", "error", err)
		}
	}
	if end == again && r.stopped {
		return cancelled
	}
	return end
}

// timer is known by its moment. A nil timer never fires.
type timer struct {
	at     time.Time
	future workflow.Future
	stop   workflow.CancelFunc
}

func newTimer(ctx workflow.Context, at time.Time, summary string) *timer {
	scope, stop := workflow.WithCancel(ctx)
	wait := max(at.Sub(workflow.Now(ctx)), minWait)
	future := workflow.NewTimerWithOptions(scope, wait, workflow.TimerOptions{Summary: plain(summary, maxSummary)})
	return &timer{at: at, future: future, stop: stop}
}

func (t *timer) fired() bool { return t != nil && t.future.IsReady() }

func (t *timer) cancel() {
	if t != nil {
		t.stop()
	}
}
