package temporalx_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/vendemmia/vendemmia/internal/temporalx"
)

func TestFetchProfile(t *testing.T) {
	t.Parallel()
	o := temporalx.Fetch(temporalx.FetchSettings{Queue: "q", Summary: "s", Priority: 1, Within: time.Hour})
	require.Equal(t, 30*time.Second, o.HeartbeatTimeout)
	require.Equal(t, time.Hour, o.StartToCloseTimeout)
	require.Zero(t, o.ScheduleToCloseTimeout, "a retry delay beyond it would fail at once")
	require.True(t, o.WaitForCancellation)
	require.Equal(t, time.Second, o.RetryPolicy.InitialInterval)
	require.EqualValues(t, 1, o.RetryPolicy.BackoffCoefficient)
	require.Zero(t, o.RetryPolicy.MaximumAttempts)
	require.Equal(t, 1, o.Priority.PriorityKey)
	require.Equal(t, 2*time.Second, temporalx.Fetch(temporalx.FetchSettings{Heartbeat: 2 * time.Second}).HeartbeatTimeout)
}

func TestEveryProfileEnds(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]workflow.ActivityOptions{
		"control": temporalx.Control(), "gate": temporalx.Gate(), "ask": temporalx.Ask("q", "s"), "brief": temporalx.Brief(),
		"close": temporalx.Close(), "notify": temporalx.Notify(), "chore": temporalx.Chore(time.Minute),
	} {
		require.Positive(t, o.StartToCloseTimeout, name)
		require.True(t, o.ScheduleToCloseTimeout > 0 || o.RetryPolicy.MaximumAttempts > 0, "%s: neither a time nor a number of attempts ends it", name)
	}
}
