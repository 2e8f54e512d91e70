package temporalx_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/vendemmia/vendemmia/internal/temporalx"
)

func TestOnlyACanceledErrorIsACancel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		cause error
		want  temporalx.Cause
	}{
		{"cancel", temporal.NewCanceledError(), temporalx.Cancel},
		{"worker shutdown", worker.ErrWorkerShutdown, temporalx.Shutdown},
		{"activity paused", activity.ErrActivityPaused, temporalx.Interrupted},
		{"activity reset", activity.ErrActivityReset, temporalx.Interrupted},
		{"not found", serviceerror.NewNotFound("activity is gone"), temporalx.Lost},
		{"transport", serviceerror.NewUnavailable("connection refused"), temporalx.Lost},
		{"somebody's cancel", nil, temporalx.Lost},
		{"anything else", errors.New("?"), temporalx.Lost},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		require.Equal(t, temporalx.Running, temporalx.CancelCause(ctx), c.name)
		cancel(c.cause)
		child, stop := context.WithCancel(ctx)
		require.Equal(t, c.want, temporalx.CancelCause(child), c.name)
		stop()
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
	defer cancel()
	require.Equal(t, temporalx.Timeout, temporalx.CancelCause(ctx))
}
