package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// What the writing connection is set to.
//
// A process that is stopped in the middle of a transaction (SIGSTOP, a frozen
// machine) holds what others wait for: after fifteen seconds the server ends its
// session. Whatever it had begun is done again when it wakes up.
//
// The writer's statements name few rows by their keys. Which index leads there
// must not be left to statistics, which a table that has just been filled does
// not have, nor to a plan that was made while it was empty.
const (
	settingsAll = `SET synchronous_commit = on; SET jit = off; SET random_page_cost = 1.1; SET plan_cache_mode = force_custom_plan`
	settingsOne = settingsAll + `; SET statement_timeout = '60s';
		SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off`
)

// How many connections there are, if nobody says.
const (
	connectionsDefault = 4
	connectionsLeast   = 2
)

// postgres is the engine over one database of a server.
type postgres struct {
	config  *pgx.ConnConfig
	shown   string // the address, without a password
	options Options
	files   migrationSource

	pool    *sql.DB // reads
	writers *sql.DB // one connection
	writer  *pgSession
	name    string // of this store among the writers
	last    int64  // its last transaction
}

func isPostgres(address string) bool {
	scheme, _, _ := strings.Cut(address, ":")
	return scheme == "postgres" || scheme == "postgresql"
}

func newPostgres(address string, o Options, files migrationSource) (*postgres, error) {
	u, err := url.Parse(address)
	if err != nil || u.Opaque != "" {
		return nil, badPostgres()
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, badPostgres() // what the parser says may repeat a password
	}
	config.DialFunc = (&net.Dialer{Timeout: 10 * time.Second, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 4}}).DialContext
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = 10 * time.Second
	}
	if o.Connections == 0 {
		o.Connections = connectionsDefault
	}
	o.Connections = max(o.Connections, connectionsLeast)
	o.nap = cmp.Or(o.nap, "15s")
	if o.Purpose == "" {
		o.Purpose = filepath.Base(os.Args[0])
	}
	id := make([]byte, 8)
	rand.Read(id) // never fails
	return &postgres{config: config, shown: printable(u), options: o, files: files, name: hex.EncodeToString(id)}, nil
}

func badPostgres() error {
	return wrongAddress("postgres://…", "the address cannot be read",
		"write postgres://USER@HOST:PORT/DATABASE; leave the password to PGPASSWORD or a password file, or write its special characters as %XX")
}

// printable is an address without its secrets.
func printable(u *url.URL) string {
	shown := *u
	if u.User != nil {
		shown.User = url.User(u.User.Username())
		if u.User.Username() == "" {
			shown.User = nil
		}
	}
	query := u.Query()
	for _, secret := range []string{"password", "sslpassword", "passfile"} {
		query.Del(secret)
	}
	shown.RawQuery = query.Encode()
	return shown.String()
}

func (p *postgres) address() string { return p.shown }

func (p *postgres) open(ctx context.Context) error {
	if err := p.migrate(ctx); err != nil {
		return err
	}
	p.pool = p.connections("reads", settingsAll, p.options.Connections-1)
	p.writers = p.connections("writes", settingsOne+"; SET idle_in_transaction_session_timeout = '"+p.options.nap+"'", 1)
	return nil
}

// connections is a pool; it connects when it is asked.
func (p *postgres) connections(does, settings string, n int) *sql.DB {
	config := p.config.Copy()
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "vendemmia " + p.options.Purpose + " (" + does + ")"
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(func(ctx context.Context, c *pgx.Conn) error {
		if _, err := c.PgConn().Exec(ctx, settings).ReadAll(); err != nil {
			return errors.Join(err, c.Close(ctx))
		}
		return nil
	}))
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db
}

func (p *postgres) close() error {
	var errs []error
	if p.writer != nil {
		p.leave()
		errs = append(errs, p.writer.conn.Close())
		p.writer = nil
	}
	for _, db := range []*sql.DB{p.pool, p.writers} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// leave takes this store's row out of writers, and the rows of those that could
// not do so: nobody asks for what was committed a week ago.
func (p *postgres) leave() {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	p.writer.ctx = ctx
	p.writer.simple("DELETE FROM writers WHERE id = '" + p.name + "' OR since < " + strconv.FormatInt(micros(time.Now().Add(-writerKept)), 10)) // the next one to close does it
}

// writerKept is how long the row of a process that was killed stays.
const writerKept = 7 * 24 * time.Hour

// read asks again while the server is away: nothing was read yet.
func (p *postgres) read(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	query, args = numbered(query), plain(args)
	var rs *sql.Rows
	err := patiently(ctx, func(int) (err error) {
		rs, err = p.pool.QueryContext(ctx, query, args...) // the caller's
		return err
	})
	return rs, err
}

// patiently does something again while the server is away, or while it says that
// two transactions were in each other's way.
func patiently(ctx context.Context, do func(attempt int) error) error {
	end := time.Now().Add(groupPatience)
	for n, wait := 0, time.Millisecond; ; n, wait = n+1, min(2*wait, time.Second) {
		err := do(n)
		if err == nil || !transient(err) {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w: %w", errPatience, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(wait):
		}
	}
}

// timed reads the clock anew at each place: a transaction may have waited for a
// lock since it began.
func (p *postgres) timed(query string) string {
	return strings.ReplaceAll(query, "{now}", "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
}

func (p *postgres) calendar(column, unit string) string {
	layouts := map[string]string{"day": "YYYY-MM-DD", "week": `IYYY-"W"IW`, "month": "YYYY-MM"}
	return "to_char(to_timestamp(" + column + " / 1000000) AT TIME ZONE 'UTC', '" + layouts[unit] + "')"
}

func (p *postgres) jsonNumber(column, key string) string {
	return "(nullif(" + column + ", '')::json ->> '" + key + "')::bigint"
}

// numbered writes ?, ?1 and lists, json_each(?), as PostgreSQL does.
func numbered(query string) string {
	query = strings.ReplaceAll(query, "json_each(?)", "json_array_elements_text(?::json)")
	if strings.IndexByte(query, '?') < 0 {
		return query
	}
	b := make([]byte, 0, len(query)+32)
	n := 0
	for i := range len(query) {
		if query[i] != '?' {
			b = append(b, query[i])
			continue
		}
		b = append(b, '$')
		if i+1 == len(query) || query[i+1] < '0' || query[i+1] > '9' {
			n++
			b = strconv.AppendInt(b, int64(n), 10)
		}
	}
	return string(b)
}

// plain makes arguments as the schema has them: numbers for bools, and text that
// the server takes.
func plain(args []any) []any {
	for i, arg := range args {
		switch v := arg.(type) {
		case bool:
			args[i] = number01(v)
		case string:
			args[i] = clean(v)
		}
	}
	return args
}

func number01(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
