package oai

import (
	"net/http"
	"time"
)

func flowFaults() []Fault {
	return []Fault{
		{Name: "slow-pages", Does: "every answer comes N ms later", N: 1000, send: func(c *call, a *answer) { c.later(a, 1) }},
		{Name: "growing-delay", Does: "page k of a list, from 0, comes k times N ms later", N: 200, send: func(c *call, a *answer) { c.later(a, c.query.page) }},
		{Name: "hang", Does: "takes the request and never answers", send: func(c *call, _ *answer) { c.wait(nil); panic(http.ErrAbortHandler) }},
		{Name: "hang-up", Does: "closes the connection without an answer", send: func(*call, *answer) { panic(http.ErrAbortHandler) }},
		{Name: "cut-stream", Does: "announces the whole page and closes the connection after about N records of the list", N: 150, send: cutStream},
		{Name: "drip", Does: "sends a hundred bytes every N ms", N: 10, send: drip},
	}
}

// later sends after so many times N ms.
func (c *call) later(a *answer, times int) {
	timer := time.NewTimer(time.Duration(c.fault.N*times) * time.Millisecond)
	defer timer.Stop()
	if !c.wait(timer.C) {
		panic(http.ErrAbortHandler) // closes the connection, see net/http
	}
	c.send(a)
}

// wait reports whether the moment came before client or house went.
func (c *call) wait(moment <-chan time.Time) bool {
	select {
	case <-moment:
		return true
	case <-c.r.Context().Done():
	case <-c.house.done:
	}
	return false
}

func cutStream(c *call, a *answer) {
	left := c.fault.N - c.query.cursor
	if a.records == 0 || left >= a.records {
		c.send(a)
		return
	}
	c.head(a)
	c.w.Write(a.body[:len(a.body)*max(left, 0)/a.records]) // cut anyway
	flush(c.w)
	panic(http.ErrAbortHandler)
}

func drip(c *call, a *answer) {
	c.head(a)
	tick := time.NewTicker(time.Duration(max(1, c.fault.N)) * time.Millisecond)
	defer tick.Stop()
	for rest := a.body; len(rest) > 0; {
		n := min(100, len(rest))
		c.w.Write(rest[:n]) // the client may have gone
		flush(c.w)
		if rest = rest[n:]; !c.wait(tick.C) {
			return
		}
	}
}

func flush(w http.ResponseWriter) {
	http.NewResponseController(w).Flush() // the client may have gone
}
