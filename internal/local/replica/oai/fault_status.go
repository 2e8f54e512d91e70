package oai

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func statusFaults() []Fault {
	always := func(*call) bool { return true }
	return []Fault{
		{Name: "server-error", Does: "every answer is 500", before: status(http.StatusInternalServerError, always)},
		{Name: "server-error-once", Does: "the first answer to every request is 500", before: status(http.StatusInternalServerError, firstTime)},
		{Name: "error-after", Does: "pages that begin at record N of the list, or later, are 500", N: 250, before: status(http.StatusInternalServerError, fromN)},
		{Name: "forbidden", Does: "every answer is 403", before: status(http.StatusForbidden, always)},
		{Name: "no-default-agent", Does: "refuses Go's own User-Agent, or none, with 403", before: status(http.StatusForbidden, defaultAgent)},
		{Name: "tokens-422", Does: "every request with a token is answered by 422", before: status(http.StatusUnprocessableEntity, (*call).goesOn)},
		{Name: "tokens-500", Does: "every request with a token is answered by 500", before: status(http.StatusInternalServerError, (*call).goesOn)},
		{Name: "empty-window-422", Does: "a window without records is answered by 422", after: emptyWindow(http.StatusUnprocessableEntity)},
		{Name: "empty-window-500", Does: "a window without records is answered by 500", after: emptyWindow(http.StatusInternalServerError)},
		{Name: "errors-with-status", Does: "protocol errors come with the HTTP status N", N: http.StatusBadRequest, after: errorsWithStatus},
		{Name: "busy-seconds", Does: "the first answer to every request is 503 with Retry-After: N seconds", N: 1, before: busy(503, seconds, firstTime)},
		{Name: "busy-date", Does: "the first answer to every request is 503 with Retry-After: a date N seconds from now", N: 1, before: busy(503, date, firstTime)},
		{Name: "busy-always", Does: "every answer is 503 with Retry-After: N seconds", N: 1, before: busy(503, seconds, always)},
		{Name: "too-many", Does: "the first answer to every request is 429 with Retry-After: N seconds", N: 1, before: busy(429, seconds, firstTime)},
		{Name: "moved", Does: "302 to the base URL without the fault", before: moved},
		{Name: "moved-in-circle", Does: "302 to itself", before: func(c *call) *answer { return redirect(c.r.URL.String()) }},
	}
}

func status(code int, when func(c *call) bool) func(c *call) *answer {
	return func(c *call) *answer {
		if !when(c) {
			return nil
		}
		return page(code, http.StatusText(code))
	}
}

func firstTime(c *call) bool { return c.once(c.key()) }

func fromN(c *call) bool { return c.query.verb != "" && c.query.cursor >= c.fault.N }

func defaultAgent(c *call) bool {
	agent := c.r.UserAgent()
	return agent == "" || strings.HasPrefix(agent, "Go-http-client")
}

func emptyWindow(code int) func(*call, *answer) *answer {
	return func(_ *call, a *answer) *answer {
		if a.problem != "noRecordsMatch" {
			return a
		}
		return page(code, http.StatusText(code))
	}
}

func errorsWithStatus(c *call, a *answer) *answer {
	if a.problem != "" {
		a.status = c.fault.N
	}
	return a
}

func busy(code int, write func(n int) string, when func(*call) bool) func(*call) *answer {
	return func(c *call) *answer {
		if !when(c) {
			return nil
		}
		a := newAnswer(code, "text/plain", []byte("slow down\n"))
		a.header["Retry-After"] = write(c.fault.N)
		return a
	}
}

func seconds(n int) string { return strconv.Itoa(n) }

func date(n int) string {
	return time.Now().Add(time.Duration(n) * time.Second).UTC().Format(http.TimeFormat)
}

func moved(c *call) *answer {
	args := url.Values{}
	for name, values := range c.args {
		if !strings.HasPrefix(values[0], faultSet) {
			args[name] = values
		}
	}
	return redirect("http://" + c.r.Host + Path + "?" + args.Encode())
}

func redirect(to string) *answer {
	a := newAnswer(http.StatusFound, "text/plain", nil)
	a.header["Location"] = to
	return a
}
