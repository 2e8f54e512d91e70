package harvest

import (
	"context"
	"errors"
	"io"
	"net"
)

// TransportError returns a failed exchange as an error with a kind: err itself
// where it has one already, KindTimeout when there was no answer in time,
// KindServerError when the answer broke off, else KindUnreachable. It returns
// nil for nil. The end of the caller's own context stays visible to errors.Is.
func TransportError(op, on string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	return &Error{Kind: transportKind(err), Op: op, On: on, Err: err}
}

func transportKind(err error) Kind {
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return KindTimeout
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return KindServerError
	}
	return KindUnreachable
}
