package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// cleanBlobs removes from the table what is old and no row names. A blob that
// became young meanwhile stays: somebody has just put it again and names it.
func (s *Store) cleanBlobs(ctx context.Context, limit time.Time) (total int, err error) {
	const orphans = `created < ? AND NOT EXISTS (SELECT 1 FROM ledger WHERE raw = blobs.digest AND raw <> '')
		AND NOT EXISTS (SELECT 1 FROM versions WHERE body_ref = blobs.digest AND body_ref <> '')`
	var at int64
	for after := ""; ; {
		list, err := collect(s.reader(ctx), func(s scanner) (digest string, err error) { return digest, s.Scan(&at, &digest) },
			`SELECT created, digest FROM blobs WHERE (created, digest) > (?, ?) AND `+orphans+` ORDER BY created, digest LIMIT ?`, at, after, micros(limit), cleanBatch)
		if err != nil || len(list) == 0 {
			return total, err
		}
		var n int64
		err = s.cleanOnce(ctx, func(t *tx) (err error) {
			n, err = t.exec(`DELETE FROM blobs WHERE digest IN (SELECT value FROM json_each(?)) AND `+orphans, text(list), micros(limit))
			return err
		})
		if total += int(n); err != nil {
			return total, err
		}
		after = list[len(list)-1]
	}
}

// named reports whether a row names a blob.
func (s *Store) named(ctx context.Context, digest string) (bool, error) {
	n, err := number(s.reader(ctx), `SELECT CASE WHEN EXISTS (SELECT 1 FROM versions WHERE body_ref = ?1 AND body_ref <> '')
		OR EXISTS (SELECT 1 FROM ledger WHERE raw = ?1 AND raw <> '') THEN 1 ELSE 0 END`, digest)
	return n > 0, err
}

type isNamed = func(ctx context.Context, digest string) (bool, error)

func (b folder) clean(ctx context.Context, limit time.Time, named isNamed) (int, error) {
	removed := 0
	if b.root == "" {
		return 0, nil
	}
	err := filepath.WalkDir(b.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return cmp.Or(ctx.Err(), ignoreMissing(err))
		}
		info, err := entry.Info()
		if err != nil || info.ModTime().After(limit) {
			return ignoreMissing(err)
		}
		if name, ok := strings.CutPrefix(entry.Name(), oldMark); ok { // a cleaning was killed here
			return os.Rename(path, filepath.Join(filepath.Dir(path), name))
		}
		orphan, err := b.orphan(ctx, path, named)
		if err != nil || !orphan {
			return err
		}
		gone, err := removeOld(path, limit)
		if gone {
			removed++
		}
		return err
	})
	return removed, err
}

// oldMark is the beginning of a name on its way out.
const oldMark = ".old-"

// removeOld removes a file unless it became young: then somebody has just put
// the same bytes again and is about to name them.
func removeOld(path string, limit time.Time) (bool, error) {
	away := filepath.Join(filepath.Dir(path), oldMark+filepath.Base(path))
	if err := os.Rename(path, away); err != nil {
		return false, ignoreMissing(err)
	}
	info, err := os.Stat(away)
	if err == nil && info.ModTime().After(limit) {
		return false, os.Rename(away, path)
	}
	return err == nil, errors.Join(err, os.Remove(away))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// orphan reports whether no row names a file of the folder. What is left of a
// write that was killed is an orphan too; any other file is not ours.
func (b folder) orphan(ctx context.Context, path string, named isNamed) (bool, error) {
	if strings.HasPrefix(filepath.Base(path), ".part-") {
		return true, nil
	}
	digest := sha256Prefix + filepath.Base(filepath.Dir(path)) + filepath.Base(path)
	if file, err := b.file(digest); err != nil || file != path {
		return false, nil
	}
	known, err := named(ctx, digest)
	return err == nil && !known, err
}
