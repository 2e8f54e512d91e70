package temporalx

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// Beat heartbeats for an activity that has nothing to tell, until stop is
// called: so that a worker that died under it is noticed by the heartbeat
// timeout, not by the end of the longest time it might have taken. Without a
// heartbeat timeout it does nothing.
func Beat(ctx context.Context) (stop func()) {
	within := activity.GetInfo(ctx).HeartbeatTimeout
	if within <= 0 {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		tick := time.NewTicker(min(within/3, HeartbeatThrottle))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				activity.RecordHeartbeat(ctx)
			}
		}
	}()
	return cancel
}
