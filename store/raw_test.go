package store

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// counted counts what is flushed: transactions, and blobs by themselves.
type counted struct {
	engine
	transactions, blobs atomic.Int32
}

func (c *counted) transact(ctx context.Context, l lock, fn func(*tx) error) error {
	c.transactions.Add(1)
	return c.engine.transact(ctx, l, fn)
}

func (c *counted) putBlob(ctx context.Context, digest string, content []byte) error {
	c.blobs.Add(1)
	return c.engine.putBlob(ctx, digest, content)
}

// rawPage is a page of documents that was read from n pages as they came.
func rawPage(t *testing.T, s *Store, it rows.ClaimedItem, n int) rows.Write {
	t.Helper()
	w := onePageOf(it, n, "x")
	w.Ledger = nil
	for i := range n {
		p, err := s.PackRaw(t.Context(), fmt.Appendf(nil, "<html>page %d %s", i, strings.Repeat("lorem ipsum ", 2000)))
		require.NoError(t, err)
		w.Raw = append(w.Raw, p)
		w.Ledger = append(w.Ledger, visit.Exchange{At: time.Now(), Method: "GET", URL: "https://x.example/", Host: "x.example", Raw: p.Digest})
	}
	return w
}

func TestRawPagesShareTheTransactionOfTheirPage(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			c := &counted{engine: s.engine}
			s.engine = c
			it := oneItem(t, s)
			c.transactions.Store(0)
			require.NoError(t, s.Write(t.Context(), rawPage(t, s, it, 20)).Err)
			require.EqualValues(t, 1, c.transactions.Load())
			require.Zero(t, c.blobs.Load())
		})
	}
}

func TestRawPagesAreCleaned(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			require.NoError(t, s.Write(t.Context(), rawPage(t, s, oneItem(t, s), 3)).Err)
			old := time.Now().Add(-2 * orphanAge)
			require.NoError(t, s.write(t.Context(), "age", "", func(tx *tx) error {
				_, err := tx.exec(`UPDATE blobs SET created = ?`, micros(old))
				return err
			}))
			removed, err := s.Clean(t.Context(), rows.Retention{})
			require.NoError(t, err)
			require.Zero(t, removed.Blobs, "the ledger names them")
			removed, err = s.Clean(t.Context(), rows.Retention{Raw: time.Now().Add(time.Hour)})
			require.NoError(t, err)
			require.Equal(t, 3, removed.Blobs)
		})
	}
}

// Pages as they came that an older version put into files are read as before.
func TestRawPagesInFilesAreRead(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	digest := harvest.Digest([]byte("<html>"))
	require.NoError(t, s.engine.folder().put(digest, []byte("<html>")))
	r, err := s.Blob(t.Context(), digest)
	require.NoError(t, err)
	content, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, "<html>", string(content))
}

func TestDamagedRawPagesAreFound(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"not compressed": `UPDATE blobs SET content = x'00'`,
		"another page":   `UPDATE blobs SET content = (SELECT content FROM blobs ORDER BY digest LIMIT 1)`,
		"gone":           `DELETE FROM blobs`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			require.NoError(t, s.Write(t.Context(), rawPage(t, s, oneItem(t, s), 2)).Err)
			require.Zero(t, wrongBlobs(t, s))
			db, err := sql.Open("sqlite", fileOf(s).path)
			require.NoError(t, err)
			defer db.Close()
			_, err = db.Exec(damage)
			require.NoError(t, err)
			require.Positive(t, wrongBlobs(t, s))
		})
	}
}

func wrongBlobs(t *testing.T, s *Store) int64 {
	t.Helper()
	all, err := s.Verify(t.Context(), nil)
	require.NoError(t, err)
	return all[len(all)-1].Wrong
}
