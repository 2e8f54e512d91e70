package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// BackupOptions of Backup.
type BackupOptions struct {
	// Folder takes the copies; it is made, with mode 0700, where it is not there.
	Folder string
	// Keep is how many copies of this store stay, the newest; 0 keeps all. Blobs of
	// removed copies stay.
	Keep int
	Now  time.Time // names the copy
}

// Backup copies the store while work goes on, and returns what it wrote: the
// database as it was at one moment, durable under its name only when it is
// whole, and every blob that is not in the folder yet. A copy of PostgreSQL is made
// by pg_dump, which must be on PATH. Calling it again after an error is safe.
//
// Blobs are copied before the database, because the cleaner may remove one that
// the copy still names, and after it, because new ones may have come.
func (s *Store) Backup(ctx context.Context, o BackupOptions) (rows.Backup, error) {
	name := fmt.Sprintf("vendemmia-%s-%s", s.id, o.Now.UTC().Format("20060102T150405Z"))
	to := filepath.Join(o.Folder, name+s.engine.copyKind())
	made := rows.Backup{Path: to}
	err := makeFolder(o.Folder)
	for _, step := range []func() error{
		func() error { return s.copyBlobs(ctx, o.Folder, &made) },
		func() error { return s.copyDatabase(ctx, to) },
		func() error { return s.copyBlobs(ctx, o.Folder, &made) },
		func() error { return s.dropCopies(o, &made) },
	} {
		if err == nil {
			err = step()
		}
	}
	if info, missing := os.Stat(to); missing == nil {
		made.Bytes = info.Size()
	}
	return made, fault("back up to", o.Folder, err)
}

func (s *Store) copyDatabase(ctx context.Context, to string) error {
	return wholeFile(to, func(part string) error { return s.engine.copyTo(ctx, part) })
}

// wholeFile makes a file durable, for its owner alone, before its name appears;
// write makes it under another name. A leftover of an earlier try is replaced.
func wholeFile(to string, write func(part string) error) error {
	part := to + ".part"
	if err := errors.Join(os.RemoveAll(part), write(part)); err != nil {
		return errors.Join(err, os.RemoveAll(part))
	}
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o600), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(part, to); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// copyBlobs copies the files that the folder lacks; blobs never change.
func (s *Store) copyBlobs(ctx context.Context, into string, made *rows.Backup) error {
	from := s.engine.folder()
	if from.root == "" {
		return nil
	}
	to := folder{root: filepath.Join(into, "blobs")}
	return filepath.WalkDir(from.root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // no blobs yet, or a folder that was cleaned meanwhile
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), "."):
			return nil
		}
		return copyBlob(path, filepath.Join(to.root, filepath.Base(filepath.Dir(path)), entry.Name()), made)
	})
}

func copyBlob(from, to string, made *rows.Backup) error {
	there, missing := os.Stat(to)
	if info, err := os.Stat(from); missing == nil && err == nil && there.Size() == info.Size() {
		return nil
	}
	content, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // cleaned meanwhile
	}
	if err != nil {
		return err
	}
	made.Blobs++
	return writeFile(to, content)
}

// dropCopies removes this store's older copies, which sort by their time.
func (s *Store) dropCopies(o BackupOptions, made *rows.Backup) error {
	copies, err := filepath.Glob(filepath.Join(o.Folder, "vendemmia-"+s.id+"-*"+s.engine.copyKind()))
	if err != nil || o.Keep == 0 || len(copies) <= o.Keep {
		return err
	}
	slices.Sort(copies)
	made.Removed = copies[:len(copies)-o.Keep]
	for _, path := range made.Removed {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

func (f *sqliteFile) copyKind() string { return ".db" }

// copyTo needs a connection that may write, though it writes nothing here.
func (f *sqliteFile) copyTo(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dataSource(f.path, ""))
	if err != nil {
		return err
	}
	return errors.Join(vacuumInto(ctx, db, path), db.Close())
}

func vacuumInto(ctx context.Context, db *sql.DB, path string) error {
	_, err := db.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}
