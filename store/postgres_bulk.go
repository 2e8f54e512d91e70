package store

import (
	"bytes"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// bulk is statements over many rows, sent together.
type bulk struct {
	w     *pgSession
	batch pgx.Batch
	rows  []int
}

// over adds a statement; %s in it is the table of rows.
func over[T any](b *bulk, columns []column[T], list []T, statement string) {
	if len(list) == 0 {
		return
	}
	b.batch.Queue(fmt.Sprintf(statement, fromRows(columns)), arrays(columns, list)...)
	b.rows = append(b.rows, len(list))
}

// maybeOver is over for a statement that may find fewer rows.
func maybeOver[T any](b *bulk, columns []column[T], list []T, statement string) {
	n := len(b.rows)
	if over(b, columns, list, statement); len(b.rows) > n {
		b.rows[n] = anyRows
	}
}

// anyRows stands for a number of rows that does not matter.
const anyRows = -1

// send runs the statements. Each must have found all of its rows as they were
// read.
func (b *bulk) send() error {
	if len(b.rows) == 0 {
		return nil
	}
	return b.w.raw(func(c *pgx.Conn) error {
		results := c.SendBatch(b.w.ctx, &b.batch)
		for _, n := range b.rows {
			tag, err := results.Exec()
			if err == nil && n != anyRows && tag.RowsAffected() != int64(n) {
				err = errRace
			}
			if err != nil {
				results.Close() //nolint:errcheck // the first error tells
				return err
			}
		}
		return results.Close()
	})
}

// into adds rows to a table.
func into[T any](k *pgSink, table string, columns []column[T], list []T) error {
	if len(list) == 0 {
		return nil
	}
	k.buffer = copyRows(k.buffer[:0], columns, list)
	return k.w.raw(func(c *pgx.Conn) error {
		_, err := c.PgConn().CopyFrom(k.w.ctx, bytes.NewReader(k.buffer), "COPY "+table+" ("+names(columns)+") FROM STDIN (FORMAT binary)")
		return err
	})
}

// inquiry is queries that are sent together.
type inquiry struct {
	w     *pgSession
	batch pgx.Batch
	scans []func(scanner) error
}

func (q *inquiry) ask(scan func(scanner) error, query string, args ...any) {
	q.batch.Queue(query, args...)
	q.scans = append(q.scans, scan)
}

func (q *inquiry) send() error {
	if len(q.scans) == 0 {
		return nil
	}
	return q.w.raw(func(c *pgx.Conn) error {
		results := c.SendBatch(q.w.ctx, &q.batch)
		for _, scan := range q.scans {
			if err := eachRow(results, scan); err != nil {
				results.Close() //nolint:errcheck // the first error tells
				return err
			}
		}
		return results.Close()
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
