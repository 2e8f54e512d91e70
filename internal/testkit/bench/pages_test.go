package bench

import (
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

const (
	sites     = 8 // that are crawled side by side, one item each
	sitePages = 1000
)

// BenchmarkPages fetches 8,000 pages of 20 kB with three selectors, from eight
// sites side by side, into SQLite and PostgreSQL: with the pages kept as they
// came, which is the default, and without.
func BenchmarkPages(b *testing.B) {
	starter, worker := build(b, b.TempDir())
	addresses, pages := startSites(b)
	for _, kind := range []string{"sqlite", "postgres"} {
		for _, keep := range []string{"30d", "none"} {
			b.Run(fmt.Sprintf("%s/raw=%s", kind, keep), func(b *testing.B) {
				r := run{starter: starter, worker: worker, campaign: crawl(addresses, keep)}
				for b.Loop() {
					if kind == "postgres" {
						r.store = postgres(b)
					}
					r.measure(b, pages).report(b, "pages")
				}
			})
		}
	}
}

// startSites starts the sites, no page of which is like another.
func startSites(b *testing.B) (addresses []string, pages int) {
	for n := range sites {
		c := site.Config{Pages: sitePages, PerList: sitePages, Size: 19_000 + 500*n}
		server := httptest.NewServer(site.New(c))
		b.Cleanup(server.Close)
		addresses, pages = append(addresses, server.URL), pages+sitePages
	}
	return addresses, pages
}

func crawl(addresses []string, keep string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `project: bench
hosts:
  127.0.0.1: { connections: %d, robots: ignore }
campaigns:
  records:
    fetcher: web
    processors: %[1]d
    keep: { raw: %s }
    params:
      links: ul.acts a.also
      fields: { title: { css: h1.act__title, required: true }, published: p.meta time, amount: span.amount, body: { as: none } }
    split:
      items:
`, sites, keep)
	for _, address := range addresses {
		fmt.Fprintf(&b, "        - { url: %s/list }\n", address)
	}
	return b.String()
}

// onDisk is what a store has on disk, in MB.
func onDisk(b *testing.B, store string) float64 {
	b.Helper()
	var total int64
	if strings.HasPrefix(store, "postgres") {
		db, err := pgx.Connect(b.Context(), store)
		require.NoError(b, err)
		defer db.Close(b.Context()) // it was read
		require.NoError(b, db.QueryRow(b.Context(), `SELECT pg_database_size(current_database())`).Scan(&total))
		return float64(total) / 1e6
	}
	file := strings.TrimPrefix(store, "sqlite:") // and its log
	require.NoError(b, filepath.WalkDir(filepath.Dir(file), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasPrefix(path, file) && !strings.Contains(path, "/blobs/") {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			total += info.Size()
		}
		return err
	}))
	return float64(total) / 1e6
}
