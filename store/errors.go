package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

var (
	errClosed = errors.New("the store is closed")
	// errPatience is no end of a caller's context, so it must not look like one.
	errPatience = errors.New("it did not get better for a minute")
)

// fault turns an error of the store into one for people: what was being done,
// on what, and what to do when the cause is the disk. Errors that say all that
// already, ends of a context and the errors of package rows keep their
// identity.
func fault(op, on string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*harvest.Error](err); ok {
		return err
	}
	if refusal(err) {
		return fmt.Errorf("%s %s: %w", op, on, err)
	}
	kind := harvest.KindInternal
	if misconfigured(err) {
		kind = harvest.KindMisconfigured
	}
	d := diagnose(err)
	if d.text != "" {
		err = fmt.Errorf("%s: %w", d.text, err)
	}
	if d.trouble != "" {
		err = &rows.TroubleError{Trouble: d.trouble, Err: err}
	}
	return &harvest.Error{Kind: kind, Op: op, On: on, Err: err, Advice: d.advice}
}

// refusal reports whether err is an answer rather than a fault.
func refusal(err error) bool {
	for _, known := range []error{
		rows.ErrFenced, rows.ErrStopped, rows.ErrNotFound, rows.ErrRestored, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// diagnosis names what is wrong with the disk, the file or the server, and what
// helps. trouble is "" when the store works.
type diagnosis struct {
	trouble      rows.Trouble
	text, advice string
}

func heldFile() diagnosis {
	return diagnosis{rows.TroubleBusy, "another process holds the file", "look for a long-running backup or an open database shell"}
}

func diagnose(err error) diagnosis {
	switch {
	case code(err) == sqlite3.SQLITE_FULL, errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return diagnosis{rows.TroubleFull, "the disk is full", "free some space; nothing was half written, and work goes on by itself"}
	case code(err) == sqlite3.SQLITE_READONLY, errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return diagnosis{rows.TroubleReadOnly, "the store cannot be written", "check owner and mode of the file and its folder, and that the file system is not mounted read-only"}
	case code(err) == sqlite3.SQLITE_CANTOPEN:
		return diagnosis{rows.TroubleUnreachable, "the file cannot be opened", "check that the folder exists and is writable: SQLite keeps two more files beside the database"}
	case code(err) == sqlite3.SQLITE_CORRUPT, code(err) == sqlite3.SQLITE_NOTADB:
		return diagnosis{rows.TroubleDamaged, "the file is damaged or no database", "stop all workers, keep the file, and restore the last backup"}
	case code(err) == sqlite3.SQLITE_IOERR:
		return diagnosis{rows.TroubleDamaged, "the disk failed", "look at the system's log for errors of the device or file system, and do not use network file systems"}
	case isBusy(err):
		return heldFile()
	}
	d := diagnosePostgres(err)
	if d.text == "" && errors.Is(err, errPatience) {
		return heldFile()
	}
	return d
}

// Away reports whether err of Open may be over by itself: somebody holds the
// file, or the server cannot be reached now.
func Away(err error) bool { return isBusy(err) || errors.Is(err, errPatience) || transient(err) }

// code returns SQLite's primary result code, or 0.
func code(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

func isBusy(err error) bool {
	return err != nil && (code(err) == sqlite3.SQLITE_BUSY || code(err) == sqlite3.SQLITE_LOCKED)
}

func notFound(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, rows.ErrNotFound)...)
}

// refuse is an error that only a person can remove.
func refuse(op, on, advice, format string, args ...any) error {
	return &harvest.Error{Kind: harvest.KindMisconfigured, Op: op, On: on, Err: fmt.Errorf(format, args...), Advice: advice}
}
