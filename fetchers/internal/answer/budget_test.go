package answer

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestTheBudgetIsServedInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &budget{left: 10}
		first, second, third, fourth := &lease{from: b}, &lease{from: b}, &lease{from: b}, &lease{from: b}
		require.NoError(t, first.take(t.Context(), 8))
		require.NoError(t, second.take(t.Context(), 5), "one may have more than is left")
		require.NoError(t, second.take(t.Context(), 50), "and is not stopped in its middle")
		came := make(chan string, 2)
		go func() { _ = third.take(t.Context(), 4); came <- "third" }()
		synctest.Wait()
		go func() { _ = fourth.take(t.Context(), 1); came <- "fourth" }()
		synctest.Wait()
		require.Empty(t, came)
		first.keep(0)
		synctest.Wait()
		require.Empty(t, came, "what is over comes back first")
		second.keep(0)
		require.ElementsMatch(t, []string{"third", "fourth"}, []string{<-came, <-came})
		third.keep(0)
		fourth.keep(0)
		fourth.keep(0)
		require.Equal(t, int64(10), b.left)
	})
}

func TestWhoWaitsLongComesBackLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &budget{left: 10}
		first, second, third := &lease{from: b}, &lease{from: b}, &lease{from: b}
		require.NoError(t, first.take(t.Context(), 10))
		require.NoError(t, second.take(t.Context(), 10))
		began := time.Now()
		e := harvest.AsError(third.take(t.Context(), 1))
		require.True(t, e.Deferred, "it is no fault of the source")
		require.Positive(t, e.RetryAfter)
		require.Equal(t, patience, time.Since(began))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, third.take(ctx, 1), context.Canceled)
		first.keep(0)
		second.keep(0)
		require.NoError(t, third.take(t.Context(), 1), "nobody stands in line who has left")
	})
}

func TestALeaseEndsWithItsBody(t *testing.T) {
	t.Parallel()
	b := &budget{left: 10}
	l := &lease{from: b}
	require.NoError(t, l.take(t.Context(), 8))
	body := make([]byte, 6, 1<<16)
	l.hold(body)
	b.mu.Lock()
	require.Equal(t, int64(4), b.left)
	b.mu.Unlock()
	runtime.KeepAlive(body)
	require.Eventually(t, func() bool {
		runtime.GC()
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.left == 10
	}, 10*time.Second, 10*time.Millisecond)
}
