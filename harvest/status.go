package harvest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// StatusError turns an HTTP status of 400 and above into an *Error of the right
// kind, and returns nil below. retryAfter is the Retry-After header as it came
// (RFC 9110, section 10.2.3: seconds or a date); 503 with one is a request for
// rest, without one a server's failure.
func StatusError(op, on string, status int, retryAfter string, now time.Time) error {
	if status < 400 {
		return nil
	}
	rest := ParseRetryAfter(retryAfter, now)
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

// ParseRetryAfter reads a Retry-After header: delta seconds or an HTTP date. A
// past date, an absent or unreadable header is 0; more seconds than 31 bits hold
// are as many as they hold.
func ParseRetryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(max(0, seconds)) * time.Second
	}
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if at, err := time.Parse(layout, header); err == nil {
			return max(0, at.Sub(now))
		}
	}
	return 0
}
