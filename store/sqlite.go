package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// What every connection is set to.
//
// synchronous FULL makes a commit survive a power cut and not only a kill: a
// follower of the change feed must never see a number twice with two contents.
// It costs one fsync per group of writes, about a twentieth of the time of full
// pages. A page of 8 kB holds a dozen documents. The write-ahead log is folded
// back every 64 MB, so that the same page is copied once for many commits. The
// caches keep the whole process small.
const (
	pragmasAll    = "_pragma=busy_timeout(5000)&_pragma=page_size(8192)&_pragma=journal_mode(WAL)&_pragma=foreign_keys(0)&_pragma=temp_store(MEMORY)&_dqs=0"
	pragmasWriter = "&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(8000)&_pragma=journal_size_limit(134217728)&_pragma=cache_size(-16000)"
	pragmasReader = "&_pragma=query_only(1)&_pragma=cache_size(-2000)"
	readers       = 4
)

// applicationID marks the file as one of ours ("Vend"), so that no other
// database is ever migrated by mistake.
const applicationID = 0x56656e64

func dataSource(path, pragmas string) string {
	return fileAddress(path) + "?mode=rw&" + pragmasAll + pragmas
}

func fileAddress(path string) string { return "file:" + (&url.URL{Path: path}).EscapedPath() }

// sqliteFile is the engine over one file.
type sqliteFile struct {
	path    string
	options Options
	files   migrationSource
	pool    *sql.DB
	writers *sql.DB
	writer  *sqliteSession
}

func newSQLite(path string, o Options, files migrationSource) *sqliteFile {
	return &sqliteFile{path: path, options: o, files: files}
}

func (f *sqliteFile) address() string { return "sqlite:" + f.path }

// batchDelay is 0: a transaction costs little.
func (f *sqliteFile) batchDelay() time.Duration { return 0 }

func (f *sqliteFile) folder() folder { return newFolder(f.path, f.options.Blobs) }

func (f *sqliteFile) putBlob(_ context.Context, digest string, content []byte) error {
	return f.folder().put(digest, content)
}

func (f *sqliteFile) open(ctx context.Context) error {
	if err := ensureFile(f.path, f.options.Create); err != nil {
		return err
	}
	if err := migrate(ctx, f.path, f.options, f.files, f.options.Log); err != nil {
		return err
	}
	return f.connect(ctx)
}

// connect opens the pool of readers and the one writing connection.
func (f *sqliteFile) connect(ctx context.Context) (err error) {
	if f.pool, err = sql.Open("sqlite", dataSource(f.path, pragmasReader)); err != nil {
		return err
	}
	f.pool.SetMaxOpenConns(readers)
	f.pool.SetMaxIdleConns(readers)
	if f.writers, err = sql.Open("sqlite", dataSource(f.path, pragmasWriter)); err != nil {
		return err
	}
	f.writers.SetMaxOpenConns(1)
	f.writer, err = newSession(ctx, f.path, f.writers)
	return err
}

func (f *sqliteFile) close() error {
	var errs []error
	if f.writer != nil {
		errs = append(errs, f.writer.close())
		f.writer = nil
	}
	for _, db := range []*sql.DB{f.pool, f.writers} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

func (f *sqliteFile) read(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return f.pool.QueryContext(ctx, query, args...)
}

func (f *sqliteFile) probe(q querier, documents []document) (map[docName]*docState, error) {
	return probeSQLite(q, documents)
}

func (f *sqliteFile) timed(query string) string {
	return strings.ReplaceAll(query, "{now}", "CAST(unixepoch('subsec') * 1000000 AS INTEGER)")
}

func (f *sqliteFile) calendar(column, unit string) string {
	layouts := map[string]string{"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m"}
	return "strftime('" + layouts[unit] + "', " + column + " / 1000000, 'unixepoch')"
}

func (f *sqliteFile) jsonNumber(column, key string) string {
	return "json_extract(nullif(" + column + ", ''), '$." + key + "')"
}

func (f *sqliteFile) locked(query, _ string) string { return query }

// transact needs no lock: the file has one writer at a time.
func (f *sqliteFile) transact(ctx context.Context, _ lock, fn func(*tx) error) (err error) {
	if err := f.writer.begin(ctx); err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			f.writer.run("ROLLBACK") // SQLite may have rolled back by itself
		}
	}()
	if err := fn(&tx{f.writer}); err != nil {
		return err
	}
	if _, err = f.writer.run("COMMIT"); err != nil {
		return err
	}
	committed = true
	return nil
}

// sqliteSession is the pinned writing connection with its prepared statements.
// It is used by one goroutine at a time: the one that holds Store.turn.
type sqliteSession struct {
	path  string
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func newSession(ctx context.Context, path string, db *sql.DB) (*sqliteSession, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	// Waiting for the lock is done in begin, where the context is heard.
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return nil, fmt.Errorf("%w (%w)", err, conn.Close())
	}
	return &sqliteSession{path: path, conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

func (w *sqliteSession) close() error {
	for _, stmt := range w.stmts {
		stmt.Close() // the connection goes with it
	}
	return w.conn.Close()
}

// prepared returns the statement for a query text, prepared once.
func (w *sqliteSession) prepared(query string) (*sql.Stmt, error) {
	if stmt, ok := w.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(context.Background(), query)
	if err == nil {
		w.stmts[query] = stmt
	}
	return stmt, err
}

func (w *sqliteSession) run(query string, args ...any) (sql.Result, error) {
	stmt, err := w.prepared(query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(context.Background(), args...)
}

func (w *sqliteSession) exec(query string, args ...any) (int64, error) {
	result, err := w.run(query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (w *sqliteSession) insert(query string, args ...any) (int64, error) {
	result, err := w.run(query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func (w *sqliteSession) rows(query string, args ...any) (*sql.Rows, error) {
	stmt, err := w.prepared(query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(context.Background(), args...)
}

// begin starts a transaction that may write, waiting until other processes let
// go of the file or ctx ends. It tries often rather than seldom: a busy worker
// leaves the file free for moments only.
func (w *sqliteSession) begin(ctx context.Context) error {
	for wait := 200 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		_, err := w.run("BEGIN IMMEDIATE")
		if !isBusy(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w", holder(w.path), context.Cause(ctx))
		case <-time.After(wait):
		}
	}
}
