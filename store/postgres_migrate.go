package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"

	"github.com/pressly/goose/v3"
)

// migrate brings the schema up to date, or says why it must not. Any number of
// processes may do so at once: they wait for each other.
func (p *postgres) migrate(ctx context.Context) error {
	// One connection: the lock is the session's.
	db := p.connections("migrates", settingsAll, 1)
	return errors.Join(p.migrateAlone(ctx, db), db.Close())
}

func (p *postgres) migrateAlone(ctx context.Context, db *sql.DB) error {
	if err := p.checkEncoding(ctx, db); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "SELECT pg_advisory_lock($1, 0)", lockMigrate); err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, p.files, goose.WithDisableGlobalRegistry(true), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return err
	}
	fresh, err := p.inspect(ctx, db)
	if err != nil {
		return err
	}
	if fresh {
		return p.create(ctx, db, provider)
	}
	return p.upgrade(ctx, db, provider)
}

// checkEncoding refuses a database that cannot hold every text.
func (p *postgres) checkEncoding(ctx context.Context, db *sql.DB) error {
	var encoding string
	if err := db.QueryRowContext(ctx, "SHOW server_encoding").Scan(&encoding); err != nil || encoding == "UTF8" {
		return err
	}
	return wrongAddress(p.shown, "the database has the encoding "+encoding, "make one for UTF-8: createdb -E UTF8 -T template0 NAME")
}

// inspect tells an empty schema from a store, and refuses any other. It changes
// nothing.
func (p *postgres) inspect(ctx context.Context, db *sql.DB) (fresh bool, err error) {
	var ours, others int
	err = db.QueryRowContext(ctx, `SELECT count(*) FILTER (WHERE relname IN ('meta', 'sequences', 'run_items')), count(*) FILTER (WHERE relname <> 'goose_db_version')
		FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm')`).Scan(&ours, &others)
	switch {
	case err != nil:
		return false, err
	case ours == 3:
		return false, nil
	case others > 0:
		return false, wrongAddress(p.shown, "this is a database of another program", "name the database of a store, or an empty one: createdb -E UTF8 -T template0 NAME")
	case !p.options.Create:
		return false, wrongAddress(p.shown, "there is no store here", "check the database that is configured; `starter setup --migrate --create` makes a new store in it")
	default:
		return true, nil
	}
}

func (p *postgres) create(ctx context.Context, db *sql.DB, provider *goose.Provider) error {
	if _, err := provider.Up(ctx); err != nil {
		return err
	}
	_, target, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	p.options.migrated(0, target)
	return name(ctx, db, namePostgres)
}

const namePostgres = "INSERT INTO meta (name, value) VALUES ('id', $1), ('epoch', '1') ON CONFLICT DO NOTHING"

// migrateMode refuses to migrate by the way: programs of the version before may be
// at work on the same database. A store whose creator died before it had a name is
// nobody's yet, and who may create it goes on.
func (p *postgres) migrateMode(ctx context.Context, db *sql.DB) (MigrateMode, error) {
	if p.options.Migrate == MigrateAlways {
		return MigrateAlways, nil
	}
	var named bool
	if err := db.QueryRowContext(ctx, "SELECT count(*) > 0 FROM meta WHERE name = 'id'").Scan(&named); err != nil {
		return MigrateNever, err
	}
	if !named && p.options.Create {
		return MigrateAlways, nil
	}
	return MigrateNever, nil
}

func (p *postgres) upgrade(ctx context.Context, db *sql.DB, provider *goose.Provider) error {
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	mode, err := p.migrateMode(ctx, db)
	if err != nil {
		return err
	}
	older, err := mayMigrate(p.shown, mode, current, target)
	if err != nil {
		return err
	}
	if older {
		p.options.Log.Info("migrating the store", "store", p.shown, "from", current, "to", target)
		if _, err := provider.Up(ctx); err != nil {
			return fmt.Errorf("migrate from version %d to %d: %w", current, target, err)
		}
		p.options.migrated(current, target)
	}
	return name(ctx, db, namePostgres) // its creator may have died before it did
}
