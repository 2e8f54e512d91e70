package temporalx

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
)

// Beat heartbeats without details until stop is called, so that the death of its worker
// is noticed within the heartbeat timeout. It does nothing when there is none.
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
