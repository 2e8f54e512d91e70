package store

import (
	"bytes"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// pipeline is statements that go to the server in one message, and what is to be
// done with the answers, which come in the same order.
type pipeline struct {
	batch pgx.Batch
	then  []func(pgx.BatchResults) error
}

// ask adds a query.
func (p *pipeline) ask(scan func(scanner) error, query string, args ...any) {
	p.batch.Queue(query, args...)
	p.then = append(p.then, func(results pgx.BatchResults) error { return eachRow(results, scan) })
}

// do adds a statement whose answer does not matter.
func (p *pipeline) do(statement string, args ...any) {
	p.batch.Queue(statement, args...)
	p.then = append(p.then, func(results pgx.BatchResults) error {
		_, err := results.Exec()
		return err
	})
}

// over adds a statement that fails (it divides by zero) unless it finds all rows as
// they were read. The COMMIT of the same message then commits nothing. %s in it is the table of
// rows.
func over[T any](p *pipeline, columns []column[T], list []T, statement string) {
	if len(list) == 0 {
		return
	}
	checked := fmt.Sprintf("WITH found AS ("+statement+" RETURNING 1) SELECT 1 / (count(*) = $%d)::int FROM found", fromRows(columns), len(columns)+1)
	p.do(checked, append(arrays(columns, list), len(list))...)
}

// stillThere is a query that must find all rows as they were read: else it takes
// the logarithm of zero, or less.
func stillThere[T any](p *pipeline, columns []column[T], list []T, query string) {
	if len(list) > 0 {
		p.do(fmt.Sprintf("WITH found AS ("+query+") SELECT ln((count(*) - $%d + 1)::float8) FROM found", fromRows(columns), len(columns)+1), append(arrays(columns, list), len(list))...)
	}
}

// maybeOver is over for a statement that may find fewer rows.
func maybeOver[T any](p *pipeline, columns []column[T], list []T, statement string) {
	if len(list) > 0 {
		p.do(fmt.Sprintf(statement, fromRows(columns)), arrays(columns, list)...)
	}
}

// copyFrom is the number of rows from which COPY is worth a message of its own.
const copyFrom = 400

// add adds rows to a table that has no other like them.
func add[T any](k *pgSink, table string, columns []column[T], list []T) error {
	if len(list) >= copyFrom {
		return into(k, table, columns, list)
	}
	maybeOver(&k.w.out, columns, list, "INSERT INTO "+table+" ("+names(columns)+") SELECT "+names(columns)+" FROM %s")
	return nil
}

// send sends what waits and takes all answers.
func (w *pgSession) send() error {
	if len(w.out.then) == 0 {
		return nil
	}
	p := w.out
	w.out = pipeline{}
	return w.raw(func(c *pgx.Conn) error {
		results := c.SendBatch(w.ctx, &p.batch)
		for _, then := range p.then {
			if err := then(results); err != nil {
				results.Close() // the first error tells
				return raced(err)
			}
		}
		return results.Close()
	})
}

// raced knows the error that over makes.
func raced(err error) error {
	switch sqlState(err) {
	case "22012":
		return errRace
	case "2201E":
		return errMoved
	default:
		return err
	}
}

// into adds rows to a table.
func into[T any](k *pgSink, table string, columns []column[T], list []T) error {
	if len(list) == 0 {
		return nil
	}
	if err := k.w.send(); err != nil {
		return err
	}
	k.buffer = copyRows(k.buffer[:0], columns, list)
	return k.w.raw(func(c *pgx.Conn) error {
		_, err := c.PgConn().CopyFrom(k.w.ctx, bytes.NewReader(k.buffer), "COPY "+table+" ("+names(columns)+") FROM STDIN (FORMAT binary)")
		return err
	})
}

func eachRow(results pgx.BatchResults, scan func(scanner) error) error {
	rs, err := results.Query()
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
		if err := scan(rs); err != nil {
			return err
		}
	}
	return rs.Err()
}
