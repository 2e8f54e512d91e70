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

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// cleanBatch bounds how long a cleaning keeps other writers waiting.
const cleanBatch = 2000

// orphanAge is how long a blob without a row stays: its row may be on its way.
const orphanAge = 24 * time.Hour

// Clean removes what r allows, in small transactions: it may be interrupted and
// called again. A version counts from the moment it was replaced and goes after
// those that are older; the current version of a document is never removed. Blobs
// without a row are looked at only when all campaigns are meant.
func (s *Store) Clean(ctx context.Context, r rows.Retention) (rows.Removed, error) {
	var done rows.Removed
	for _, step := range []struct {
		count *int
		since time.Time
		do    func(context.Context, rows.Retention) (int, error)
	}{
		{&done.Items, r.Items, s.cleanItems},
		{&done.Runs, r.Runs, s.cleanRuns},
		{&done.Ledger, r.Ledger, s.cleanLedger},
		{&done.Versions, r.Versions, s.cleanVersions},
		{new(int), r.Raw, s.cleanRaw},
	} {
		if step.since.IsZero() {
			continue
		}
		n, err := step.do(ctx, r)
		*step.count = n
		if err != nil {
			return done, fault("clean", r.Campaign, err)
		}
	}
	if r.Campaign != "" {
		return done, nil
	}
	if err := s.brief(ctx, "clean", "places in line", `DELETE FROM waiters WHERE until < {now} - 3600000000`); err != nil {
		return done, err
	}
	n, err := s.bucket.clean(ctx, time.Now().Add(-orphanAge), s.named)
	done.Blobs = n
	return done, fault("clean blobs", s.bucket.place(), err)
}

// drain repeats a statement that removes at most cleanBatch rows until it
// removes none.
func (s *Store) drain(ctx context.Context, query string, args ...any) (int, error) {
	total := 0
	for {
		var n int64
		err := s.write(ctx, "clean", "", func(t *tx) (err error) {
			n, err = t.exec(query, append(args, cleanBatch)...)
			return err
		})
		total += int(n)
		if err != nil || n == 0 {
			return total, err
		}
	}
}

// cleanItems removes the items of closed runs, with the claims on them.
func (s *Store) cleanItems(ctx context.Context, r rows.Retention) (int, error) {
	const closed = `SELECT id FROM runs WHERE state = 'closed' AND closed_at < ? AND (? = '' OR campaign = ?)`
	args := []any{micros(r.Items), r.Campaign, r.Campaign}
	if _, err := s.drain(ctx, `DELETE FROM claims WHERE (run, queue, seat) IN (SELECT run, queue, seat FROM claims WHERE run IN (`+closed+`) LIMIT ?)`, args...); err != nil {
		return 0, err
	}
	return s.drain(ctx, `DELETE FROM run_items WHERE (run, ord) IN (SELECT run, ord FROM run_items WHERE run IN (`+closed+`) LIMIT ?)`, args...)
}

// cleanRuns empties the rows of old runs, but of each campaign not the last
// KeepRuns; the items of a run that goes, go too.
func (s *Store) cleanRuns(ctx context.Context, r rows.Retention) (int, error) {
	old, err := collect(s.reader(ctx), scanNumber, `
		SELECT id FROM (SELECT id, state, closed_at, row_number() OVER (PARTITION BY campaign, recorded ORDER BY started_at DESC, id DESC) AS age FROM runs
			WHERE cleaned = 0 AND (? = '' OR campaign = ?)) aged WHERE state = 'closed' AND closed_at < ? AND age > ?`,
		r.Campaign, r.Campaign, micros(r.Runs), r.KeepRuns)
	if err != nil {
		return 0, err
	}
	for i, id := range old {
		if err := s.write(ctx, "clean run", "", func(t *tx) error { return stub(t, id) }); err != nil {
			return i, err
		}
	}
	return len(old), nil
}

// stub leaves of a run what others go on naming.
func stub(t *tx, run int64) error {
	for _, query := range []string{
		`DELETE FROM claims WHERE run = ?`, `DELETE FROM run_items WHERE run = ?`,
		`DELETE FROM outbox WHERE run = ? AND sent_at > 0`,
		`UPDATE runs SET cleaned = 1, overrides = '', totals = '', summary = '' WHERE id = ?`,
	} {
		if _, err := t.exec(query, run); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) cleanLedger(ctx context.Context, r rows.Retention) (int, error) {
	return s.drain(ctx, `DELETE FROM ledger WHERE id IN (SELECT l.id FROM ledger l LEFT JOIN items i ON i.id = l.item
		WHERE l.at < ? AND (? = '' OR i.campaign = ?) LIMIT ?)`, micros(r.Ledger), r.Campaign, r.Campaign)
}

// cleanVersions cuts the line of versions behind each one that replaced another
// before the moment.
func (s *Store) cleanVersions(ctx context.Context, r rows.Retention) (int, error) {
	total, after := 0, int64(0)
	for {
		var links []link
		n := 0
		err := s.write(ctx, "clean versions", "", func(t *tx) (err error) {
			links, n, err = cutVersions(t, r, after)
			return err
		})
		total += n
		if err != nil || len(links) == 0 {
			return total, err
		}
		after = links[len(links)-1].number
	}
}

// link is a version that replaced another one, and where the body of that is.
type link struct{ number, before, pack int64 }

func cutVersions(t *tx, r rows.Retention, after int64) (links []link, cut int, err error) {
	links, err = collect(t, func(s scanner) (l link, err error) { return l, s.Scan(&l.number, &l.before, &l.pack) }, `
		SELECT v.number, v.before, coalesce(o.pack, 0) FROM versions v LEFT JOIN versions o ON o.number = v.before LEFT JOIN items i ON i.id = v.item
		WHERE v.number > ? AND v.before > 0 AND v.at < ? AND (? = '' OR i.campaign = ?) ORDER BY v.number LIMIT ?`,
		after, micros(r.Versions), r.Campaign, r.Campaign, cleanBatch)
	if err != nil {
		return nil, 0, err
	}
	for _, l := range links {
		n, err := cutVersion(t, l)
		if err != nil {
			return nil, 0, err
		}
		cut += n
	}
	if cut > 0 {
		_, err = t.exec(`UPDATE sequences SET value = value + ? WHERE name = 'cut'`, cut)
	}
	return links, cut, err
}

// cutVersion removes a version that was replaced, unless an older one stays: the
// line behind that one would be nobody's any more, and never be removed.
func cutVersion(t *tx, l link) (cut int, err error) {
	n, err := t.exec(`UPDATE versions SET before = 0 WHERE number = ? AND NOT EXISTS (SELECT 1 FROM versions o WHERE o.number = ? AND o.before > 0)`, l.number, l.before)
	if err != nil || n == 0 {
		return 0, err
	}
	if n, err = t.exec(`DELETE FROM versions WHERE number = ?`, l.before); err != nil || l.pack == 0 {
		return int(n), err
	}
	return int(n), unpack(t, l.pack)
}

// unpack counts one body of a pack as gone, and removes a pack without any.
func unpack(t *tx, pack int64) error {
	if _, err := t.exec(`UPDATE packs SET live = live - 1 WHERE id = ?`, pack); err != nil {
		return err
	}
	_, err := t.exec(`DELETE FROM packs WHERE id = ? AND live <= 0`, pack)
	return err
}

// cleanRaw lets go of kept answers; their blobs become orphans.
func (s *Store) cleanRaw(ctx context.Context, r rows.Retention) (int, error) {
	return s.drain(ctx, `UPDATE ledger SET raw = '' WHERE id IN (SELECT l.id FROM ledger l LEFT JOIN items i ON i.id = l.item
		WHERE l.raw <> '' AND l.at < ? AND (? = '' OR i.campaign = ?) LIMIT ?)`, micros(r.Raw), r.Campaign, r.Campaign)
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

// orphan reports whether no row names a file of the bucket. What is left of a
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
