package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/testkit/pgtest"
	"github.com/vendemmia/vendemmia/store"
)

// BenchmarkPostgresChecksums writes the same pages in turn to a cluster with
// checksums of its data pages and to one without, and reports the ratio.
func BenchmarkPostgresChecksums(b *testing.B) {
	var stores [2]*store.Store
	var runs [2]int64
	for i := range stores {
		o := store.BenchCluster.Options
		o.Checksums = i == 1
		s, err := store.Open(b.Context(), pgtest.New(b, o).Database(b), store.Options{Create: true})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, s.Close()) })
		stores[i], runs[i] = s, startRun(b, s, "bench", "bench", 1)
		_, err = s.Claim(b.Context(), rows.Claim{Run: runs[i], Epoch: 1, Max: 1})
		require.NoError(b, err)
	}
	var took [2]time.Duration
	const page = 100
	all := benchDocs(rising)
	for n := range b.N {
		docs := slices.Clone(all[n*page%len(all):][:page])
		for i := range docs {
			docs[i].ID = fmt.Sprint(n, docs[i].ID)
		}
		for i, s := range stores {
			w := rows.Write{Run: runs[i], Epoch: 1, At: time.Now(), Page: &rows.PageWrite{Seq: n + 1, Version: int64(n), Collection: "bench", Page: harvest.Page{Documents: docs}}}
			began := time.Now()
			require.NoError(b, s.Write(b.Context(), w).Err)
			took[i] += time.Since(began)
		}
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "with/without")
	b.ReportMetric(float64(took[0].Microseconds())/float64(b.N), "µs/page-without")
}
