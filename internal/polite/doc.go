// Package polite is the HTTP of a good citizen: one pace per host for the whole
// process, an honest User-Agent, a network guard, caps on everything a foreign
// server can send, and one ledger line per exchange.
//
// The transport never turns a status into an error; it fails only where there
// is no usable answer, always with a *harvest.Error (inside the *url.Error that
// net/http adds, whose own text repeats the address: print harvest.AsError(err)
// instead).
//
// A fetcher learns about redirects from the answer: resp.Request.Response is
// the redirect that led here, and so on back to the first request, whose
// Response is nil. A chain of nothing but 301 and 308 is a permanent move.
package polite
