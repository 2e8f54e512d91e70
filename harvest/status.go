package harvest

import (
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

// StatusError returns an *Error of the right kind for an HTTP status of 400 or above,
// and nil below. retryAfter is the Retry-After header as received (RFC 9110, section
// 10.2.3: seconds or a date). A 503 with the header is KindThrottled, without it
// KindServerError.
func StatusError(op, on string, status int, retryAfter string, now time.Time) error {
	if status < 400 {
		return nil
	}
	rest := times.ParseRetryAfter(retryAfter, now)
	return &Error{
		Kind: statusKind(status, retryAfter != ""), Op: op, On: on, Status: status, RetryAfter: rest,
		Err: fmt.Errorf("HTTP status %d", status),
	}
}

func statusKind(status int, asksForRest bool) Kind {
	switch {
	case status == 429, status == 503 && asksForRest:
		return KindThrottled
	case status == 404, status == 410:
		return KindGone
	case status == 401, status == 402, status == 403, status == 407, status == 451:
		return KindBlocked
	case status == 408:
		return KindTimeout
	case status >= 500:
		return KindServerError
	default:
		return KindMisconfigured
	}
}
