package temporalx

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
)

// Cause is why an activity's context ended. Only Cancel is a cancel; after the
// others what is open stays open and somebody goes on with it.
type Cause string

// The causes.
const (
	Running     Cause = ""         // it has not ended
	Cancel      Cause = "cancel"   // the workflow asked: a cancel, a pause, a stop
	Interrupted Cause = "held"     // somebody paused or reset the activity: fail the attempt, Temporal goes on with it
	Shutdown    Cause = "shutdown" // this worker's drain is over
	Timeout     Cause = "timeout"  // start-to-close
	Lost        Cause = "lost"     // the server could not be reached, or knows the activity no more
)

// CancelCause says why the context of an activity ended.
func CancelCause(ctx context.Context) Cause {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
		return Running
	case temporal.IsCanceledError(cause):
		return Cancel
	case errors.Is(cause, activity.ErrActivityPaused), errors.Is(cause, activity.ErrActivityReset):
		return Interrupted
	case errors.Is(cause, worker.ErrWorkerShutdown):
		return Shutdown
	case errors.Is(cause, context.DeadlineExceeded):
		return Timeout
	default:
		return Lost
	}
}
