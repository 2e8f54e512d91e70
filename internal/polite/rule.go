package polite

import "time"

// Rule is how to treat one host. It is read again for each request.
type Rule struct {
	// Every is the gap between the end of a response and the next request. If set, at
	// most one request is in flight and Connections is ignored.
	Every time.Duration
	// Slow is a gap after errors; the longer of both applies. Settings.Slow reports
	// changes.
	Slow time.Duration
	// Connections limits the requests in flight; 0 is DefaultConnections.
	Connections int
	// RestUntil and RestWhy say that the host asked for no requests.
	RestUntil time.Time
	RestWhy   string
	// Robots is RobotsObey, RobotsIgnore, or "" for the visitor's setting.
	Robots string
	// CA holds the certificates, as PEM, of the only authorities that may vouch for the
	// host; empty: those of the system.
	CA string
	// Paused is why a person stopped all requests at PausedAt, until PausedUntil or
	// indefinitely; empty: not paused.
	Paused                string
	PausedAt, PausedUntil time.Time
}

// What a rule may say about robots.txt.
const (
	RobotsObey   = "obey"
	RobotsIgnore = "ignore"
)

func (r Rule) width() int {
	switch {
	case r.Every > 0:
		return 1
	case r.Connections > 0:
		return r.Connections
	default:
		return DefaultConnections
	}
}
