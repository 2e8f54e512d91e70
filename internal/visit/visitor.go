// Package visit describes who asks a source and how, and what was asked and answered:
// visitors, exchanges and permanent redirects.
package visit

import (
	"context"
	"net/url"
	"time"
)

// Visitor is the settings of one HTTP client: for whom it asks, and its callbacks.
type Visitor struct {
	// Contact goes into the User-Agent.
	Contact string
	// Timeout limits each exchange, from sending the request to the last byte of the
	// body, without the wait for the rate limit; 0 is the client's default.
	Timeout time.Duration
	// Robots is true if robots.txt applies unless the host's rule decides otherwise: for
	// pages, not for protocols (Description.Protocol).
	Robots bool
	// Priority orders requests that wait for the same host: 1 urgent … 5 idle; 0 is 3.
	Priority int
	// Yields is true if the first request is not to wait long: if the queue of the host
	// is long, it fails at once with a Deferred *harvest.Error, whose RetryAfter is a
	// time kept for it.
	Yields bool
	// Record, if set, gets one Exchange per HTTP exchange (each redirect is one), at the
	// latest when its body was closed or read to the end, from any goroutine. Requests
	// that were not sent are not recorded.
	Record func(Exchange)
	// Moved, if set, gets each permanent redirect (301, 308) that is followed: the
	// requested address, the target, and the target as the ledger shows it. It may be
	// called from several goroutines. See Moves.
	Moved func(from, to *url.URL, shown string)
	// Spend, if set, is called before each request is sent, but those for robots.txt; its
	// error, best a *harvest.Error, is why the request is not sent. It may block briefly.
	Spend func(context.Context) error
	// Waits, if set, is called with true when a request starts to wait for the rate limit
	// or for robots.txt, and with false when the wait ends, from any goroutine.
	Waits func(bool)
	// Auth, if set, is sent to the origins in Auth.To, and to no other: not where a redirect
	// leads elsewhere, nor after it led back, nor over http after https. Its secrets are
	// values here, not references.
	Auth *Auth
	// Granted, if set, gets each token that a server grants for Auth.OAuth2, before it is
	// sent anywhere, from any goroutine: it is a secret of the fetch.
	Granted func(token string)
	// Raw, if set, gets each complete body with a status below 300 and returns its digest
	// for the exchange. It is called before Record and owns the bytes. If it fails, the
	// exchange's note has the error and the fetch continues.
	Raw func(body []byte) (digest string, err error)
}
