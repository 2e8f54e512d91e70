package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// errRace says that another process changed what this transaction had read.
var errRace = errors.New("another process was quicker")

// lostError says that the connection went away before the transaction was
// committed.
type lostError struct{ err error }

func (e *lostError) Error() string { return "the connection to the server was lost: " + e.err.Error() }
func (e *lostError) Unwrap() error { return e.err }

// sqlState is PostgreSQL's code of an error, "" for none.
func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// transient reports whether doing the same again may help.
func transient(err error) bool {
	if _, lost := errors.AsType[*lostError](err); lost || errors.Is(err, errRace) {
		return true
	}
	switch sqlState(err) {
	case "40001", "40P01", // two transactions were in each other's way
		"57P01", "57P02", "57P03", // the server shuts down, crashed, or starts
		"25P03", // this session slept in a transaction
		"53300": // there are too many connections
		return true
	case "":
		return away(err)
	default:
		return false
	}
}

// away reports whether the server could not be reached.
func away(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[*net.OpError](err); ok {
		return true
	}
	return pgconn.SafeToRetry(err) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed)
}

// diagnosePostgres names what is wrong with the server, and what helps.
func diagnosePostgres(err error) diagnosis {
	switch sqlState(err) {
	case "28P01", "28000":
		return diagnosis{rows.TroubleUnreachable, "PostgreSQL refuses this user", "check user and password: PGPASSWORD, a password file (~/.pgpass) or the address say the password; pg_hba.conf says who may come from where"}
	case "3D000":
		return diagnosis{rows.TroubleUnreachable, "there is no such database", "make it: createdb -E UTF8 -T template0 NAME"}
	case "53100":
		return diagnosis{rows.TroubleFull, "the disk of the database is full", "free some space there; nothing was half written, and work goes on by itself"}
	case "53300":
		return diagnosis{rows.TroubleUnreachable, "PostgreSQL has no connection left", "raise max_connections, or start fewer workers with fewer connections each"}
	case "25006":
		return diagnosis{rows.TroubleReadOnly, "the database is read-only", "give the address of the primary server, not of a standby; look at default_transaction_read_only"}
	case "42501":
		return diagnosis{rows.TroubleReadOnly, "PostgreSQL does not permit this", "let the user own the database: ALTER DATABASE NAME OWNER TO USER"}
	case "57P01", "57P02", "57P03":
		return diagnosis{rows.TroubleUnreachable, "PostgreSQL is starting or stopping", "wait for it"}
	case "58030", "XX001", "XX002":
		return diagnosis{rows.TroubleDamaged, "the database is damaged, or its disk failed", "look at the logs of the server and of the system, keep the data directory, and restore the last backup"}
	case "25P03":
		return diagnosis{"", "this process slept in the middle of a write", "look why it was stopped (SIGSTOP), or why the machine is so slow"}
	case "40001", "40P01":
		return contention()
	case "57014":
		return diagnosis{rows.TroubleBusy, "the database took longer than a minute", "look at pg_stat_activity for what holds a lock, and at the load of the server"}
	}
	if errors.Is(err, errRace) {
		return contention()
	}
	if _, lost := errors.AsType[*lostError](err); lost || away(err) {
		return diagnosis{rows.TroubleUnreachable, "PostgreSQL cannot be reached", "check that it runs, host and port of the address, and the network between; work goes on by itself when it is back"}
	}
	return diagnosis{}
}

func contention() diagnosis {
	return diagnosis{"", "other processes write to the same items and documents all the time", "look for two runs that harvest the same into one collection"}
}

// misconfigured reports whether only a person can remove the cause.
func misconfigured(err error) bool {
	switch sqlState(err) {
	case "28P01", "28000", "3D000", "42501":
		return true
	default:
		return false
	}
}
