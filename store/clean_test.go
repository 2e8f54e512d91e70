package store

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// watched notes, once it is on, of each transaction beside whom it wrote, and how
// many rows.
type watched struct {
	engine
	on    atomic.Bool
	alone int
	most  int64
	count int
}

type watchedSession struct {
	session
	changed int64
}

func (w *watchedSession) exec(query string, args ...any) (int64, error) {
	n, err := w.session.exec(query, args...)
	w.changed += n
	return n, err
}

func (w *watched) transact(ctx context.Context, l lock, fn func(*tx) error) error {
	if !w.on.Load() {
		return w.engine.transact(ctx, l, fn)
	}
	w.count++
	if l != lockShared {
		w.alone++
	}
	return w.engine.transact(ctx, l, func(t *tx) error {
		seen := &watchedSession{session: t.session}
		err := fn(&tx{seen})
		w.most = max(w.most, seen.changed)
		return err
	})
}

// watch puts w between a store and its engine: before the first write, since the
// store's own goroutine reads the engine from then on.
func watch(s *Store) *watched {
	w := &watched{engine: s.engine}
	s.engine = w
	return w
}

// aging fills a store with lines of the ledger, kept answers and items of a closed run.
func aging(t *testing.T, s *Store, n int) {
	t.Helper()
	it := oneItem(t, s)
	require.NoError(t, s.Write(t.Context(), onePageOf(it, 1, "x")).Err)
	require.NoError(t, s.FinishRun(t.Context(), rows.Finish{Run: it.Run, Outcome: outcomes.Done, At: time.Now()}))
	require.NoError(t, s.write(t.Context(), "fill", "", func(tx *tx) error {
		for i := range n {
			_, err := tx.exec(`INSERT INTO ledger (run, ord, seq, attempt, item, at, status, bytes, took, waited, retry_after, method, url, host, kind, error, raw, note, worker)
				SELECT ri.run, 0, 1, 1, ri.item, ?, 200, 0, 0, 0, 0, 'GET', '', '', '', '', ?, '', '' FROM run_items ri WHERE ri.run = ? AND ri.ord = ?`,
				1000+i, fmt.Sprint("raw", i), it.Run, it.Ord)
			if err != nil {
				return err
			}
			if _, err := tx.exec(`INSERT INTO run_items (run, ord, item, label, fetcher, host, policy, params, state) VALUES (?, ?, ?, '', '', '', '', '', 'closed')`,
				it.Run, 1000+i, 1000+i); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestCleaningLetsOthersWrite(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			w := watch(s)
			aging(t, s, 1200)
			w.on.Store(true)
			far := time.Now().Add(time.Hour)
			got, err := s.Clean(t.Context(), rows.Retention{Items: far, Raw: far, Ledger: far, Versions: far})
			require.NoError(t, err)
			require.Equal(t, 1201, got.Items)
			require.Equal(t, 1200, got.Ledger)
			require.Zero(t, w.alone, "transactions that let nobody write beside them, of %d", w.count)
			require.LessOrEqual(t, w.most, int64(500), "rows of one transaction")
		})
	}
}

func TestAHostsStateLetsOthersWrite(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			w := watch(s)
			w.on.Store(true)
			require.NoError(t, s.RestHost(t.Context(), "a", time.Now(), "429"))
			require.NoError(t, s.SlowHost(t.Context(), "a", time.Second, "503"))
			require.NoError(t, s.DelayHost(t.Context(), "a", time.Second, time.Hour))
			require.NoError(t, s.PauseHost(t.Context(), "a", &rows.Pause{By: "marta"}))
			require.Zero(t, w.alone, "of %d", w.count)
		})
	}
}

var engines = map[string]func(*testing.T) *Store{
	"sqlite": newStore,
	"postgres": func(t *testing.T) *Store {
		s, _ := newServed(t, Options{})
		return s
	},
}
