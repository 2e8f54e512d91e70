package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

// The benchmarks of the store. Each reports documents or items per second; the
// raw limit is a plain INSERT loop over the same bytes in one transaction.
const (
	benchDocuments = 100_000
	benchPage      = 500
	benchBody      = 1100
)

// benchText is a record as repositories give them: the same elements in each,
// words of a common vocabulary, and a few numbers of its own.
func benchText(r *rand.Rand, vocabulary []string, n int) []byte {
	b := make([]byte, 0, n+200)
	b = append(b, `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`...)
	for _, element := range []string{"title", "creator", "subject", "description"} {
		b = fmt.Appendf(b, "<dc:%s>", element)
		for until := len(b) + n/6; len(b) < until; {
			b = append(append(b, vocabulary[r.IntN(len(vocabulary))]...), ' ')
		}
		b = fmt.Appendf(b, "</dc:%s>", element)
	}
	b = fmt.Appendf(b, "<dc:date>20%02d-0%d-1%d</dc:date><dc:identifier>https://repo.example.org/record/%d</dc:identifier>", r.IntN(26), 1+r.IntN(9), r.IntN(10), r.IntN(1_000_000))
	for len(b) < n-len("</oai_dc:dc>") {
		b = append(b, ' ')
	}
	return append(b, "</oai_dc:dc>"...)
}

func benchVocabulary(r *rand.Rand) []string {
	list := make([]string, 4000)
	for i := range list {
		word := make([]byte, 3+r.IntN(9))
		for k := range word {
			word[k] = "etaoinshrdlucmfw"[r.IntN(16)]
		}
		list[i] = string(word)
	}
	return list
}

func benchDocs(ids func(i int) string) []harvest.Document {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary, docs := benchVocabulary(r), make([]harvest.Document, benchDocuments)
	for i := range docs {
		docs[i] = harvest.Document{
			ID: ids(i), URL: "https://repo.example.org/record/" + ids(i), Kind: "record", Title: "A record of some length", MediaType: "text/xml",
			Published: time.Unix(1_700_000_000+int64(i), 0), Body: benchText(r, vocabulary, benchBody),
		}
	}
	return docs
}

func rising(i int) string { return fmt.Sprintf("oai:repo.example.org:%08d", i) }

func scattered(i int) string { return fmt.Sprintf("oai:%08x:%d", uint32(i)*2654435761, i) }

// bencher makes new stores for a benchmark: each call one store, opened as often
// as there are streams.
type bencher struct {
	address func(b *testing.B) string
	raw     func(b *testing.B, docs []harvest.Document) time.Duration
	streams int // processes that write at once
}

func benchers() map[string]bencher {
	served := func(b *testing.B) string { return store.BenchCluster.Database(b) }
	return map[string]bencher{
		"sqlite":     {func(b *testing.B) string { return filepath.Join(b.TempDir(), "bench.db") }, rawInsert, 1},
		"postgres":   {served, rawCopy, 1},
		"postgres-2": {served, nil, 2},
	}
}

func (e bencher) open(b *testing.B) []*store.Store {
	address := e.address(b)
	list := make([]*store.Store, e.streams)
	for i := range list {
		s, err := store.Open(b.Context(), address, store.Options{Create: true})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, s.Close()) })
		list[i] = s
	}
	return list
}

// startRun opens a run with n items of one page each.
func startRun(tb testing.TB, s *store.Store, campaign, id string, n int) int64 {
	g, err := s.OpenRun(context.Background(), rows.NewRun{Run: rows.Run{RunID: id, WorkflowID: id, Campaign: campaign}, Exclusive: true})
	require.NoError(tb, err)
	items := make([]rows.RunItem, n)
	for i := range items {
		items[i] = rows.RunItem{Ord: int64(i), Entry: "e", Key: fmt.Sprintf("item-%07d", i), Fetcher: "feed", Host: "feeds.example.org", Params: []byte(fmt.Sprintf(`{"url":"https://feeds.example.org/%d/feed.xml"}`, i))}
	}
	require.NoError(tb, s.AddItems(context.Background(), g.Run.ID, items))
	_, err = s.SealRun(context.Background(), g.Run.ID, 10, time.Time{})
	require.NoError(tb, err)
	return g.Run.ID
}

// storePages writes docs as pages of four items side by side, as four workers
// would.
func storePages(b *testing.B, stores []*store.Store, id string, docs []harvest.Document) {
	const streams = 4
	s := stores[0]
	run := startRun(b, s, "bench", id, streams)
	got, err := s.Claim(b.Context(), rows.Claim{Run: run, Hi: streams, Epoch: 1, Max: streams, Now: time.Now()})
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
					Run: run, Ord: it.Ord, Epoch: 1, Item: harvest.Item{Campaign: "bench", Entry: "e", Key: it.Key}, At: time.Now(), Attempt: 1, Worker: "w",
					Ledger: []harvest.Exchange{{At: time.Now(), Method: "GET", URL: "https://repo.example.org/oai?page=1", Host: "repo.example.org", Status: 200, Bytes: 500_000}},
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
	require.NoError(b, s.FinishRun(b.Context(), rows.Finish{Run: run, Outcome: harvest.OutcomeDone}))
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

func BenchmarkOnePageItems(b *testing.B) {
	for engine, e := range benchers() {
		b.Run(engine, func(b *testing.B) { benchOnePageItems(b, e) })
	}
	b.Run("postgres-raw", func(b *testing.B) {
		const items = 50_000
		var took time.Duration
		for range b.N {
			took += rawItems(b, items, 128)
		}
		b.ReportMetric(float64(b.N*items)/took.Seconds(), "worked/s")
	})
}

// rawItems is the limit of a server for one-page items: the rows that an item
// comes to, in groups of this size, by one stream that decides nothing.
func rawItems(b *testing.B, items, group int) time.Duration {
	c, err := pgx.Connect(b.Context(), store.BenchCluster.Database(b))
	require.NoError(b, err)
	defer c.Close(context.Background())
	statements := []string{
		`INSERT INTO checkpoints SELECT unnest($1::bigint[]), unnest($2::text[]), 1, '{"etag":"abc"}', 'abc', '', 1700000000000000, 1`,
		`INSERT INTO documents SELECT 'bench', unnest($2::text[]), unnest($1::bigint[]), 1, 0, 1700000000000000, ''`,
		`INSERT INTO versions SELECT unnest($1::bigint[]), 1, 1, 1700000000000000, 0, 1, 0, 1700000000000000, 1, 12, 0, 0, 'bench', unnest($2::text[]), 'entry', '', 'An entry of a feed', '', '', '', '', '', 'a short text'`,
		`INSERT INTO ledger SELECT unnest($1::bigint[]), 1, unnest($2::text[]), 'https://feeds.example.org/feed.xml', 'feeds.example.org', 'GET', 200, 1200, 1700000000000000`,
		`UPDATE run_items r SET state = 'claimed', started = 1700000000000000 FROM unnest($1::bigint[], $2::text[]) AS k(ord, id) WHERE r.ord = k.ord`,
		`UPDATE run_items r SET state = 'closed', closed = 1700000000000000 FROM unnest($1::bigint[], $2::text[]) AS k(ord, id) WHERE r.ord = k.ord`,
		`UPDATE items i SET outcome = 'done', last_at = 1700000000000000 FROM unnest($1::bigint[], $2::text[]) AS k(id, name) WHERE i.id = k.id`,
	}
	_, err = c.Exec(b.Context(), fmt.Sprintf(`CREATE TABLE checkpoints (item bigint, lane text, version bigint, value text, params text, extraction text, at bigint, run bigint, PRIMARY KEY (item, lane));
		CREATE TABLE documents (collection text, id text, number bigint, version bigint, deleted bigint, seen bigint, hash bytea, PRIMARY KEY (collection, id));
		CREATE TABLE versions (number bigint PRIMARY KEY, item bigint, run bigint, at bigint, op bigint, version bigint, before bigint, seen bigint, published bigint, size bigint, pack bigint, pack_at bigint,
			collection text, id text, kind text, url text, title text, parent text, media text, hash bytea, ref text, fields text, body text);
		CREATE TABLE ledger (ord bigint PRIMARY KEY, run bigint, worker text, url text, host text, method text, status bigint, bytes bigint, at bigint);
		CREATE TABLE run_items (ord bigint PRIMARY KEY, state text, started bigint, closed bigint) WITH (fillfactor = 45);
		CREATE TABLE items (id bigint PRIMARY KEY, outcome text, last_at bigint) WITH (fillfactor = 50);
		INSERT INTO run_items SELECT n, 'open', 0, 0 FROM generate_series(0, %[1]d - 1) n; INSERT INTO items SELECT n, '', 0 FROM generate_series(0, %[1]d - 1) n; ANALYZE`, items))
	require.NoError(b, err)
	start := time.Now()
	for at := 0; at < items; at += group {
		var numbers []int64
		var names []string
		for n := at; n < min(at+group, items); n++ {
			numbers, names = append(numbers, int64(n)), append(names, fmt.Sprintf("item-%07d/1", n))
		}
		batch := &pgx.Batch{}
		batch.Queue("BEGIN")
		for _, statement := range statements {
			batch.Queue(statement, numbers, names)
		}
		batch.Queue("COMMIT")
		require.NoError(b, c.SendBatch(b.Context(), batch).Close())
	}
	return time.Since(start)
}

func benchOnePageItems(b *testing.B, e bencher) {
	const items, writers, chunk = 50_000, 256, 200
	var add, work time.Duration
	for i := range b.N {
		stores := e.open(b)
		start := time.Now()
		run := startRun(b, stores[0], "bench", fmt.Sprint("run-", i), items)
		add += time.Since(start)
		start = time.Now()
		fetchAll(b, stores, run, items, writers, chunk)
		work += time.Since(start)
		counts, err := stores[0].Totals(b.Context(), run)
		require.NoError(b, err)
		require.Equal(b, items, counts[0].Items)
		require.Equal(b, harvest.OutcomeDone, counts[0].Outcome)
	}
	n := float64(b.N * items)
	b.ReportMetric(n/(add+work).Seconds(), "items/s")
	b.ReportMetric(n/add.Seconds(), "added/s")
	b.ReportMetric(n/work.Seconds(), "worked/s")
}

// fetchAll works a run off with so many items in flight: claims of a chunk's
// width, then one write per item.
func fetchAll(b *testing.B, stores []*store.Store, run int64, items, writers, chunk int) {
	const width = 32
	var next atomic.Int64
	var wg sync.WaitGroup
	for n := range writers / width {
		s := stores[n%len(stores)]
		wg.Go(func() {
			for lo := next.Add(int64(chunk)) - int64(chunk); lo < int64(items); lo = next.Add(int64(chunk)) - int64(chunk) {
				fetchChunk(b, s, rows.Claim{Run: run, Lo: lo, Hi: lo + int64(chunk) - 1, Epoch: 7, Worker: "bench", Max: width})
			}
		})
	}
	wg.Wait()
}

func fetchChunk(b *testing.B, s *store.Store, c rows.Claim) {
	for {
		c.Now = time.Now()
		got, err := s.Claim(b.Context(), c)
		if err != nil {
			b.Error(err)
		}
		if err != nil || len(got.Items) == 0 {
			return
		}
		var wg sync.WaitGroup
		for _, it := range got.Items {
			wg.Go(func() {
				w := s.Write(b.Context(), onePage(it))
				if w.Err != nil {
					b.Error(w.Err)
				}
			})
		}
		wg.Wait()
	}
}

func onePage(it rows.ClaimedItem) rows.Write {
	now := time.Now()
	return rows.Write{
		Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, Item: harvest.Item{Campaign: it.Campaign, Entry: it.Entry, Key: it.Key}, Fetcher: it.Fetcher, At: now, Attempt: 1, Worker: "bench",
		Page: &rows.PageWrite{Seq: 1, Version: it.Checkpoint.Version, Collection: "bench", Params: "abc", Page: harvest.Page{
			Documents:  []harvest.Document{{ID: it.Key + "/1", Title: "An entry of a feed", Kind: "entry", Published: now, Body: []byte("a short text")}},
			Checkpoint: []byte(`{"etag":"abc"}`), Listed: 1, Last: true,
		}},
		Settle: &rows.Settle{State: rows.ItemClosed, Outcome: harvest.OutcomeDone, Attempts: 1},
		Ledger: []harvest.Exchange{{At: now, Method: "GET", URL: "https://feeds.example.org/feed.xml", Host: "feeds.example.org", Status: 200, Bytes: 1200, Took: time.Millisecond}},
	}
}
