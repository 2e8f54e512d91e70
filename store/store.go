package store

import (
	"context"
	"errors"
	"log/slog"
	"sync"
)

// MigrateMode says whether Open may bring the schema up to date.
type MigrateMode string

// The modes; the zero value is MigrateAuto, which migrates a file and leaves a
// database that others share alone.
const (
	MigrateAuto   MigrateMode = "auto"
	MigrateNever  MigrateMode = "never"
	MigrateAlways MigrateMode = "always"
)

// Options of Open. The zero value opens an existing store.
type Options struct {
	Migrate MigrateMode
	// Create makes a new store if there is no store at the address; without it that is
	// an error.
	Create bool
	// Blobs is the folder of large bodies; default: "blobs" beside a SQLite file,
	// and a table of a PostgreSQL database, because workers on several machines
	// share no folder.
	Blobs string
	// Connections is how many are held to a PostgreSQL server at most, at any
	// time: one writes, the others read. 0 is 4, the least is 2. SQLite ignores it.
	Connections int
	// Migrated is called when Open has brought the schema from one version to
	// another; from 0 for a store that was made. nil: nobody asks.
	Migrated func(from, to int64)
	// Purpose is shown by PostgreSQL beside each connection ("worker"); default:
	// the program's name.
	Purpose string
	// Log is told of migrations and of retried writes; nil discards.
	Log *slog.Logger

	nap string // how long the writing connection may sleep in a transaction
}

// Store is an open store. All methods may be called at once from many
// goroutines. Errors are *harvest.Error (KindInternal for faults of the store,
// KindMisconfigured for a wrong address), or wrap one of the errors of package
// rows.
type Store struct {
	engine engine
	id     string
	log    *slog.Logger
	codec  *codec
	turn   chan struct{} // holds the right to use the writing connection

	group   group
	trouble troubled
	done    sync.WaitGroup
}

// Open opens the store at an address: "sqlite:PATH", a bare path, or
// "postgres://USER@HOST:PORT/DATABASE" (also "postgresql:"). What is found there
// must be a store of this or the next schema version. An older SQLite file is
// migrated after it was copied, unless Options.Migrate says never; an older
// PostgreSQL database is refused, unless it says always.
//
// A password for PostgreSQL comes from PGPASSWORD, from a password file
// (PGPASSFILE, ~/.pgpass) or from the address; no text of this package repeats
// it.
func Open(ctx context.Context, address string, o Options) (*Store, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if isPostgres(address) {
		server, err := newPostgres(address, o, migrationFiles("postgres"))
		if err != nil {
			return nil, err
		}
		return open(ctx, server, o)
	}
	path, err := sqlitePath(address)
	if err != nil {
		return nil, err
	}
	return open(ctx, newSQLite(path, o, migrationFiles("sqlite")), o)
}

func open(ctx context.Context, e engine, o Options) (*Store, error) {
	s := &Store{engine: e, log: o.Log, turn: make(chan struct{}, 1), trouble: troubled{log: o.Log}}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fault("open store", e.address(), err), s.closeFiles())
	}
	s.group.init()
	s.done.Go(s.runGroups)
	return s, nil
}

// prepare does all of Open that can fail.
func (s *Store) prepare(ctx context.Context) (err error) {
	if s.codec, err = newCodec(); err != nil {
		return err
	}
	if err = s.engine.open(ctx); err != nil {
		return err
	}
	return s.identify(ctx)
}

// identify reads the store's own name, which was made with it.
func (s *Store) identify(ctx context.Context) error {
	return scanOne(s.reader(ctx), []any{&s.id}, "SELECT value FROM meta WHERE name = 'id'")
}

// Close waits for the writes in hand, refuses further ones and closes the
// files. Calling it twice is harmless.
func (s *Store) Close() error {
	s.group.close()
	s.done.Wait()
	s.turn <- struct{}{} // a transaction beside the groups may be in hand
	defer s.giveTurn()
	return fault("close store", s.Address(), s.closeFiles())
}

func (s *Store) closeFiles() error {
	err := s.engine.close()
	s.codec.close()
	return err
}

// ID names this store; it was made when the store was created.
func (s *Store) ID() string { return s.id }

// Schema returns the version of the store's schema.
func (s *Store) Schema(ctx context.Context) (int64, error) {
	version, err := number(s.reader(ctx), "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied")
	return version, fault("read schema version", s.Address(), err)
}

// Address is printable and opens the same store again; a password is not in it.
func (s *Store) Address() string { return s.engine.address() }
