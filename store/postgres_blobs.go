package store

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"time"
)

// blobTable is a bucket in the database itself: workers on several machines
// share it without sharing a folder.
type blobTable struct{ p *postgres }

func (b *blobTable) place() string { return b.p.shown }

func (b *blobTable) put(ctx context.Context, digest string, content []byte) error {
	return patiently(ctx, func(int) error {
		_, err := b.p.pool.ExecContext(ctx, `INSERT INTO blobs (digest, created, content) VALUES ($1, $2, $3)
			ON CONFLICT (digest) DO UPDATE SET created = excluded.created`, digest, micros(time.Now()), content)
		return err
	})
}

func (b *blobTable) get(ctx context.Context, digest string) (io.ReadCloser, error) {
	content, found, err := first(reader{ctx, b.p}, scanBytes, `SELECT content FROM blobs WHERE digest = ?`, digest)
	if err == nil && !found {
		err = fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(content)), err
}

func (b *blobTable) size(ctx context.Context, digest string) (int64, error) {
	return number(reader{ctx, b.p}, `SELECT length(content) FROM blobs WHERE digest = ?`, digest)
}

// clean looks at what is old, some at a time. One that became young meanwhile
// stays: somebody has just put it again and is about to name it.
func (b *blobTable) clean(ctx context.Context, limit time.Time, named isNamed) (removed int, err error) {
	for after := ""; ; {
		old, err := collect(reader{ctx, b.p}, scanText, `SELECT digest FROM blobs WHERE created < ? AND digest > ? ORDER BY digest LIMIT ?`, micros(limit), after, cleanBatch)
		if err != nil || len(old) == 0 {
			return removed, err
		}
		after = old[len(old)-1]
		for _, digest := range old {
			known, err := named(ctx, digest)
			if err != nil {
				return removed, err
			}
			if known {
				continue
			}
			result, err := b.p.pool.ExecContext(ctx, `DELETE FROM blobs WHERE digest = $1 AND created < $2`, digest, micros(limit))
			if err != nil {
				return removed, err
			}
			n, err := result.RowsAffected()
			if err != nil {
				return removed, err
			}
			removed += int(n)
		}
	}
}
