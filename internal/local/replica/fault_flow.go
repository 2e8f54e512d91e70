package replica

import (
	"fmt"
	"net/http"
	"time"
)

// Cut sends the first bytes of the right answer, announces all of it, and
// closes the connection.
func Cut(bytes int) Fault {
	return Fault{Name: fmt.Sprintf("cut after %d bytes", bytes), serve: func(c *call) {
		a := c.whole()
		a.head(c.w)
		c.w.Write(a.body[:min(bytes, len(a.body)-1)]) // cut anyway
		flush(c.w)
		panic(http.ErrAbortHandler) // closes the connection, see net/http
	}}
}

// Drip sends the right answer byte by byte.
func Drip(pause time.Duration) Fault {
	return Fault{Name: "slow drip", serve: func(c *call) {
		a := c.whole()
		a.head(c.w)
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for i := range a.body {
			c.w.Write(a.body[i : i+1]) // the client may have gone
			flush(c.w)
			select {
			case <-tick.C:
			case <-c.r.Context().Done():
				return
			case <-c.done:
				return
			}
		}
	}}
}

// Hang takes the request and never answers.
func Hang() Fault {
	return Fault{Name: "hang", serve: func(c *call) { c.wait(); panic(http.ErrAbortHandler) }}
}

// HangUp closes the connection without an answer.
func HangUp() Fault {
	return Fault{Name: "hang up", serve: func(*call) { panic(http.ErrAbortHandler) }}
}

// Slow answers rightly, later.
func Slow(after time.Duration) Fault {
	return Fault{Name: "slow", serve: func(c *call) {
		select {
		case <-time.After(after):
			c.right().send(c.w)
		case <-c.r.Context().Done():
			panic(http.ErrAbortHandler)
		case <-c.done:
			panic(http.ErrAbortHandler)
		}
	}}
}

func flush(w http.ResponseWriter) {
	http.NewResponseController(w).Flush() // the client may have gone
}
