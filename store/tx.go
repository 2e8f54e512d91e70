package store

import (
	"context"
	"database/sql"
	"errors"
)

// querier is what shared SQL needs: a transaction, or the readers.
type querier interface {
	rows(query string, args ...any) (*sql.Rows, error)
	row(query string, args ...any) *sql.Row
}

// tx is an open transaction on the writing connection. Its statements are not
// bound to a context: a transaction that began is finished.
type tx struct{ w *session }

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	result, err := t.w.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// insert runs an INSERT and returns the number of the new row.
func (t *tx) insert(query string, args ...any) (int64, error) {
	result, err := t.w.exec(query, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

func (t *tx) rows(query string, args ...any) (*sql.Rows, error) {
	stmt, err := t.w.prepared(query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(context.Background(), args...)
}

func (t *tx) row(query string, args ...any) *sql.Row {
	stmt, err := t.w.prepared(query)
	if err != nil {
		return t.w.conn.QueryRowContext(context.Background(), query, args...)
	}
	return stmt.QueryRowContext(context.Background(), args...)
}

// reader reads from the pool; each statement sees its own snapshot.
type reader struct {
	ctx context.Context
	db  *sql.DB
}

func (s *Store) reader(ctx context.Context) reader { return reader{ctx: ctx, db: s.readers} }

func (r reader) rows(query string, args ...any) (*sql.Rows, error) {
	return r.db.QueryContext(r.ctx, query, args...)
}

func (r reader) row(query string, args ...any) *sql.Row {
	return r.db.QueryRowContext(r.ctx, query, args...)
}

// write runs fn in a transaction of its own: all of it happens, or nothing. It
// waits for its turn as long as ctx allows; op and on are for the error.
func (s *Store) write(ctx context.Context, op, on string, fn func(*tx) error) error {
	if err := s.takeTurn(ctx); err != nil {
		return fault(op, on, err)
	}
	defer s.giveTurn()
	return fault(op, on, s.transact(ctx, fn))
}

func (s *Store) takeTurn(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case s.turn <- struct{}{}:
		if s.group.closed.Load() {
			<-s.turn
			return errClosed
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Store) giveTurn() { <-s.turn }

// transact needs the turn.
func (s *Store) transact(ctx context.Context, fn func(*tx) error) (err error) {
	if err := s.writer.begin(ctx); err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			s.writer.exec("ROLLBACK") //nolint:errcheck // SQLite may have rolled back by itself
		}
	}()
	if err := fn(&tx{s.writer}); err != nil {
		return err
	}
	if _, err = s.writer.exec("COMMIT"); err != nil {
		return err
	}
	committed = true
	return nil
}

// scanner is *sql.Row and *sql.Rows.
type scanner interface{ Scan(into ...any) error }

// collect reads all rows of a query.
func collect[T any](q querier, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	rs, err := q.rows(query, args...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var all []T
	for rs.Next() {
		one, err := scan(rs)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rs.Err()
}

// first reads one row; found is false when there is none.
func first[T any](q querier, scan func(scanner) (T, error), query string, args ...any) (one T, found bool, err error) {
	one, err = scan(q.row(query, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return one, false, nil
	}
	return one, err == nil, err
}

// number reads one integer, 0 when there is no row.
func number(q querier, query string, args ...any) (int64, error) {
	n, _, err := first(q, scanNumber, query, args...)
	return n, err
}

func scanNumber(s scanner) (n int64, err error) { return n, s.Scan(&n) }

func scanText(s scanner) (v string, err error) { return v, s.Scan(&v) }

func scanBytes(s scanner) (b []byte, err error) { return b, s.Scan(&b) }
