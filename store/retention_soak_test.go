package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// How long writes wait while retention removes most of a ledger of millions.

const (
	soakLines   = 5_000_000
	soakWriters = 4
	soakGap     = 50 * time.Millisecond // between two pages of a writer
)

func TestSoakRetention(t *testing.T) {
	retentionSoak(t, filepath.Join(t.TempDir(), "store.db"))
}

func TestSoakPostgresRetention(t *testing.T) {
	retentionSoak(t, "")
}

func retentionSoak(t *testing.T, address string) {
	if os.Getenv("VENDEMMIA_SOAK") == "" {
		t.Skip("a long test: make soak")
	}
	if address == "" {
		address = BenchCluster.Database(t)
	}
	s, err := Open(t.Context(), address, Options{Create: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	list := soakItems(t, s)
	fillLedger(t, s, list[0])

	alone := s.writeWhile(t, list, func(ctx context.Context) {
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Second):
		}
	})
	var removed rows.Removed
	began := time.Now()
	beside := s.writeWhile(t, list, func(ctx context.Context) {
		var err error
		removed, err = s.Clean(ctx, rows.Retention{Campaign: "news", Ledger: soakDay(200), Raw: soakDay(250), Versions: time.Now()})
		require.NoError(t, err)
	})
	t.Logf("retention removed %d of %d lines in %s", removed.Ledger, soakLines, time.Since(began).Round(time.Second))
	t.Logf("a page waited, without retention: %s", waits(alone))
	t.Logf("a page waited, beside retention:  %s", waits(beside))
	require.Positive(t, removed.Ledger)
}

// soakItems opens a run with an item for each writer.
func soakItems(t *testing.T, s *Store) []rows.ClaimedItem {
	t.Helper()
	g, err := s.OpenRun(t.Context(), rows.NewRun{Exclusive: true, Run: rows.Run{RunID: "r", WorkflowID: "news-1", Campaign: "news"}})
	require.NoError(t, err)
	items := make([]rows.RunItem, soakWriters)
	for i := range items {
		items[i] = rows.RunItem{Ord: int64(i), Entry: "feed", Key: fmt.Sprint(i), Fetcher: "feed"}
	}
	require.NoError(t, s.AddItems(t.Context(), g.Run.ID, items))
	_, err = s.SealRun(t.Context(), g.Run.ID, 1, time.Time{})
	require.NoError(t, err)
	var list []rows.ClaimedItem
	for i := range items {
		got, err := s.Claim(t.Context(), rows.Claim{Run: g.Run.ID, Ord: int64(i), Epoch: 1, Max: 1})
		require.NoError(t, err)
		list = append(list, got.Items...)
	}
	require.Len(t, list, soakWriters)
	return list
}

// soakDay is the moment of a line of the ledger so many days after the first.
func soakDay(n int) time.Time { return time.Now().AddDate(0, 0, n-365) }

// fillLedger writes a year of lines, of which each tenth names a raw page.
func fillLedger(t *testing.T, s *Store, it rows.ClaimedItem) {
	t.Helper()
	const part = 100_000
	first, step := micros(soakDay(0)), int64(365*24*time.Hour/soakLines/time.Microsecond)
	for from := 0; from < soakLines; from += part {
		require.NoError(t, s.write(t.Context(), "fill", "", func(tx *tx) error {
			_, err := tx.exec(`INSERT INTO ledger (run, ord, seq, attempt, item, at, status, bytes, took, waited, retry_after, method, url, host, kind, error, raw, note, worker)
				WITH RECURSIVE n(i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
				SELECT 1, 0, 1, 1, ri.item, ? + i * ?, 200, 1200, 90000, 100, 0, 'GET', 'https://feeds.example.org/' || i || '/feed.xml', 'feeds.example.org', '', '',
					CASE WHEN i % 10 = 0 THEN 'raw ' || i ELSE '' END, '', 'worker-1' FROM n JOIN run_items ri ON ri.run = ? AND ri.ord = ?`,
				from, from+part-1, first, step, it.Run, it.Ord)
			return err
		}))
	}
}

// writeWhile writes pages, each writer those of its own item, until do returns.
func (s *Store) writeWhile(t *testing.T, list []rows.ClaimedItem, do func(context.Context)) (took []time.Duration) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var mu sync.Mutex
	var writers sync.WaitGroup
	for i := range list {
		writers.Go(func() {
			for ctx.Err() == nil {
				w := soakPage(&list[i])
				began := time.Now()
				if err := s.Write(t.Context(), w).Err; err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				took = append(took, time.Since(began))
				mu.Unlock()
				select {
				case <-ctx.Done():
				case <-time.After(soakGap):
				}
			}
		})
	}
	do(ctx)
	stop()
	writers.Wait()
	return took
}

// soakPage is the next page of an item: twenty documents, a line of the ledger and
// the page as it came.
func soakPage(it *rows.ClaimedItem) rows.Write {
	w := onePageOf(*it, 0, "")
	for i := range 20 {
		w.Page.Page.Documents = append(w.Page.Page.Documents, harvest.Document{ID: fmt.Sprintf("%d-%d-%d", it.Ord, it.Seq, i), Title: "a title", Body: []byte(rand.Text() + rand.Text())})
	}
	raw := []byte(rand.Text())
	w.Raw = []rows.RawPage{{Digest: harvest.Digest(raw), Packed: raw}}
	w.Ledger = []visit.Exchange{{At: w.At, Method: "GET", Host: "feeds.example.org", Status: 200, Raw: w.Raw[0].Digest}}
	it.Seq++
	it.Checkpoint.Version++
	return w
}

// waits describes how long writes took.
func waits(took []time.Duration) string {
	slices.Sort(took)
	at := func(share float64) time.Duration {
		return took[int(share*float64(len(took)-1))].Round(100 * time.Microsecond)
	}
	return fmt.Sprintf("%d pages, half of them under %s, 99 of 100 under %s, the longest %s", len(took), at(0.5), at(0.99), at(1))
}
