package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// maxChunks is our own bound of an execution, far below the server's 51,200
// events; the server's suggestion comes first as a rule.
const maxChunks = 2000

// work dispatches what is pending until there is no more, or no more that may
// be waited for.
func (r *run) work(ctx workflow.Context) ending {
	if deadline := r.state.Run.Deadline; !deadline.IsZero() {
		r.lateTimer = setAlarm(ctx, deadline, "must end by "+clock(deadline, workflow.Now(ctx)))
	}
	for {
		r.land(ctx)
		if end, over := r.verdict(ctx); over {
			return end
		}
		r.fill(ctx)
		r.rest(ctx)
		r.show(ctx, len(r.flights) == 0)
		if workflow.Await(ctx, r.stirred) != nil {
			return cancelled
		}
		r.woken = false
	}
}

// stirred reports whether there is something to react to.
func (r *run) stirred() bool {
	return r.woken || r.lateTimer.rang() || r.restTimer.rang() || r.landed()
}

// landed reports whether a chunk has come back.
func (r *run) landed() bool {
	for _, f := range r.flights {
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
	case len(r.flights) == 0 && len(r.state.Pending) == 0:
		return workedOff, true
	case !deadline.IsZero() && !now.Before(deadline):
		return nextTick, true
	case len(r.flights) == 0 && hopeless(r.state.Pending, deadline):
		return nextTick, true
	case r.begun >= maxChunks || workflow.GetInfo(ctx).GetContinueAsNewSuggested():
		return again, true
	default:
		return "", false
	}
}

// rest waits for the range that is due first, when there is a processor for it.
func (r *run) rest(ctx workflow.Context) {
	if r.restTimer.rang() {
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
	r.restTimer = setAlarm(ctx, at, restSummary(r.state.Pending, i, now))
}

// settle brings down what is in the air, and says whether that changed how the
// work ends. After a stop or a cancel the store is told first, so that the page
// in work is the last one whatever heartbeats do.
func (r *run) settle(ctx workflow.Context, end ending) ending {
	free := temporalx.Disconnected(ctx)
	told := r.tellStop(free, end)
	r.bringDown()
	for len(r.flights) > 0 {
		_ = workflow.Await(free, r.landed) // never cancelled
		r.land(free)
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

// alarm is a timer that is known by its moment. A nil alarm never rings.
type alarm struct {
	at     time.Time
	future workflow.Future
	stop   workflow.CancelFunc
}

func setAlarm(ctx workflow.Context, at time.Time, summary string) *alarm {
	scope, stop := workflow.WithCancel(ctx)
	wait := max(at.Sub(workflow.Now(ctx)), minWait)
	future := workflow.NewTimerWithOptions(scope, wait, workflow.TimerOptions{Summary: plain(summary, maxSummary)})
	return &alarm{at: at, future: future, stop: stop}
}

func (a *alarm) rang() bool { return a != nil && a.future.IsReady() }

func (a *alarm) cancel() {
	if a != nil {
		a.stop()
	}
}
