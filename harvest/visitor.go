package harvest

import "time"

// Visitor is on whose behalf a source is asked, and how.
type Visitor struct {
	// Contact goes into the User-Agent.
	Contact string
	// Timeout bounds each exchange from departure to the last byte of its body,
	// not the wait for the host's turn; 0 is the client's default.
	Timeout time.Duration
	// Robots says that robots.txt is to be heeded where the host's rule leaves it
	// open: for pages, not for protocols (Description.Protocol).
	Robots bool
	// Priority orders those who wait for one host: 1 urgent … 5 idle; 0 is 3.
	Priority int
	// Record, which may be nil, gets one Exchange per exchange (each hop of a
	// redirect is one) at the latest when its body was closed or read to the end.
	// It may be called from several goroutines. Requests that never left are no
	// exchange.
	Record func(Exchange)
	// Raw, where set, gets each body that came whole with a status below 300, and
	// returns its digest for the exchange's line. It is called before Record, and
	// the bytes are its own. When it fails, the line's note says so and the fetch
	// goes on.
	Raw func(body []byte) (digest string, err error)
}
