package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
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

// connect opens the pool of readers and the one writing connection.
func (s *Store) connect(ctx context.Context) (err error) {
	if s.readers, err = sql.Open("sqlite", dataSource(s.path, pragmasReader)); err != nil {
		return err
	}
	s.readers.SetMaxOpenConns(readers)
	s.readers.SetMaxIdleConns(readers)
	if s.writers, err = sql.Open("sqlite", dataSource(s.path, pragmasWriter)); err != nil {
		return err
	}
	s.writers.SetMaxOpenConns(1)
	s.writer, err = newSession(ctx, s.path, s.writers)
	return err
}

// session is the pinned writing connection with its prepared statements. It is
// used by one goroutine at a time: the one that holds Store.turn.
type session struct {
	path  string
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func newSession(ctx context.Context, path string, db *sql.DB) (*session, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	// Waiting for the lock is done in begin, where the context is heard.
	if _, err := conn.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
		return nil, fmt.Errorf("%w (%w)", err, conn.Close())
	}
	return &session{path: path, conn: conn, stmts: map[string]*sql.Stmt{}}, nil
}

func (w *session) close() error {
	for _, stmt := range w.stmts {
		stmt.Close() //nolint:errcheck // the connection goes with it
	}
	return w.conn.Close()
}

// prepared returns the statement for a query text, prepared once.
func (w *session) prepared(query string) (*sql.Stmt, error) {
	if stmt, ok := w.stmts[query]; ok {
		return stmt, nil
	}
	stmt, err := w.conn.PrepareContext(context.Background(), query)
	if err == nil {
		w.stmts[query] = stmt
	}
	return stmt, err
}

func (w *session) exec(query string, args ...any) (sql.Result, error) {
	stmt, err := w.prepared(query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(context.Background(), args...)
}

// begin starts a transaction that may write, waiting until other processes let
// go of the file or ctx ends. It tries often rather than seldom: a busy worker
// leaves the file free for moments only.
func (w *session) begin(ctx context.Context) error {
	for wait := 200 * time.Microsecond; ; wait = min(2*wait, 5*time.Millisecond) {
		_, err := w.exec("BEGIN IMMEDIATE")
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
