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
	"os"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/vendemmia/vendemmia/harvest"
)

//go:embed migrations/sqlite/*.sql
var embedded embed.FS

// migrationSource is the folder of migrations of one back end.
type migrationSource struct{ fs.FS }

func migrationFiles() migrationSource {
	sub, err := fs.Sub(embedded, "migrations/sqlite")
	if err != nil {
		panic(err) // the path is a constant of this file
	}
	return migrationSource{sub}
}

// migrationAttempts bounds how often a migration is tried again because another
// process was migrating at the same moment.
const migrationAttempts = 40

// migrate brings the schema up to date, or says why it must not.
func migrate(ctx context.Context, path string, o Options, files migrationSource, log *slog.Logger) error {
	db, err := sql.Open("sqlite", dataSource(path, pragmasWriter))
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for attempt := 1; ; attempt++ {
		err = migrateOnce(ctx, db, path, o, files, log)
		if _, final := errors.AsType[*harvest.Error](err); err == nil || final || attempt == migrationAttempts || ctx.Err() != nil || !contended(err) {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(25 * time.Millisecond):
		}
	}
}

// contended reports whether an error may come from another process that is
// creating or migrating the same file.
func contended(err error) bool {
	_, partial := errors.AsType[*goose.PartialError](err)
	return partial || isBusy(err) || code(err) == 1 // SQLITE_ERROR: "table … already exists"
}

func migrateOnce(ctx context.Context, db *sql.DB, path string, o Options, files migrationSource, log *slog.Logger) error {
	fresh, err := inspect(ctx, db, path)
	if err != nil {
		return err
	}
	if fresh && !o.Create {
		return wrongAddress(path, "the file holds no store", "check the folder you are in and the store that is configured")
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	if fresh {
		return create(ctx, db, provider)
	}
	return upgrade(ctx, db, provider, path, o, log)
}

// inspect tells an empty file from a store, and refuses any other database.
func inspect(ctx context.Context, db *sql.DB, path string) (fresh bool, err error) {
	var id, tables int
	if err := db.QueryRowContext(ctx, "PRAGMA application_id").Scan(&id); err != nil {
		return false, err
	}
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'goose%'").Scan(&tables); err != nil {
		return false, err
	}
	if id == applicationID {
		return tables == 0, nil
	}
	if id != 0 || tables > 0 {
		return false, wrongAddress(path, "this is a database of another program", "name the file of a store, or a path where nothing is")
	}
	return true, nil
}

// create fills an empty file: the schema, and the store's own name.
func create(ctx context.Context, db *sql.DB, provider *goose.Provider) error {
	if _, err := db.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	return name(ctx, db)
}

// name gives the store its identity; of several processes the first one wins.
func name(ctx context.Context, db *sql.DB) error {
	var known int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM meta").Scan(&known); err != nil || known > 0 {
		return err
	}
	id := make([]byte, 4)
	rand.Read(id) //nolint:errcheck // never fails
	_, err := db.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ('id', ?), ('epoch', '1') ON CONFLICT DO NOTHING", hex.EncodeToString(id))
	return err
}

// upgrade compares the schema with the program's and migrates forward, after a
// copy was made. A schema that is newer by one step works too: migrations only
// add, and take away one release later.
func upgrade(ctx context.Context, db *sql.DB, provider *goose.Provider, path string, o Options, log *slog.Logger) error {
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	switch {
	case current > target+1:
		return wrongVersion(path, current, target, "newer", "use a newer program")
	case current >= target:
		return name(ctx, db) // its creator may have died before it did
	case current == 0:
		return create(ctx, db, provider)
	case o.Migrate == MigrateNever:
		return wrongVersion(path, current, target, "older", "migrate it first: start one process with --migrate=auto")
	}
	if err := keepCopy(ctx, db, path, current); err != nil {
		return err
	}
	log.Info("migrating the store", "path", path, "from", current, "to", target)
	_, err = provider.Up(ctx)
	return err
}

func wrongVersion(path string, current, target int64, relation, advice string) error {
	return &harvest.Error{
		Kind: harvest.KindMisconfigured, Op: "open store", On: path, Advice: advice,
		Err: fmt.Errorf("its schema is version %d, %s than this program's %d", current, relation, target),
	}
}

// keepCopy writes a whole copy beside the file; a leftover of an earlier try is
// replaced.
func keepCopy(ctx context.Context, db *sql.DB, path string, version int64) error {
	to := fmt.Sprintf("%s.before-%d", path, version)
	part := to + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return fmt.Errorf("copy before migrating: %w", err)
	}
	return os.Rename(part, to)
}
