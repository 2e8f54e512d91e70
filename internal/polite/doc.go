// Package polite is the HTTP client of all fetchers: a rate limit per host, robots.txt, an
// honest User-Agent, a network guard, limits on everything a server sends, and one ledger
// line per exchange.
//
// The transport does not turn a status into an error. It fails only without a usable
// response, always with a *harvest.Error. net/http wraps that in a *url.Error, whose text
// repeats the address: print harvest.AsError(err) instead.
//
// Redirects are in the response: resp.Request.Response is the redirect that led to it, and
// so on back to the first request, whose Response is nil. A chain of 301 and 308 only is a
// permanent move.
package polite
