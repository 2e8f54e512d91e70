package store_test

import (
	"context"
	"fmt"
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
	const items, writers = 50_000, 256
	var add, work time.Duration
	for i := range b.N {
		stores := e.open(b)
		start := time.Now()
		run := startRun(b, stores[0], "bench", fmt.Sprint("run-", i), items)
		add += time.Since(start)
		start = time.Now()
		fetchAll(b, stores, run, writers)
		work += time.Since(start)
		counts, err := stores[0].Totals(b.Context(), run)
		require.NoError(b, err)
		require.Equal(b, items, counts[0].Items)
		require.Equal(b, outcomes.Done, counts[0].Outcome)
	}
	n := float64(b.N * items)
	b.ReportMetric(n/(add+work).Seconds(), "items/s")
	b.ReportMetric(n/add.Seconds(), "added/s")
	b.ReportMetric(n/work.Seconds(), "worked/s")
}

// fetchAll works a run off with so many items in flight: claims of a seat's width,
// then one write per item.
func fetchAll(b *testing.B, stores []*store.Store, run int64, writers int) {
	const width = 32
	var wg sync.WaitGroup
	for seat := range writers / width {
		s := stores[seat%len(stores)]
		wg.Go(func() {
			fetchShared(b, s, rows.Claim{Run: run, Shared: true, Seat: int64(seat), Epoch: 7, Worker: "bench", Max: width})
		})
	}
	wg.Wait()
}

// BenchmarkClaims: what a claim costs does not grow with the run.
func BenchmarkClaims(b *testing.B) {
	for engine, e := range benchers() {
		for _, items := range []int{2_000, 200_000} {
			b.Run(fmt.Sprint(engine, "/", items), func(b *testing.B) {
				s := e.open(b)[0]
				run := startRun(b, s, "bench", "run", items)
				const claims = 50
				start := time.Now()
				for range claims {
					got, err := s.Claim(b.Context(), rows.Claim{Run: run, Shared: true, Epoch: 7, Worker: "bench", Max: 20, Now: time.Now()})
					require.NoError(b, err)
					require.Len(b, got.Items, 20)
				}
				b.ReportMetric(float64(time.Since(start).Microseconds())/claims, "µs/claim")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func fetchShared(b *testing.B, s *store.Store, c rows.Claim) {
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
		Run: it.Run, Ord: it.Ord, Epoch: it.Epoch, Item: units.Item{Campaign: it.Campaign, Entry: it.Entry, Key: it.Key}, Fetcher: it.Fetcher, At: now, Attempt: 1, Worker: "bench",
		Page: &rows.PageWrite{Seq: 1, Version: it.Checkpoint.Version, Collection: "bench", Params: "abc", Page: harvest.Page{
			Documents:  []harvest.Document{{ID: it.Key + "/1", Title: "An entry of a feed", Kind: "entry", Published: now, Body: []byte("a short text")}},
			Checkpoint: []byte(`{"etag":"abc"}`), Listed: 1, Last: true,
		}},
		Settle: &rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Done, Attempts: 1},
		Ledger: []visit.Exchange{{At: now, Method: "GET", URL: "https://feeds.example.org/feed.xml", Host: "feeds.example.org", Status: 200, Bytes: 1200, Took: time.Millisecond}},
	}
}
