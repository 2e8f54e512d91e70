package store

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
)

// The server is killed and started again while pages are written: none is lost,
// none is stored twice, and nobody is told of it.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, Cluster.Options)
	s, err := Open(t.Context(), cluster.Database(t), Options{Create: true, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	const items, kills = 4, 3
	run := runOf(t, s, items)
	var pages atomic.Int64
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for ord := range int64(items) {
		wg.Go(func() {
			got, err := s.Claim(t.Context(), rows.Claim{Run: run, Ord: ord, Epoch: 1, Max: 1})
			if err != nil || len(got.Items) != 1 {
				t.Error(err, got)
				return
			}
			it := got.Items[0]
			for {
				select {
				case <-stop:
					return
				default:
				}
				w := onePageOf(it, 6, "x")
				for i := range w.Page.Page.Documents {
					w.Page.Page.Documents[i].ID += it.Key
				}
				if err := s.Write(t.Context(), w).Err; err != nil {
					t.Error(err)
					return
				}
				it.Seq++
				it.Checkpoint.Version++
				pages.Add(1)
			}
		})
	}
	for range kills {
		enough := pages.Load() + 20
		require.Eventually(t, func() bool { return pages.Load() >= enough }, time.Minute, time.Millisecond)
		cluster.Kill()
		require.NoError(t, cluster.Restart(t.Context()))
	}
	enough := pages.Load() + 20
	require.Eventually(t, func() bool { return pages.Load() >= enough }, time.Minute, time.Millisecond)
	close(stop)
	wg.Wait()
	counts, err := s.Counts(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, rows.Counts{Documents: 6 * pages.Load(), Changes: 6 * pages.Load(), Pages: pages.Load()}, counts)
	last, err := s.LastChange(t.Context())
	require.NoError(t, err)
	require.Equal(t, 6*pages.Load(), last)
}

// runOf opens a run with n items.
func runOf(t *testing.T, s *Store, n int) int64 {
	t.Helper()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{RunID: "r", WorkflowID: "news-1", Campaign: "news"}})
	require.NoError(t, err)
	items := make([]rows.RunItem, n)
	for i := range items {
		items[i] = rows.RunItem{Ord: int64(i), Entry: "feed", Key: fmt.Sprintf("k%03d", i), Fetcher: "feed"}
	}
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	return g.Run.ID
}

// A session that the server ended in the middle, as it does with one that slept,
// is begun again, and so is a transaction that stood in another one's way.
func TestBegunAgain(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{})
	for _, harm := range []string{
		"SELECT pg_terminate_backend(pg_backend_pid())", "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40P01'; END $$", "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$",
	} {
		calls := 0
		require.NoError(t, s.write(t.Context(), "try", "", func(tx *tx) error {
			if calls++; calls == 1 {
				if err := record(tx, rows.Event{Verb: "lost"}); err != nil {
					return err
				}
				_, err := tx.exec(harm)
				return err
			}
			return record(tx, rows.Event{Verb: "kept"})
		}), harm)
		require.Equal(t, 2, calls)
	}
	events, err := s.Events(t.Context(), "", time.Time{}, 0)
	require.NoError(t, err)
	require.Len(t, events, 3)
	for _, e := range events {
		require.Equal(t, "kept", e.Verb)
	}
	var value string
	require.NoError(t, s.write(t.Context(), "look", "", func(tx *tx) error {
		return scanOne(tx, []any{&value}, "SHOW idle_in_transaction_session_timeout")
	}))
	require.Equal(t, "15s", value)
	ask(t, address, "SELECT 1")
}

// A patient store says what is wrong when the server stays away.
func TestServerAway(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, Cluster.Options)
	s, err := Open(t.Context(), cluster.Database(t), Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	it := oneItem(t, s)
	cluster.Kill()
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	err = s.Check(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = s.RunByID(ctx, it.Run)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	done := make(chan error, 1)
	go func() { done <- s.Write(t.Context(), onePageOf(it, 9, "x")).Err }()
	require.NoError(t, cluster.Restart(t.Context()))
	require.NoError(t, <-done, "it waited")
	require.NoError(t, s.Check(t.Context()))
}
