package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/store"
)

// recordDocs are benchDocs with members, as a repository's records have.
func recordDocs() []harvest.Document {
	docs := benchDocs(scattered)
	for i := range docs {
		body := string(docs[i].Body)
		docs[i].Fields = map[string]any{"title": []any{body[120:280]}, "creator": []any{body[290:340], body[350:390]}, "subject": []any{body[480:600]}, "n": float64(i)}
	}
	return docs
}

// BenchmarkReading reads 100,000 records with fields in every way there is, and says
// how large their file is.
func BenchmarkReading(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bench.db")
	s, err := store.Open(b.Context(), path, store.Options{Create: true})
	require.NoError(b, err)
	docs := recordDocs()
	storePages(b, []*store.Store{s}, "run", docs)
	require.NoError(b, s.Close())
	info, err := os.Stat(path)
	require.NoError(b, err)
	if s, err = store.Open(b.Context(), path, store.Options{}); err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, bodies := range []bool{true, false} {
		b.Run(fmt.Sprintf("all/bodies=%t", bodies), func(b *testing.B) {
			n := 0
			for range b.N {
				for _, err := range s.Changes(b.Context(), rows.ChangeFilter{Bodies: bodies}) {
					require.NoError(b, err)
					n++
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "docs/s")
			b.ReportMetric(float64(info.Size())/1e6, "file-MB")
		})
	}
	b.Run("one", func(b *testing.B) {
		const some = 5000
		for range b.N {
			for i := range some {
				_, err := s.Document(b.Context(), "bench", docs[i*7919%len(docs)].ID)
				require.NoError(b, err)
			}
		}
		b.ReportMetric(float64(b.N*some)/b.Elapsed().Seconds(), "docs/s")
	})
}
