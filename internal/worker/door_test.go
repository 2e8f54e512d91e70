package worker

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestDoorsHoldBackUntilBothAreOpen(t *testing.T) {
	t.Parallel()
	d := newDoors()
	require.NoError(t, d.Wait(t.Context()))
	d.items.set("memory")
	d.all.set("drained by marta")
	require.Equal(t, "drained by marta", d.closed())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	require.ErrorIs(t, d.Wait(ctx), context.Canceled)

	waited := make(chan error, 1)
	go func() { waited <- d.Wait(t.Context()) }()
	d.all.set("")
	require.False(t, d.Open())
	select {
	case <-waited:
		require.Fail(t, "one door is closed still")
	case <-time.After(10 * time.Millisecond): // it may be found open late, never closed early
	}
	d.items.set("")
	require.NoError(t, <-waited)
}
