package polite

import (
	"net/http"
	"time"
)

// maxHeader limits a response header; real ones stay under 16 KiB.
const maxHeader = 256 << 10

// maxIdle limits the idle connections of a process. All may belong to one host, so that
// a host that allows hundreds at once is not connected to again for each request.
const maxIdle = 512

// newTransport returns the transport of a process. Compression is off because body
// decodes, to count what was transferred.
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
