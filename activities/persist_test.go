package activities

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func persisting(t *testing.T) *session {
	t.Helper()
	return &session{Activities: New(Deps{}), keep: context.WithoutCancel(t.Context()), log: slog.New(slog.DiscardHandler), frozen: make(chan struct{})}
}

// A store that fails at once, or never answers, has one deadline with all retries.
func TestOneDeadlineForAWrite(t *testing.T) {
	t.Parallel()
	failed := errors.New("the disk is full")
	for name, do := range map[string]func(context.Context) error{
		"fails":  func(context.Context) error { return failed },
		"blocks": func(ctx context.Context) error { <-ctx.Done(); return failed },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				require.ErrorIs(t, persisting(t).persist("a", do), failed)
				require.Equal(t, DefaultStoreTime, time.Since(began))
			})
		})
	}
}

func TestAFencedWriteIsNotRepeated(t *testing.T) {
	t.Parallel()
	calls := 0
	err := persisting(t).persist("a", func(context.Context) error { calls++; return rows.ErrFenced })
	require.ErrorIs(t, err, rows.ErrFenced)
	require.Equal(t, 1, calls)
}

// A call that hangs beyond its deadline ends the heartbeat; one that returns does not.
func TestAHangingStoreEndsTheHeartbeat(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k, began, done := persisting(t), time.Now(), make(chan struct{})
		require.NoError(t, k.persist("a", func(context.Context) error { time.Sleep(DefaultStoreTime); return nil }))
		go func() {
			defer close(done)
			_ = k.persist("b", func(context.Context) error { time.Sleep(time.Hour); return nil })
		}()
		<-k.frozen
		require.Equal(t, 3*DefaultStoreTime, time.Since(began))
		<-done
	})
}

func TestAWaitingRunAsksLessAndLess(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]time.Duration{
		0: 15 * time.Second, time.Minute: 15 * time.Second, 4 * time.Minute: time.Minute, time.Hour: 5 * time.Minute,
	} {
		require.Equal(t, want, askIn(waited))
	}
}
