package temporalx_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/temporalx"
)

func app(t *testing.T, err error) *temporal.ApplicationError {
	t.Helper()
	var a *temporal.ApplicationError
	require.ErrorAs(t, err, &a)
	return a
}

func TestToTemporalByKind(t *testing.T) {
	t.Parallel()
	final := map[harvest.Kind]bool{
		harvest.KindMisconfigured: true, harvest.KindGone: true, harvest.KindBlocked: true,
		harvest.KindBroken: true, harvest.KindBadRecord: true,
	}
	for _, kind := range harvest.Kinds() {
		a := app(t, temporalx.ToTemporal(harvest.Errorf(kind, "get", "https://x.example/a?key=s3cret", "no")))
		require.Equal(t, string(kind), a.Type())
		require.Equal(t, final[kind], a.NonRetryable(), kind)
		require.Equal(t, "get https://x.example/a: no", a.Message())
		require.Zero(t, a.NextRetryDelay())
	}
}

func TestToTemporalWaits(t *testing.T) {
	t.Parallel()
	for given, want := range map[time.Duration]time.Duration{
		time.Millisecond: time.Second, 7 * time.Second: 7 * time.Second, time.Minute: time.Minute, 3 * time.Hour: time.Minute,
	} {
		e := &harvest.Error{Kind: harvest.KindThrottled, Op: "get", Err: errors.New("429"), RetryAfter: given}
		require.Equal(t, want, app(t, temporalx.ToTemporal(e)).NextRetryDelay(), given)
		again := app(t, temporalx.RetryIn(harvest.Errorf(harvest.KindGone, "get", "", "404"), given))
		require.Equal(t, want, again.NextRetryDelay())
		require.False(t, again.NonRetryable(), "somebody decided to repeat it")
		require.Equal(t, "gone", again.Type())
	}
}

func TestToTemporalLeavesAlone(t *testing.T) {
	t.Parallel()
	require.NoError(t, temporalx.ToTemporal(nil))
	require.NoError(t, temporalx.RetryIn(nil, time.Second))
	for _, err := range []error{
		context.Canceled, fmt.Errorf("commit: %w", context.Canceled), temporal.NewCanceledError(),
		temporal.NewApplicationError("mine", "gone"),
	} {
		require.Equal(t, err, temporalx.ToTemporal(err))
		require.Equal(t, err, temporalx.RetryIn(err, time.Second))
	}
}

func TestToTemporalOfForeignErrors(t *testing.T) {
	t.Parallel()
	a := app(t, temporalx.ToTemporal(fmt.Errorf("open run: %w", errors.New("database is locked"))))
	require.Equal(t, "internal", a.Type())
	require.Equal(t, "open run: database is locked", a.Message())
	require.False(t, a.NonRetryable())
	require.Equal(t, "timeout", app(t, temporalx.ToTemporal(fmt.Errorf("claim: %w", context.DeadlineExceeded))).Type())

	leaky := &url.Error{Op: "Get", URL: "https://x.example/a?key=s3cret", Err: errors.New("refused")}
	for _, err := range []error{leaky, fmt.Errorf("probe: %w", leaky), harvest.Errorf(harvest.KindUnreachable, "get", leaky.URL, "%w", leaky)} {
		require.NotContains(t, app(t, temporalx.ToTemporal(err)).Error(), "s3cret")
	}
}

func TestThereAndBack(t *testing.T) {
	t.Parallel()
	require.Nil(t, temporalx.FromTemporal(nil))
	for _, kind := range harvest.Kinds() {
		e := temporalx.FromTemporal(temporalx.ToTemporal(&harvest.Error{Kind: kind, Op: "get", On: "x", Err: errors.New("no"), RetryAfter: 30 * time.Second}))
		require.Equal(t, kind, e.Kind)
		require.Equal(t, "run: get x: no", e.Error())
		if !app(t, e).NonRetryable() {
			require.Equal(t, 30*time.Second, e.RetryAfter)
		}
	}
	require.Equal(t, harvest.KindInternal, temporalx.FromTemporal(temporal.NewApplicationError("?", "SomebodyElses")).Kind)
	canceled := temporalx.FromTemporal(temporal.NewCanceledError())
	require.True(t, temporal.IsCanceledError(canceled))
}
