package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Error says what was being done, on what, why it failed and what to do next.
// It never carries a query string, userinfo or secret: On is redacted when it
// is printed, whoever filled it.
type Error struct {
	Kind Kind
	// Op is the verb: "get", "parse feed", "decode params".
	Op string
	// On is the address or thing it was done to.
	On string
	// Err is the cause.
	Err error
	// Advice says what a person can do next; may be empty.
	Advice string
	// Status is the HTTP status that was answered, or 0.
	Status int
	// RetryAfter is how long the source asked to be left alone, or 0.
	RetryAfter time.Duration
	// Held says that we ourselves kept the request from leaving: the source has done
	// nothing, and nothing counts as an attempt. RetryAfter is when to try again.
	Held bool
	// Evidence is what came, where that shows why: kept with the failure, capped.
	// It is never printed with the error.
	Evidence []byte
}

// Error returns "op on: cause; advice".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.On != "" {
		b.WriteString(" " + Redact(e.On))
	}
	if e.Err != nil {
		b.WriteString(": " + redactCause(e.Err))
	}
	if e.Advice != "" {
		b.WriteString("; " + e.Advice)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an *Error of a kind; see fmt.Errorf for %w.
func Errorf(kind Kind, op, on, format string, args ...any) *Error {
	return &Error{Kind: kind, Op: op, On: on, Err: fmt.Errorf(format, args...)}
}

// AsError returns err as an *Error: itself where it is one, KindTimeout for a
// deadline, else KindInternal. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Op: "fetch", Err: err}
	}
	return &Error{Kind: KindInternal, Op: "fetch", Err: err}
}

// KindOf returns the kind of err, or "" for nil.
func KindOf(err error) Kind {
	if e := AsError(err); e != nil {
		return e.Kind
	}
	return ""
}

// Redact returns an address without userinfo, query and fragment, also where
// the rest of it is no valid address; text that is none comes back as it is.
func Redact(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
		return u.String()
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	return scheme + "://" + rest[strings.LastIndex(rest, "@")+1:]
}

// redactCause masks the address that net/url repeats in transport errors,
// however deep it is wrapped: it holds the query string.
func redactCause(err error) string {
	text := err.Error()
	if u, ok := errors.AsType[*url.Error](err); ok && u.URL != "" {
		text = strings.ReplaceAll(text, u.URL, Redact(u.URL))
	}
	return text
}
