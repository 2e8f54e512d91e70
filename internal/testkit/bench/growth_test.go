package bench

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/internal/local/dev"
	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// growthRuns is how many runs without news are averaged.
const growthRuns = 10

// BenchmarkGrowth reports what is added to the store's SQLite file and to Temporal by a
// run of so many feeds: each with one new document of two hundred bytes, and then ten
// runs without news.
func BenchmarkGrowth(b *testing.B) {
	for _, items := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(items, " feeds"), func(b *testing.B) {
			for b.Loop() {
				growth(b, items)
			}
		})
	}
}

func growth(b *testing.B, items int) {
	dir, f := b.TempDir(), newFeeds(b)
	starter, worker := build(b, dir)
	house := filepath.Join(dir, "house")
	h := up(b, dev.HouseOptions{
		Dir: house, Worker: worker, Store: "bench.db", Name: "bench-1",
		Args: []string{"--item-slots", fmt.Sprint(inFlight), "--allow-network", "127.0.0.0/8"},
	})
	defer func() { require.NoError(b, h.Down()) }()
	apply(b, starter, h, f.campaign(b, dir, items))
	c, err := temporalx.Dial(b.Context(), temporalx.Target{Address: h.Server.Address, Alone: true})
	require.NoError(b, err)
	defer c.Close()

	empty := used(b, filepath.Join(house, "bench.db"))
	f.poll(b, c, "polls-new", items)
	full := used(b, filepath.Join(house, "bench.db"))
	for run := range growthRuns {
		f.poll(b, c, fmt.Sprint("polls-", run), 0)
	}
	after := used(b, filepath.Join(house, "bench.db"))
	b.ReportMetric(float64(full-empty)/float64(items), "B/new-document")
	b.ReportMetric(float64(after-full)/growthRuns, "B/run")
	b.ReportMetric(float64(after-full)/growthRuns/float64(items), "B/item-and-run")
	events, size := history(b, c, "polls-0")
	b.ReportMetric(float64(events), "events/run")
	b.ReportMetric(float64(size), "history-B/run")
	b.ReportMetric(0, "ns/op")
}

// used is how many bytes of a SQLite database are in use.
func used(b *testing.B, file string) (bytes int) {
	b.Helper()
	db, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	require.NoError(b, err)
	defer db.Close()
	require.NoError(b, db.QueryRowContext(b.Context(),
		`SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&bytes))
	return bytes
}

// history is how long the history of a workflow is, in events and in bytes.
func history(b *testing.B, c client.Client, id string) (events, bytes int64) {
	b.Helper()
	d, err := c.DescribeWorkflowExecution(b.Context(), id, "")
	require.NoError(b, err)
	return d.WorkflowExecutionInfo.HistoryLength, d.WorkflowExecutionInfo.HistorySizeBytes
}
