package harvest

import (
	"context"
	"errors"
	"io"
	"net"
)

// TransportError gives the error of a failed exchange a kind: it returns err itself if
// that has a kind, else KindTimeout after a timeout, KindServerError for a response cut
// short, and KindUnreachable otherwise. It returns nil for nil. The result wraps err.
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
