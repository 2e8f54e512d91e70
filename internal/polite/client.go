package polite

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"

	"github.com/vendemmia/vendemmia/harvest"
)

// Defaults of what Settings and HTTP leave open.
const (
	DefaultMaxBody     = 16 << 20
	DefaultConnections = 2
	DefaultTimeout     = time.Minute
)

// Rule is how one host wants to be treated; it is asked for anew whenever a
// request is about to leave.
type Rule struct {
	// Every is the gap between the end of an answer and the next request; when
	// set, one request is in flight at a time and Connections is not looked at.
	Every time.Duration
	// Connections bounds the requests in flight; 0 is DefaultConnections.
	Connections int
	// RestUntil and RestWhy: the host asked to be left alone.
	RestUntil time.Time
	RestWhy   string
	// Paused says why a person stopped all requests; empty: not paused.
	Paused string
}

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

// Settings are what all clients of a process share.
type Settings struct {
	// Product begins the User-Agent: "Vendemmia/0.1 (+https://…)"; the contact
	// is added per client.
	Product string
	// Allow are networks that may be dialled though private, loopback or
	// link-local.
	Allow []netip.Prefix
	// MaxBody is the largest body in bytes, as transferred and after
	// decompression; 0 is DefaultMaxBody.
	MaxBody int64
	// Rules gives the rule of a host as Host names it. It is called often,
	// from many goroutines and with the host's queue locked: it must be quick
	// and must not ask through this client. Nil is the zero Rule for all.
	Rules func(host string) Rule
	// Rest is told when a host asked for rest; it may block briefly. May be nil.
	Rest func(ctx context.Context, host string, until time.Time, why string)
}

// Client owns the connections and the pace of a process. Make one, share it.
type Client struct {
	settings  Settings
	transport *http.Transport
	turns     *turns
	gzips     sync.Pool // of *gzip.Reader: 40 KiB each
}

// New makes the client of a process. It honours HTTP_PROXY, HTTPS_PROXY and
// NO_PROXY; see the proxy type for how the network guard holds there.
func New(s Settings) *Client {
	return build(s, httpproxy.FromEnvironment().ProxyFunc(), net.DefaultResolver.LookupNetIP)
}

type lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)

func build(s Settings, via func(*url.URL) (*url.URL, error), resolve lookup) *Client {
	s.MaxBody = cmp.Or(s.MaxBody, DefaultMaxBody)
	s.Product = cmp.Or(s.Product, "Vendemmia")
	if s.Rules == nil {
		s.Rules = func(string) Rule { return Rule{} }
	}
	g := newGuard(s.Allow)
	return &Client{
		settings:  s,
		transport: newTransport(g, &proxy{via: via, resolve: resolve, guard: g}),
		turns:     newTurns(s.Rules),
	}
}

// HTTP returns a client for one item. Contact goes into the User-Agent. Timeout
// bounds each exchange from departure to the last byte of its body, not the
// wait for the host's turn; 0 is DefaultTimeout. Record, which may be nil, gets
// one Exchange per exchange (each hop of a redirect is one) at the latest when
// its body was closed or read to the end, and may be called from several
// goroutines; requests that never left are no exchange.
//
// A body must be read to its end or closed before the same item asks the same
// host again: it holds the host's turn until then, at most for the timeout.
func (c *Client) HTTP(contact string, timeout time.Duration, record func(harvest.Exchange)) *http.Client {
	if record == nil {
		record = func(harvest.Exchange) {}
	}
	return &http.Client{
		Transport: &roundTripper{
			client: c, agent: userAgent(c.settings.Product, contact),
			timeout: cmp.Or(timeout, DefaultTimeout), record: record,
		},
		CheckRedirect: checkRedirect,
	}
}

// Close closes idle connections; requests in flight go on.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Host names the host of an address as rules and the ledger do: lower case,
// without port and trailing dot.
func Host(u *url.URL) string {
	return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
}
