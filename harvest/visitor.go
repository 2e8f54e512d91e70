package harvest

import (
	"context"
	"net/url"
	"time"
)

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
	// Yields says that the visitor rather comes back than waits long for its first
	// turn: where the line before the host is long, the first request fails at once
	// with an *Error that is Held, and its RetryAfter is a moment kept for it.
	Yields bool
	// Record, which may be nil, gets one Exchange per exchange (each hop of a
	// redirect is one) at the latest when its body was closed or read to the end.
	// It may be called from several goroutines. Requests that never left are no
	// exchange.
	Record func(Exchange)
	// Moved, which may be nil, is told each permanent redirect (301, 308) that is
	// followed: what was asked for, where it leads, and that as the ledger shows it.
	// It may be called from several goroutines. See Moves.
	Moved func(from, to *url.URL, shown string)
	// Waits, which may be nil, is told true when a request begins to wait for its
	// host, its turn or its robots.txt, and false when that is over. It may be called
	// from several goroutines.
	Waits func(bool)
	// Raw, where set, gets each body that came whole with a status below 300, and
	// returns its digest for the exchange's line. It is called before Record, and
	// the bytes are its own. When it fails, the line's note says so and the fetch
	// goes on.
	Raw func(body []byte) (digest string, err error)
}

type pageKey struct{}

// ForPage marks the requests made with the context it returns as those of the
// n-th page that this Fetch yields, counted from 1: for a fetcher that asks for
// some of the next page while one is committed. Their exchanges go into the ledger
// with that page; without a mark, with the page that is committed next.
func ForPage(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, pageKey{}, n)
}

// PageOf is the page a request was made for; 0 where nothing is said.
func PageOf(ctx context.Context) int {
	n, _ := ctx.Value(pageKey{}).(int)
	return n
}
