package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/vendemmia/vendemmia/harvest"
)

//go:embed migrations/sqlite/*.sql migrations/postgres/*.sql
var embedded embed.FS

// migrationSource is the folder of migrations of one back end.
type migrationSource struct{ fs.FS }

func migrationFiles(engine string) migrationSource {
	sub, err := fs.Sub(embedded, "migrations/"+engine)
	if err != nil {
		panic(err) // the paths are constants of this package
	}
	return migrationSource{sub}
}

// How often bringing the schema up to date is tried again, because another
// process holds the file, or because it was doing the same at that moment. A try
// that found a newer schema than the one before counts from the beginning.
const (
	attemptsBusy   = 200
	attemptsFailed = 4
	attemptsPause  = 25 * time.Millisecond
	sayBusyEvery   = 3 * time.Second
)

// migration is one process bringing one file up to date.
type migration struct {
	db      *sql.DB
	path    string
	options Options
	files   migrationSource
	log     *slog.Logger
	fresh   bool // the file was empty
	copied  bool
	version int64 // of the schema, as the last try found it
}

// migrate brings the schema up to date, or says why it must not.
func migrate(ctx context.Context, path string, o Options, files migrationSource, log *slog.Logger) error {
	fresh, err := inspect(ctx, path)
	if err != nil {
		return err
	}
	if fresh && !o.Create {
		return wrongAddress(path, "the file holds no store", "check the folder you are in and the store that is configured")
	}
	db, err := sql.Open("sqlite", dataSource(path, pragmasWriter))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	m := &migration{db: db, path: path, options: o, files: files, log: log, fresh: fresh}
	return errors.Join(m.tryOften(ctx), db.Close())
}

func (m *migration) tryOften(ctx context.Context) error {
	said := time.Now()
	for busy, failed, version := 0, 0, int64(0); ; {
		err := m.try(ctx)
		if _, final := errors.AsType[*harvest.Error](err); err == nil || final || ctx.Err() != nil {
			return err
		}
		switch {
		case isBusy(err):
			busy++
			said = m.sayBusy(said)
		case m.version > version:
			version, failed = m.version, 0
		default:
			failed++
		}
		if busy == attemptsBusy || failed == attemptsFailed {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(attemptsPause):
		}
	}
}

// sayBusy says now and then who is waited for; it returns when it last did.
func (m *migration) sayBusy(said time.Time) time.Time {
	if time.Since(said) < sayBusyEvery {
		return said
	}
	m.log.Warn("waits to open the store", "path", m.path, "why", holder(m.path))
	return time.Now()
}

func (m *migration) try(ctx context.Context) error {
	if m.fresh { // before any table, so that no other process takes it for somebody else's
		if _, err := m.db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
			return err
		}
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, m.db, m.files, goose.WithDisableGlobalRegistry(true), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	m.version = current
	if current == 0 {
		return m.create(ctx, provider, target)
	}
	return m.upgrade(ctx, provider, current, target)
}

// inspect tells an empty file from a store, and refuses any other database. It
// changes nothing: not even the journal mode of somebody else's file.
func inspect(ctx context.Context, path string) (fresh bool, err error) {
	db, err := sql.Open("sqlite", fileAddress(path)+"?mode=rw&_pragma=busy_timeout(5000)")
	if err != nil {
		return false, err
	}
	defer db.Close()
	var id, tables int
	// In this order: a store that is just being made has its mark before tables.
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return false, err
	}
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return false, err
	}
	if id == applicationID || id == 0 && tables == 0 {
		return tables == 0, nil
	}
	return false, wrongAddress(path, "this is a database of another program", "name the file of a store, or a path where nothing is")
}

// create fills an empty file: the schema, and the store's own name.
func (m *migration) create(ctx context.Context, provider *goose.Provider, target int64) error {
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	m.options.migrated(0, target)
	return name(ctx, m.db, nameSQLite)
}

// upgrade compares the schema with the program's and migrates forward, after a
// copy was made. A schema that is newer by one step works too: migrations only
// add, and take away one release later.
func (m *migration) upgrade(ctx context.Context, provider *goose.Provider, current, target int64) error {
	if older, err := mayMigrate(m.path, m.options.Migrate, current, target); err != nil {
		return err
	} else if !older {
		return name(ctx, m.db, nameSQLite)
	}
	if !m.copied {
		if err := keepCopy(ctx, m.db, m.path, current); err != nil {
			return err
		}
		m.copied = true
	}
	m.log.Info("migrating the store", "path", m.path, "from", current, "to", target)
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	m.options.migrated(current, target)
	return name(ctx, m.db, nameSQLite) // its creator may be between two migrations, or dead
}

func (o Options) migrated(from, to int64) {
	if o.Migrated != nil {
		o.Migrated(from, to)
	}
}

// mayMigrate compares the schema of a store with the program's. It reports
// whether the schema is older and may be migrated.
func mayMigrate(on string, mode MigrateMode, current, target int64) (older bool, err error) {
	switch {
	case current > target+1:
		return false, wrongVersion(on, current, target, "newer", "use a newer program")
	case current >= target:
		return false, nil
	case mode == MigrateNever:
		return true, wrongVersion(on, current, target, "older", "migrate it first: starter setup --migrate")
	default:
		return true, nil
	}
}

const nameSQLite = "INSERT INTO meta (name, value) VALUES ('id', ?), ('epoch', '1') ON CONFLICT DO NOTHING"

// name gives the store its identity; of several processes the first one wins.
func name(ctx context.Context, db *sql.DB, insert string) error {
	var known int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM meta").Scan(&known); err != nil || known > 0 {
		return err
	}
	id := make([]byte, 4)
	rand.Read(id) // never fails
	_, err := db.ExecContext(ctx, insert, hex.EncodeToString(id))
	return err
}

func wrongVersion(path string, current, target int64, relation, advice string) error {
	return &harvest.Error{
		Kind: harvest.KindMisconfigured, Op: "open store", On: path, Advice: advice,
		Err: fmt.Errorf("its schema is version %d, %s than this program's %d", current, relation, target),
	}
}

// keepCopy writes a whole copy beside the file.
func keepCopy(ctx context.Context, db *sql.DB, path string, version int64) error {
	err := wholeFile(fmt.Sprintf("%s.before-%d", path, version), func(part string) error { return vacuumInto(ctx, db, part) })
	if err != nil {
		return fmt.Errorf("copy before migrating: %w", err)
	}
	return nil
}
