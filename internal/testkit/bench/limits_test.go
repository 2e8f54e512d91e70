package bench

import (
	"context"
	"database/sql"
	"io"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
)

// replay sends the requests that the repository has had once more, so many at a
// time, unpacks the bodies and throws them away: the limit of reading.
func replay(b *testing.B, r *oai.Repository, streams int) time.Duration {
	b.Helper()
	requests := r.Requests()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}} // asks for gzip and unpacks it
	defer client.CloseIdleConnections()
	began := time.Now()
	g, ctx := errgroup.WithContext(b.Context())
	g.SetLimit(streams)
	for _, q := range requests {
		g.Go(func() error { return discard(ctx, client, r.URL()+"?"+q.Args.Encode()) })
	}
	require.NoError(b, g.Wait())
	return time.Since(began)
}

func discard(ctx context.Context, client *http.Client, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// batch is how many documents share a transaction: a page of the repository.
const batch = 500

// rawDocuments makes the documents of one batch.
func rawDocuments(r *oai.Repository, from, records int) [][]any {
	var list [][]any
	for i := from; i < min(records, from+batch); i++ {
		id := oai.ID(i)
		list = append(list, []any{id, "A record of some length", []byte(r.Metadata(id, oai.DC))})
	}
	return list
}

// insertSQLite inserts the documents into one table of a new database that is
// as durable as the store: the limit of writing.
func insertSQLite(b *testing.B, r *oai.Repository, records int) (took time.Duration) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "raw.db")+"?_pragma=page_size(8192)&_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	require.NoError(b, err)
	defer db.Close()
	_, err = db.Exec(`CREATE TABLE documents (id TEXT PRIMARY KEY, title TEXT, body BLOB)`)
	require.NoError(b, err)
	for from := 0; from < records; from += batch {
		list := rawDocuments(r, from, records)
		began := time.Now()
		tx, err := db.Begin()
		require.NoError(b, err)
		insert, err := tx.Prepare(`INSERT INTO documents VALUES (?, ?, ?)`)
		require.NoError(b, err)
		for _, row := range list {
			_, err = insert.Exec(row...)
			require.NoError(b, err)
		}
		require.NoError(b, tx.Commit())
		took += time.Since(began)
	}
	return took
}

// insertPostgres copies the documents into one table of a new database, a
// transaction a batch: the limit of writing.
func insertPostgres(b *testing.B, r *oai.Repository, records int) (took time.Duration) {
	b.Helper()
	db, err := pgx.Connect(b.Context(), pgtest.New(b, pgtest.Options{}).Database(b))
	require.NoError(b, err)
	defer db.Close(b.Context()) // thrown away
	_, err = db.Exec(b.Context(), `CREATE TABLE documents (id TEXT PRIMARY KEY, title TEXT, body BYTEA)`)
	require.NoError(b, err)
	for from := 0; from < records; from += batch {
		list := rawDocuments(r, from, records)
		began := time.Now()
		_, err := db.CopyFrom(b.Context(), pgx.Identifier{"documents"}, []string{"id", "title", "body"}, pgx.CopyFromRows(list))
		require.NoError(b, err)
		took += time.Since(began)
	}
	return took
}
