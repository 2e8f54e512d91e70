package polite

import (
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

var (
	errLate     = errors.New("no complete response in time")
	errTooLarge = errors.New("the body is too large")
	errBomb     = errors.New("the body grows too much when decompressed")
	errDamaged  = errors.New("the body cannot be decoded")
)

func (x *exchange) errorf(kind harvest.Kind, format string, args ...any) *harvest.Error {
	e := harvest.Errorf(kind, verb(x.req), x.req.URL.String(), format, args...)
	e.Status = x.status()
	return e
}

func (x *exchange) broken(format string, args ...any) *harvest.Error {
	return x.errorf(harvest.KindBroken, format, args...)
}

// interrupted explains an exchange that ended on our side; nil if it did not.
func (x *exchange) interrupted() *harvest.Error {
	if x.req.Context().Err() != nil {
		kind, err := stopped(x.req.Context())
		return x.errorf(kind, "%w", err)
	}
	if context.Cause(x.ctx) == errLate {
		return x.errorf(harvest.KindTimeout, "%w: %s", errLate, x.visitor.Timeout)
	}
	return nil
}

// stopped returns why the caller's context ended. A cancellation has no kind of its
// own: errors.Is finds context.Canceled.
func stopped(ctx context.Context) (harvest.Kind, error) {
	err := ctx.Err()
	if cause := context.Cause(ctx); cause != nil && cause != err {
		err = fmt.Errorf("%w: %w", err, cause)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return harvest.KindTimeout, err
	}
	return harvest.KindInternal, err
}

// explain classifies an error before the response header.
func (x *exchange) explain(err error) *harvest.Error {
	if e := x.interrupted(); e != nil {
		return e
	}
	if e, ok := errors.AsType[*harvest.Error](err); ok {
		return &harvest.Error{Kind: e.Kind, Op: verb(x.req), On: x.req.URL.String(), Err: e.Err, Advice: e.Advice}
	}
	if words, advice := tlsTrouble(err, Host(x.req.URL), x.ca != ""); words != "" {
		e := x.errorf(harvest.KindUnreachable, "%s: %w", words, err)
		e.Advice = advice
		return e
	}
	if n, ok := errors.AsType[*net.DNSError](err); ok {
		return x.errorf(harvest.KindUnreachable, "%s: %w", dnsWords(n), err)
	}
	if n, ok := errors.AsType[net.Error](err); ok && n.Timeout() {
		return x.errorf(harvest.KindTimeout, "%w", err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return x.errorf(harvest.KindUnreachable, "the connection was closed before a response: %w", err)
	}
	if noHTTP(err) {
		return x.broken("the response is not HTTP, or its header is larger than %d bytes: %w", maxHeader, err)
	}
	return x.errorf(harvest.KindUnreachable, "%w", err)
}

// noHTTP recognizes errors of net/http by their text, because they have no types.
func noHTTP(err error) bool {
	text := err.Error()
	for _, part := range []string{"malformed", "response headers exceeded", "header list larger", "invalid header", "unsupported transfer encoding", "bad Content-Length"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func dnsWords(err *net.DNSError) string {
	switch {
	case err.IsNotFound:
		return "no such host"
	case err.IsTimeout:
		return "the name servers did not answer in time"
	default:
		return "the host's name could not be resolved"
	}
}

// explainBody classifies an error inside the body.
func (x *exchange) explainBody(err error) *harvest.Error {
	if e := x.interrupted(); e != nil {
		return e
	}
	limit := x.client.settings.MaxBody
	switch {
	case errors.Is(err, errTooLarge):
		return x.broken("%w: more than %d bytes", errTooLarge, limit)
	case errors.Is(err, errBomb):
		return x.broken("%w: more than %d times what was transferred", errBomb, maxRatio)
	case errors.Is(err, errDamaged):
		return x.broken("%w", err)
	case damaged(err):
		return x.broken("%w: %w", errDamaged, err)
	default:
		return x.errorf(harvest.KindServerError, "the body was cut short after %d bytes: %w", x.bytes.Load(), err)
	}
}

func damaged(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) ||
		errors.Is(err, zlib.ErrHeader) || errors.Is(err, zlib.ErrChecksum) || errors.Is(err, zlib.ErrDictionary)
}
