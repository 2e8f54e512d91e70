package store

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func TestClosedStore(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), Options{Create: true})
	require.NoError(t, err)
	it := oneItem(t, s)
	const n = 50
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			got := s.Write(t.Context(), rows.Write{Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, At: time.Now()})
			if got.Err != nil && !errors.Is(got.Err, errClosed) {
				t.Error(got.Err)
			}
		})
	}
	require.NoError(t, s.Close())
	wg.Wait()
	require.ErrorIs(t, s.Check(t.Context()), errClosed)
}

// A transaction that is in hand when the store is closed comes to its end.
func TestCloseWaits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	synctest.Test(t, func(t *testing.T) {
		s, err := Open(t.Context(), path, Options{Create: true})
		require.NoError(t, err)
		leave, written, closed := make(chan struct{}), make(chan error, 1), make(chan error, 1)
		go func() {
			written <- s.write(t.Context(), "record event", "", func(tx *tx) error {
				<-leave
				return record(tx, rows.Event{Verb: "kept"})
			})
		}()
		synctest.Wait()
		go func() { closed <- s.Close() }()
		synctest.Wait()
		require.Empty(t, closed, "it waits")
		close(leave)
		require.NoError(t, <-written)
		require.NoError(t, <-closed)
	})
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	events, err := s.Events(t.Context(), "", time.Time{}, 0)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "twice is harmless")
}
