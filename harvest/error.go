package harvest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Error describes a failure: what was being done, on what, the cause and what to do next.
// Its text has no userinfo and no query string: Error redacts On and addresses in Err.
type Error struct {
	Kind Kind
	// Op is the verb: "get", "parse feed", "decode params".
	Op string
	// On is the address or thing it was done to.
	On string
	// Err is the cause.
	Err error
	// Advice is what a person can do next; may be empty.
	Advice string
	// Status is the HTTP status, or 0.
	Status int
	// RetryAfter is how long the source asked to wait, or 0.
	RetryAfter time.Duration
	// Deferred is true if the client did not send the request, for example because the
	// host is busy. It does not count as an attempt; RetryAfter is when to try again.
	Deferred bool
	// Resting is the host that takes no request before RetryAfter is over, whoever
	// asks: it is paused, or asked for rest; empty: only this request was refused.
	Resting string
	// Evidence is the response, if it shows the cause. It is stored with the failure, up
	// to a limit, and never printed with the error.
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

// AsError returns the *Error in err's chain; otherwise a KindTimeout error for an expired
// deadline or a KindInternal error. It returns nil for nil.
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

// Redact returns an address without userinfo, query and fragment, even if it is not
// valid. Text without "://" is returned unchanged.
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

// redactCause redacts the address that a wrapped *url.Error repeats with its query.
func redactCause(err error) string {
	text := err.Error()
	if u, ok := errors.AsType[*url.Error](err); ok && u.URL != "" {
		text = strings.ReplaceAll(text, u.URL, Redact(u.URL))
	}
	return text
}
