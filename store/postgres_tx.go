package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// Advisory locks. All transactions share the first one, but for those that rename,
// reset or raise the epoch. The second one is for transactions that decide about
// something that has no row yet. Everything else is decided by rows that are locked.
//
// The order is always the same: the advisory locks, a run that is opened, run_items
// by key, the lock on an item's rows in quarantine, checkpoints, the row that counts
// changes, documents, items. Where two meet all the same, the server ends one of
// them, and it is done again.
const (
	lockAll        = 0x56656e64
	lockNamed      = 0x56656e65
	lockMigrate    = 0x56656e66
	lockQuarantine = 0x56656e67
)

// commitDelay is much less than a transaction takes.
const commitDelay = 500 * time.Microsecond

func (p *postgres) batchDelay() time.Duration { return commitDelay }

// optimists is how often a transaction may find that others changed its
// documents before it takes the count of changes, and with it the documents,
// first.
const optimists = 2

// pgSession is the pinned writing connection.
type pgSession struct {
	conn *sql.Conn
	ctx  context.Context // of the transaction
	sure bool            // it holds the count of changes from its beginning

	out pipeline // what goes with the next message

	served servedBy
}

// servedBy is the server's process behind a connection; its number alone may be
// given to another one.
type servedBy struct {
	pid   int64
	since string
}

func (w *pgSession) rows(query string, args ...any) (*sql.Rows, error) {
	if err := w.send(); err != nil {
		return nil, err
	}
	return w.conn.QueryContext(w.ctx, numbered(query), plain(args)...)
}

func (w *pgSession) exec(query string, args ...any) (int64, error) {
	if err := w.send(); err != nil {
		return 0, err
	}
	result, err := w.conn.ExecContext(w.ctx, numbered(query), plain(args)...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (w *pgSession) insert(query string, args ...any) (id int64, err error) {
	return id, scanOne(w, []any{&id}, query+" RETURNING id", args...)
}

// raw gives the driver's own connection.
func (w *pgSession) raw(fn func(*pgx.Conn) error) error {
	return w.conn.Raw(func(c any) error { return fn(c.(*stdlib.Conn).Conn()) })
}

// simple sends statements in one message.
func (w *pgSession) simple(statements string) error {
	if err := w.send(); err != nil {
		return err
	}
	return w.raw(func(c *pgx.Conn) error {
		_, err := c.PgConn().Exec(w.ctx, statements).ReadAll()
		return err
	})
}

// broken reports whether the connection is gone.
func (w *pgSession) broken() bool {
	gone := true
	err := w.raw(func(c *pgx.Conn) error {
		gone = c.IsClosed()
		return nil
	})
	return gone || err != nil
}

// session returns the writing connection, connected.
func (p *postgres) session(ctx context.Context) (*pgSession, error) {
	if p.writer != nil && !p.writer.broken() {
		return p.writer, nil
	}
	p.drop()
	conn, err := p.writers.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &pgSession{conn: conn, ctx: ctx}
	err = scanOne(w, []any{&w.served.pid, &w.served.since}, `SELECT pid, backend_start::text FROM pg_stat_activity WHERE pid = pg_backend_pid()`)
	if err != nil {
		conn.Close() // it is not used
		return nil, err
	}
	w.ctx = context.Background()
	p.writer = w
	return w, nil
}

func (p *postgres) drop() {
	if p.writer != nil {
		p.writer.conn.Close() // it is broken
		p.writer = nil
	}
}

func (p *postgres) locked(query, table string) string { return query + " FOR UPDATE OF " + table }

func (p *postgres) transact(ctx context.Context, l lock, fn func(*tx) error) error {
	return patiently(ctx, func(attempt int) error {
		w, err := p.session(ctx)
		if err != nil {
			return err
		}
		inside, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*groupPatience)
		defer stop()
		w.ctx, w.sure = inside, !l.all && attempt >= optimists
		w.begin(l)
		if err = fn(&tx{w}); err != nil {
			return p.abandon(err)
		}
		return p.commit(ctx)
	})
}

// begin goes with the first statement of the transaction.
func (w *pgSession) begin(l lock) {
	all := "pg_advisory_xact_lock_shared"
	if l.all {
		all = "pg_advisory_xact_lock"
	}
	w.out = pipeline{}
	w.out.do("BEGIN")
	w.out.do("SELECT "+all+"($1, 0)", lockAll)
	if l.name != "" {
		w.out.do("SELECT pg_advisory_xact_lock($1, hashtext($2))", lockNamed, l.name)
	}
	if w.sure {
		w.out.do("SELECT value FROM sequences WHERE name = 'change' FOR UPDATE")
	}
}

// abandon ends a transaction that failed. If the connection went away, it had not
// been committed, because nobody had asked for that.
func (p *postgres) abandon(err error) error {
	p.writer.out = pipeline{}
	if !p.writer.broken() && p.writer.simple("ROLLBACK") == nil {
		return err
	}
	p.drop()
	return &lostError{err}
}

// commit leaves the transaction's number with it. When the answer is lost, that
// number tells whether it is there: the server's own number of a transaction
// would not do, because one that is lost in a crash may be given again. Both go
// with the last statements.
func (p *postgres) commit(ctx context.Context) error {
	p.last++
	w := p.writer
	w.out.do(`INSERT INTO writers (id, last, since) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET last = excluded.last, since = excluded.since`, p.name, p.last, micros(time.Now()))
	w.out.do("COMMIT")
	err := w.send()
	if err == nil {
		return nil
	}
	served := w.served
	lost := p.abandon(err)
	if _, ok := errors.AsType[*lostError](lost); !ok {
		return err
	}
	known, asked := p.committed(ctx, served)
	if asked != nil {
		return fmt.Errorf("%w; and then: %w", err, asked)
	}
	if known {
		return nil
	}
	return lost
}

// committed asks for the last transaction, once the server is there again and the
// process that had it is gone: the message with COMMIT may be with it still, read
// or not.
func (p *postgres) committed(ctx context.Context, served servedBy) (known bool, err error) {
	err = patiently(ctx, func(int) error {
		w, err := p.session(ctx)
		if err != nil {
			return err
		}
		w.ctx = context.WithoutCancel(ctx)
		if err = w.end(ctx, served); err == nil {
			var last int64
			last, err = number(w, `SELECT last FROM writers WHERE id = ?`, p.name)
			known = last == p.last
		}
		if err != nil && w.broken() {
			p.drop()
			return &lostError{err}
		}
		return err
	})
	return known, err
}

// end ends a process of the server and waits until it is gone. What it is about to
// commit it still commits, and nothing afterwards.
func (w *pgSession) end(ctx context.Context, served servedBy) error {
	for wait := time.Millisecond; ; wait = min(2*wait, time.Second) {
		there, err := number(w, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE pid = ? AND backend_start::text = ?`, served.pid, served.since)
		if err != nil || there == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}
