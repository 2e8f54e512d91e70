package polite

import "time"

// Rule is how one host wants to be treated; it is asked for anew whenever a
// request is about to leave.
type Rule struct {
	// Every is the gap between the end of an answer and the next request; when
	// set, one request is in flight at a time and Connections is not looked at.
	Every time.Duration
	// Slow is a gap kept because the host was in trouble; the longer one of both
	// holds. Settings.Slow is told what it shall be.
	Slow time.Duration
	// Connections bounds the requests in flight; 0 is DefaultConnections.
	Connections int
	// RestUntil and RestWhy: the host asked to be left alone.
	RestUntil time.Time
	RestWhy   string
	// Robots is RobotsObey, RobotsIgnore, or "" for what the visitor says.
	Robots string
	// Paused says why a person stopped all requests, at PausedAt, until PausedUntil or
	// for ever; empty: not paused.
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
