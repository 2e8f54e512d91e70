package times

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// ParseRetryAfter returns the wait in a Retry-After header, which holds seconds or an
// HTTP date. It returns 0 for a past date and for a missing or invalid header, and at
// most 2³¹-1 seconds.
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
