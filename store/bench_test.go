package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/store"
)

// The benchmarks of the store. Each reports documents or items per second; the
// raw limit is a plain INSERT loop over the same bytes in one transaction.
const (
	benchDocuments = 100_000
	benchPage      = 500
	benchBody      = 1100
)

// storePages writes docs as pages of four items side by side, as four workers
// would.
func storePages(b *testing.B, stores []*store.Store, id string, docs []harvest.Document) {
	const streams = 4
	s := stores[0]
	run := startRun(b, s, "bench", id, streams)
	got, err := s.Claim(b.Context(), rows.Claim{Run: run, Shared: true, Epoch: 1, Max: streams, Now: time.Now()})
	require.NoError(b, err)
	var wg sync.WaitGroup
	for _, it := range got.Items {
		s := stores[int(it.Ord)%len(stores)]
		wg.Go(func() {
			version := it.Checkpoint.Version
			seq := 0
			for p := int(it.Ord); p*benchPage < len(docs); p += streams {
				seq++
				w := s.Write(b.Context(), rows.Write{
					Run: run, Ord: it.Ord, Epoch: 1, Item: units.Item{Campaign: "bench", Entry: "e", Key: it.Key}, At: time.Now(), Attempt: 1, Worker: "w",
					Ledger: []visit.Exchange{{At: time.Now(), Method: "GET", URL: "https://repo.example.org/oai?page=1", Host: "repo.example.org", Status: 200, Bytes: 500_000}},
					Page: &rows.PageWrite{
						Seq: seq, Version: version, Collection: "bench",
						Page: harvest.Page{Documents: docs[p*benchPage : (p+1)*benchPage], Checkpoint: []byte(`{"token":"abc"}`), Listed: benchPage},
					},
				})
				if w.Err != nil {
					b.Error(w.Err)
					return
				}
				version++
			}
		})
	}
	wg.Wait()
	require.NoError(b, s.FinishRun(b.Context(), rows.Finish{Run: run, Outcome: outcomes.Done}))
}

func BenchmarkDocuments(b *testing.B) {
	for engine, e := range benchers() {
		b.Run(engine, func(b *testing.B) {
			for name, ids := range map[string]func(int) string{"rising": rising, "scattered": scattered} {
				benchDocuments100(b, e, name, benchDocs(ids))
			}
		})
	}
}

func benchDocuments100(b *testing.B, e bencher, name string, docs []harvest.Document) {
	rate := func(b *testing.B, took time.Duration) {
		b.ReportMetric(float64(b.N*benchDocuments)/took.Seconds(), "docs/s")
	}
	b.Run("new/"+name, func(b *testing.B) {
		var took time.Duration
		for range b.N {
			stores := e.open(b)
			start := time.Now()
			storePages(b, stores, "run", docs)
			took += time.Since(start)
		}
		rate(b, took)
	})
	b.Run("unchanged/"+name, func(b *testing.B) {
		stores := e.open(b)
		storePages(b, stores, "first", docs)
		b.ResetTimer()
		for i := range b.N {
			storePages(b, stores, fmt.Sprint("again-", i), docs)
		}
		rate(b, b.Elapsed())
	})
	b.Run("changed/"+name, func(b *testing.B) {
		stores := e.open(b)
		storePages(b, stores, "first", docs)
		b.ResetTimer()
		for i := range b.N {
			storePages(b, stores, fmt.Sprint("again-", i), edited(docs, i))
		}
		rate(b, b.Elapsed())
	})
	if e.raw == nil {
		return
	}
	b.Run("raw/"+name, func(b *testing.B) {
		var took time.Duration
		for range b.N {
			took += e.raw(b, docs)
		}
		rate(b, took)
	})
}

// edited are the documents with another title.
func edited(docs []harvest.Document, n int) []harvest.Document {
	list := slices.Clone(docs)
	for i := range list {
		list[i].Title = fmt.Sprintf("%s, edited %d times", list[i].Title, n+1)
	}
	return list
}

// rawCopy is the limit of a server: one table, one COPY, one transaction.
func rawCopy(b *testing.B, docs []harvest.Document) time.Duration {
	c, err := pgx.Connect(b.Context(), store.BenchCluster.Database(b))
	require.NoError(b, err)
	defer c.Close(context.Background())
	_, err = c.Exec(b.Context(), `CREATE TABLE documents (id text COLLATE "C" PRIMARY KEY, title text, hash bytea, body bytea)`)
	require.NoError(b, err)
	hash := make([]byte, 32)
	start := time.Now()
	_, err = c.CopyFrom(b.Context(), pgx.Identifier{"documents"}, []string{"id", "title", "hash", "body"}, pgx.CopyFromSlice(len(docs), func(i int) ([]any, error) {
		return []any{docs[i].ID, docs[i].Title, hash, docs[i].Body}, nil
	}))
	require.NoError(b, err)
	return time.Since(start)
}

// rawInsert is the limit: one table, one statement, one transaction.
func rawInsert(b *testing.B, docs []harvest.Document) time.Duration {
	path := filepath.Join(b.TempDir(), "raw.db")
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=page_size(8192)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	require.NoError(b, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`CREATE TABLE documents (id TEXT PRIMARY KEY, title TEXT, hash BLOB, body BLOB)`)
	require.NoError(b, err)
	hash := make([]byte, 32)
	start := time.Now()
	tx, err := db.Begin()
	require.NoError(b, err)
	stmt, err := tx.Prepare(`INSERT INTO documents VALUES (?, ?, ?, ?)`)
	require.NoError(b, err)
	for i := range docs {
		_, err := stmt.Exec(docs[i].ID, docs[i].Title, hash, docs[i].Body)
		require.NoError(b, err)
	}
	require.NoError(b, tx.Commit())
	return time.Since(start)
}
