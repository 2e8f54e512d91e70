package temporalx

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Timing that workflows, activities and workers share.
const (
	// HeartbeatTimeout is how long a silent activity counts as alive.
	HeartbeatTimeout = 30 * time.Second
	// HeartbeatThrottle is how often heartbeats reach the server. More often, and
	// a short pause of the server cancels activities.
	HeartbeatThrottle = 5 * time.Second
	// MinDelay and MaxDelay bound what is left to Temporal's own retry. Longer
	// waits are handed back to the workflow, which lends the slot to others.
	MinDelay = time.Second
	MaxDelay = time.Minute
)

// Control is for short steps against the store: retried for an hour, which
// outlives a restart of the database.
func Control() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout:    time.Minute,
		ScheduleToCloseTimeout: time.Hour,
		HeartbeatTimeout:       HeartbeatTimeout,
		WaitForCancellation:    true,
		RetryPolicy:            growing(time.Second, 30*time.Second, 0),
	}
}

// Gate is Control for steps that may write a million rows.
func Gate() workflow.ActivityOptions {
	o := Control()
	o.StartToCloseTimeout = 10 * time.Minute
	return o
}

// Ask is for asking a source what there is; an empty queue is the workflow's
// own.
func Ask(queue, summary string) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: 10 * time.Minute,
		HeartbeatTimeout:    HeartbeatTimeout,
		WaitForCancellation: true,
		RetryPolicy:         growing(5*time.Second, time.Minute, 5),
		Summary:             summary,
	}
}

// FetchSettings are the options that differ between FetchItems activities.
type FetchSettings struct {
	Queue    string
	Summary  string
	Priority int           // 1 urgent … 5 idle; 0: the server's default
	Within   time.Duration // start to close
	// Heartbeat replaces HeartbeatTimeout; 0: as it is.
	Heartbeat time.Duration
}

// Fetch is for FetchItems. It is retried without end at a constant interval, since
// attempts with a next-retry-delay would count towards a growing one. A cancel waits
// for the current page.
func Fetch(s FetchSettings) workflow.ActivityOptions {
	heartbeat := HeartbeatTimeout
	if s.Heartbeat > 0 {
		heartbeat = s.Heartbeat
	}
	return workflow.ActivityOptions{
		TaskQueue:           s.Queue,
		StartToCloseTimeout: s.Within,
		HeartbeatTimeout:    heartbeat,
		WaitForCancellation: true,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 1},
		Summary:             s.Summary,
		Priority:            temporal.Priority{PriorityKey: s.Priority},
	}
}

// Brief is for what a person or a cancel waits for, such as telling the store that
// a run must stop: given up after two minutes.
func Brief() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout:    10 * time.Second,
		ScheduleToCloseTimeout: 2 * time.Minute,
		RetryPolicy:            growing(time.Second, 10*time.Second, 0),
	}
}

// Close is for closing a run: retried for a day, since a run that is not closed
// is a run that hangs. Use it on a context of Disconnected.
func Close() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout:    5 * time.Minute,
		ScheduleToCloseTimeout: 24 * time.Hour,
		HeartbeatTimeout:       HeartbeatTimeout,
		RetryPolicy:            growing(time.Second, time.Minute, 0),
	}
}

// Notify is for sending what the outbox holds: a few times, what is left stays
// there.
func Notify() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute,
		HeartbeatTimeout:    HeartbeatTimeout,
		RetryPolicy:         growing(5*time.Second, time.Minute, 4),
	}
}

// Chore is for housekeeping: a few times, since the next round comes anyway.
func Chore(within time.Duration) workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: within,
		HeartbeatTimeout:    HeartbeatTimeout,
		RetryPolicy:         growing(5*time.Second, 30*time.Second, 3),
	}
}

func growing(from, to time.Duration, attempts int32) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: from, BackoffCoefficient: 2, MaximumInterval: to, MaximumAttempts: attempts}
}

// Alive replaces a profile's heartbeat timeout; 0 leaves it.
func Alive(o workflow.ActivityOptions, heartbeat time.Duration) workflow.ActivityOptions {
	if heartbeat > 0 {
		o.HeartbeatTimeout = heartbeat
	}
	return o
}

// With puts a profile on a context.
func With(ctx workflow.Context, o workflow.ActivityOptions) workflow.Context {
	return workflow.WithActivityOptions(ctx, o)
}

// Disconnected returns a context that a cancel of the workflow does not reach.
func Disconnected(ctx workflow.Context) workflow.Context {
	free, _ := workflow.NewDisconnectedContext(ctx)
	return free
}
