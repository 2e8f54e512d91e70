package polite

import (
	"net/http"
	"time"
)

// maxHeader bounds the header of an answer; real ones stay under 16 KiB.
const maxHeader = 256 << 10

// maxIdle bounds the idle connections of a process, which may all be one host's: a
// host that allows hundreds at once must not be connected to anew for each request.
const maxIdle = 512

// newTransport makes the one transport of a process. Compression is off because
// body decodes itself: it counts what was transferred.
func newTransport(g *guard, p *proxy) *http.Transport {
	return &http.Transport{
		Proxy:                  p.choose,
		DialContext:            g.dial,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    maxIdle,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
	}
}
