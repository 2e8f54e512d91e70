package store

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// One transaction holds numbers while others wait for theirs: a follower sees
// every number once, in order, and none before the slow one's.
func TestSlowCommitter(t *testing.T) {
	t.Parallel()
	s, address := newServed(t, Options{})
	slow, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer slow.Close(context.Background())
	const writers, pages, docs, holds = 4, 12, 3, 5
	run := runOf(t, s, writers)
	var wg sync.WaitGroup
	for ord := range int64(writers) {
		st, err := Open(t.Context(), address, Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, st.Close()) })
		wg.Go(func() { writePages(t, st, run, ord, pages, docs) })
	}
	done, followed := make(chan struct{}), make(chan []int64, 1)
	go func() { followed <- followAll(t, s, done) }()
	held := 0
	for range holds { // numbers are taken, and their rows appear only much later
		tx, err := slow.Begin(t.Context())
		require.NoError(t, err)
		var n int64
		require.NoError(t, tx.QueryRow(t.Context(), `UPDATE sequences SET value = value + 1 WHERE name = 'change' RETURNING value`).Scan(&n))
		_, err = tx.Exec(t.Context(), `INSERT INTO versions SELECT $1, 0, 0, 0, 0, 1, 0, 0, NULL, 0, 0, 0, 'slow', 'slow', '', '', '', '', '', ''::bytea, '', '', NULL`, n)
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), `SELECT pg_sleep(0.05)`)
		require.NoError(t, err)
		require.NoError(t, tx.Commit(t.Context()))
		held++
	}
	wg.Wait()
	close(done)
	seen := <-followed
	require.Len(t, seen, writers*pages*docs+held)
	for i, n := range seen {
		require.EqualValues(t, i+1, n, "no number is skipped")
	}
}

func writePages(t *testing.T, s *Store, run, ord int64, pages, docs int) {
	got, err := s.Claim(t.Context(), rows.Claim{Run: run, Ord: ord, Epoch: 1, Max: 1})
	if err != nil || len(got.Items) != 1 {
		t.Error(err, got)
		return
	}
	it := got.Items[0]
	for range pages {
		w := onePageOf(it, docs, "x")
		for i := range w.Page.Page.Documents {
			w.Page.Page.Documents[i].ID += it.Key
		}
		w.Ledger = []visit.Exchange{{At: time.Now(), Method: "GET", Host: "example.org", Status: 200}}
		if err := s.Write(t.Context(), w).Err; err != nil {
			t.Error(err)
			return
		}
		it.Seq++
		it.Checkpoint.Version++
	}
}

func followAll(t *testing.T, s *Store, done chan struct{}) (seen []int64) {
	after := int64(0)
	for last := false; ; {
		n := 0
		for c, err := range s.Changes(t.Context(), rows.ChangeFilter{After: after}) {
			if err != nil {
				t.Error(err)
				return seen
			}
			seen, after = append(seen, c.Number), c.Number
			n++
		}
		if last && n == 0 {
			return seen
		}
		select {
		case <-done:
			last = true
		default:
		}
	}
}
