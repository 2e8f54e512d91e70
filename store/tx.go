package store

import (
	"context"
	"database/sql"
)

// querier is what shared SQL needs: a transaction, or the readers. Arguments
// are marked ? or ?1; a bool is the number 0 or 1.
type querier interface {
	rows(query string, args ...any) (*sql.Rows, error)
}

// session is the one writing connection with a transaction open on it. Its
// statements are not bound to a caller's context: a transaction that began is
// finished.
type session interface {
	querier
	// exec runs a statement and returns how many rows it changed.
	exec(query string, args ...any) (int64, error)
	// insert runs an INSERT of one row and returns its number (column id).
	insert(query string, args ...any) (int64, error)
}

// tx is an open transaction.
type tx struct{ session }

// reader reads from the pool; each statement sees its own snapshot.
type reader struct {
	ctx    context.Context
	engine engine
}

func (s *Store) reader(ctx context.Context) reader { return reader{ctx: ctx, engine: s.engine} }

func (r reader) rows(query string, args ...any) (*sql.Rows, error) {
	return r.engine.read(r.ctx, query, args...)
}

// write runs fn in a transaction of its own: all of it happens, or nothing. Other
// processes may write at the same time: fn decides by rows that it locks. It
// waits for its turn as long as ctx allows; op and on are for the error.
func (s *Store) write(ctx context.Context, op, on string, fn func(*tx) error) error {
	return s.writeLocked(ctx, lockShared, op, on, fn)
}

func (s *Store) writeLocked(ctx context.Context, l lock, op, on string, fn func(*tx) error) error {
	if err := s.takeTurn(ctx); err != nil {
		return fault(op, on, err)
	}
	defer s.giveTurn()
	err := s.engine.transact(ctx, l, fn)
	s.trouble.note(err)
	return fault(op, on, err)
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

// scanner is *sql.Rows on a row.
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
	rs, err := q.rows(query, args...)
	if err != nil {
		return one, false, err
	}
	defer rs.Close()
	if !rs.Next() {
		return one, false, rs.Err()
	}
	if one, err = scan(rs); err != nil {
		return one, false, err
	}
	return one, true, rs.Close()
}

// scanOne reads the one row that must be there.
func scanOne(q querier, into []any, query string, args ...any) error {
	_, found, err := first(q, func(s scanner) (none struct{}, err error) { return none, s.Scan(into...) }, query, args...)
	if err == nil && !found {
		return sql.ErrNoRows
	}
	return err
}

// number reads one integer, 0 when there is no row.
func number(q querier, query string, args ...any) (int64, error) {
	n, _, err := first(q, scanNumber, query, args...)
	return n, err
}

func scanNumber(s scanner) (n int64, err error) { return n, s.Scan(&n) }

func scanText(s scanner) (v string, err error) { return v, s.Scan(&v) }

func scanBytes(s scanner) (b []byte, err error) { return b, s.Scan(&b) }
