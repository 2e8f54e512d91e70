package store

import (
	"bytes"
	"context"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// pgConnector makes connections of pgx for database/sql: what shared SQL needs,
// and no pool beside database/sql's own.
type pgConnector struct {
	config   *pgx.ConnConfig
	settings string
}

// idleFor is how long a connection may rest before it is asked whether it is
// still there.
const idleFor = time.Second

var errNotUsed = errors.New("not used")

func (c pgConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := pgx.ConnectConfig(ctx, c.config.Copy())
	if err != nil {
		return nil, err
	}
	if _, err := conn.PgConn().Exec(ctx, c.settings).ReadAll(); err != nil {
		return nil, errors.Join(err, conn.Close(ctx))
	}
	return &pgConn{conn: conn, used: time.Now()}, nil
}

func (c pgConnector) Driver() driver.Driver { return pgDriver{} }

type pgDriver struct{}

func (pgDriver) Open(string) (driver.Conn, error) { return nil, errNotUsed }

// pgConn is one connection.
type pgConn struct {
	conn *pgx.Conn
	used time.Time
}

func (c *pgConn) Prepare(string) (driver.Stmt, error) { return nil, errNotUsed }

func (c *pgConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

func (c *pgConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	tx, err := c.conn.Begin(ctx)
	return pgTx{tx}, err
}

type pgTx struct{ tx pgx.Tx }

func (t pgTx) Commit() error   { return t.tx.Commit(context.Background()) }
func (t pgTx) Rollback() error { return t.tx.Rollback(context.Background()) }

func (c *pgConn) Close() error {
	ctx, stop := context.WithTimeout(context.Background(), 2*time.Second)
	defer stop()
	return c.conn.Close(ctx)
}

func (c *pgConn) IsValid() bool { return !c.conn.IsClosed() }

// ResetSession is called before a connection is used again.
func (c *pgConn) ResetSession(ctx context.Context) error {
	if c.conn.IsClosed() {
		return driver.ErrBadConn
	}
	if time.Since(c.used) > idleFor && c.conn.Ping(ctx) != nil {
		return driver.ErrBadConn
	}
	c.used = time.Now()
	return nil
}

// CheckNamedValue lets arguments through as they are: arrays, too.
func (c *pgConn) CheckNamedValue(*driver.NamedValue) error { return nil }

func values(named []driver.NamedValue) []any {
	args := make([]any, len(named))
	for i := range named {
		args[i] = named[i].Value
	}
	return args
}

func (c *pgConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	tag, err := c.conn.Exec(ctx, query, values(args)...)
	return driver.RowsAffected(tag.RowsAffected()), c.told(ctx, err)
}

// told says of an error that the connection went with it.
func (c *pgConn) told(ctx context.Context, err error) error {
	if err != nil && c.conn.IsClosed() && ctx.Err() == nil {
		return &lostError{err}
	}
	return err
}

// QueryContext waits for the first row, because errors come with it.
func (c *pgConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rs, err := c.conn.Query(ctx, query, values(args)...)
	if err != nil {
		return nil, c.told(ctx, err)
	}
	r := &pgRows{rows: rs, types: c.conn.TypeMap()}
	if r.waiting = rs.Next(); !r.waiting && rs.Err() != nil {
		rs.Close()
		return nil, c.told(ctx, rs.Err())
	}
	r.fields = rs.FieldDescriptions()
	return r, nil
}

// pgRows is a result.
type pgRows struct {
	rows    pgx.Rows
	types   *pgtype.Map
	waiting bool // the next row was fetched already
	fields  []pgconn.FieldDescription
}

func (r *pgRows) Columns() []string {
	list := make([]string, len(r.fields))
	for i := range r.fields {
		list[i] = r.fields[i].Name
	}
	return list
}

func (r *pgRows) Close() error {
	r.rows.Close()
	return r.rows.Err()
}

func (r *pgRows) Next(into []driver.Value) (err error) {
	if !r.waiting && !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return io.EOF
	}
	r.waiting = false
	for i, content := range r.rows.RawValues() {
		if into[i], err = r.value(&r.fields[i], content); err != nil {
			return err
		}
	}
	return nil
}

// value reads a value of the types that the schema and the migrations have.
func (r *pgRows) value(f *pgconn.FieldDescription, content []byte) (driver.Value, error) {
	switch {
	case content == nil:
		return nil, nil
	case f.Format == pgx.TextFormatCode:
		return string(content), nil
	}
	switch f.DataTypeOID {
	case pgtype.Int8OID:
		return int64(binary.BigEndian.Uint64(content)), nil
	case pgtype.Int4OID:
		return int64(int32(binary.BigEndian.Uint32(content))), nil
	case pgtype.Int2OID:
		return int64(int16(binary.BigEndian.Uint16(content))), nil
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.NameOID:
		return string(content), nil
	case pgtype.ByteaOID:
		return bytes.Clone(content), nil
	case pgtype.BoolOID:
		return content[0] != 0, nil
	case pgtype.TimestampOID, pgtype.TimestamptzOID:
		var at time.Time
		err := r.types.Scan(f.DataTypeOID, f.Format, content, &at)
		return at, err
	default:
		return nil, fmt.Errorf("column %s has type %d, which nothing here reads", f.Name, f.DataTypeOID)
	}
}

var _ interface {
	driver.ExecerContext
	driver.QueryerContext
	driver.NamedValueChecker
	driver.SessionResetter
	driver.Validator
} = (*pgConn)(nil)
