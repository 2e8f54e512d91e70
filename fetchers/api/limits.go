package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// limitHeaders are the names under which APIs say what is left of a limit, and when it
// ends.
func limitHeaders(l *RateLimit) (remaining, reset []string) {
	if l != nil && l.Remaining+l.Reset != "" {
		return []string{l.Remaining}, []string{l.Reset}
	}
	return []string{"X-RateLimit-Remaining", "RateLimit-Remaining", "X-Rate-Limit-Remaining"}, []string{"X-RateLimit-Reset", "RateLimit-Reset", "X-Rate-Limit-Reset"}
}

func firstOf(h http.Header, names []string) string {
	for _, name := range names {
		if v := h.Get(name); name != "" && v != "" {
			return v
		}
	}
	return ""
}

// maxWait bounds what a header can ask for.
const maxWait = 32 * 24 * time.Hour

// used reports that nothing is left of a limit, and how long that lasts.
func (r *reading) used(h http.Header) (wait time.Duration, used bool) {
	left, err := strconv.ParseFloat(firstOf(h, r.plan.remaining), 64)
	if err != nil || left > 0 {
		return 0, false
	}
	reset, err := strconv.ParseFloat(firstOf(h, r.plan.reset), 64)
	if err != nil || !(reset > 0) {
		return time.Minute, true
	}
	if at, ok := unix(reset); ok && reset > 1e9 {
		wait = at.Sub(r.now())
	} else {
		wait = time.Duration(min(reset, maxWait.Seconds())) * time.Second
	}
	return min(max(wait, 0)+time.Second, maxWait), true
}

// pause ends a fetch in its middle, before the API has to refuse the next request.
func (r *reading) pause(a *answer.Answer) error {
	wait, used := r.used(a.Header)
	if !used {
		return nil
	}
	e := harvest.Errorf(harvest.KindThrottled, "get", r.plan.URL, "nothing is left of the API's limit of requests")
	e.RetryAfter = wait
	return e
}

// refused adds the API's own reason to a status. Statuses 403 and 429 with nothing left
// of a limit are that limit; 401 is about the credentials, if there are any.
func (r *reading) refused(e *harvest.Error, a *answer.Answer) error {
	if said := saidBy(a.Body); said != "" {
		e.Err = harvest.Errorf(e.Kind, e.Err.Error(), "", "%.300s", said)
	}
	wait, used := r.used(a.Header)
	switch {
	case used && (e.Status == http.StatusForbidden || e.Status == http.StatusTooManyRequests):
		e.Kind = harvest.KindThrottled
		e.RetryAfter = max(e.RetryAfter, wait)
	case e.Status == http.StatusForbidden && a.Header.Get("Retry-After") != "":
		limited := harvest.AsError(harvest.StatusError(e.Op, e.On, http.StatusTooManyRequests, a.Header.Get("Retry-After"), r.now()))
		e.Kind, e.RetryAfter = limited.Kind, limited.RetryAfter
	case e.Status == http.StatusUnauthorized && r.credentials() != "":
		e.Kind = harvest.KindMisconfigured
		e.Advice = "the API does not accept what " + r.credentials() + " refers to: it is missing, wrong or has expired"
	case e.Kind == harvest.KindMisconfigured:
		e.Advice = "the API refuses the request: look at query, body and headers; `starter fetchers try api` asks once"
	}
	return e
}

// credentials names the params that have them.
func (r *reading) credentials() string {
	for name := range r.plan.Headers {
		if n := strings.ToLower(name); strings.Contains(n, "key") || strings.Contains(n, "token") {
			return "headers." + name
		}
	}
	for name := range r.plan.Query {
		if n := strings.ToLower(name); strings.Contains(n, "key") || strings.Contains(n, "token") {
			return "query." + name
		}
	}
	return ""
}

// saidBy is what the body of an error says, by the names that APIs use.
func saidBy(body []byte) string {
	var m map[string]any
	if json.Unmarshal(body, &m) != nil {
		return ""
	}
	for _, name := range []string{"message", "detail", "error_description", "error", "title", "reason"} {
		switch v := m[name].(type) {
		case string:
			return strings.ToValidUTF8(v, "?")
		case map[string]any:
			if text, ok := v["message"].(string); ok {
				return strings.ToValidUTF8(text, "?")
			}
		}
	}
	return ""
}
