package polite

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/internal/times"
)

// maxRest limits a Retry-After: a wrong date must not silence a source for years.
const maxRest = 24 * time.Hour

// restAsked returns how long a response asks to be left alone (RFC 9110, section
// 10.2.3), or 0. It applies the limit to the header that fetchers see too.
func restAsked(resp *http.Response) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	rest := times.ParseRetryAfter(resp.Header.Get("Retry-After"), time.Now())
	if rest > maxRest {
		rest = maxRest
		resp.Header.Set("Retry-After", strconv.Itoa(int(maxRest/time.Second)))
	}
	return rest
}

// short formats a duration without trailing zero units: 3h, 1m30s.
func short(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// rest makes the host rest: in all processes through Settings.Rest, otherwise in this
// one.
func (x *exchange) rest(d time.Duration, status int) {
	until, why := time.Now().Add(d), fmt.Sprintf("it answered %d with Retry-After %s", status, short(d))
	notify := x.client.settings.Rest
	if notify != nil && notify(context.WithoutCancel(x.req.Context()), Host(x.req.URL), until.UTC(), why) == nil {
		until, why = time.Time{}, ""
	}
	x.permit.pacer.learn(until, why)
}
