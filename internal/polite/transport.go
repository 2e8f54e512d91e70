package polite

import (
	"net/http"
	"time"
)

// maxHeader bounds the header of an answer; real ones stay under 16 KiB.
const maxHeader = 256 << 10

// newTransport makes the one transport of a process. Compression is off because
// body decodes itself: it counts what was transferred.
func newTransport(g *guard, p *proxy) *http.Transport {
	return &http.Transport{
		Proxy:                  p.choose,
		DialContext:            g.dial,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           512,
		MaxIdleConnsPerHost:    32,
		IdleConnTimeout:        30 * time.Second,
		TLSHandshakeTimeout:    15 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
	}
}
