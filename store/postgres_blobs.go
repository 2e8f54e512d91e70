package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// putBlob uses a reading connection, so that the writing one does not wait.
func (p *postgres) putBlob(ctx context.Context, digest string, content []byte) error {
	if f := p.folder(); f.root != "" {
		return f.put(digest, content)
	}
	return patiently(ctx, func(int) error {
		_, err := p.pool.ExecContext(ctx, `INSERT INTO blobs (digest, created, content) VALUES ($1, $2, $3)`+youngAgain, digest, micros(time.Now()), content)
		return err
	})
}

// folder has no root unless one is configured: workers on several machines share
// none.
func (p *postgres) folder() folder { return folder{p.options.Blobs} }

func rawColumns() []column[rows.RawPage] {
	now := micros(time.Now())
	return []column[rows.RawPage]{
		texts("digest", func(r *rows.RawPage) string { return r.Digest }),
		integers("created", func(*rows.RawPage) int64 { return now }),
		integers("packed", func(*rows.RawPage) int64 { return 1 }),
		bytesOf("content", func(r *rows.RawPage) []byte { return r.Packed }),
	}
}

// queueRaw writes each raw page once, in the order of digests: two transactions
// may bring the same ones.
func (k *pgSink) queueRaw() {
	slices.SortFunc(k.raw, func(a, b rows.RawPage) int { return cmp.Compare(a.Digest, b.Digest) })
	k.raw = slices.CompactFunc(k.raw, func(a, b rows.RawPage) bool { return a.Digest == b.Digest })
	columns := rawColumns()
	maybeOver(&k.w.out, columns, k.raw, `INSERT INTO blobs (`+names(columns)+`) SELECT `+names(columns)+` FROM %s`+youngAgain)
	k.raw = nil
}
