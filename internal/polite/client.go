package polite

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/idna"

	"github.com/vendemmia/vendemmia/internal/visit"
)

// Defaults of what Settings and HTTP leave open.
const (
	DefaultMaxBody     = 16 << 20
	DefaultConnections = 2
	DefaultTimeout     = time.Minute
)

// Settings are what all clients of a process share.
type Settings struct {
	// Product starts the User-Agent: "Vendemmia/0.1 (+https://…)"; the contact
	// is added per client.
	Product string
	// Allow lists private, loopback and link-local networks that may be dialed.
	Allow []netip.Prefix
	// MaxBody is the largest body in bytes, as transferred and after
	// decompression; 0 is DefaultMaxBody.
	MaxBody int64
	// Rules returns the rule of a host, by the name that Host returns. It is called
	// often, from many goroutines and with the host's queue locked: it must be quick
	// and must not use this client. Nil means the zero Rule for all hosts.
	Rules func(host string) Rule
	// Reservations, which may be nil, keeps the gap of a host across all processes;
	// without it each process keeps the gap on its own.
	Reservations Reservations
	// Rest is called when a host asks for no requests until a time; it may block
	// briefly. If it returns nil, Rules must return the time; otherwise, or if Rest is
	// nil, only this process keeps it.
	Rest func(ctx context.Context, host string, until time.Time, why string) error
	// Slow is called when responses of a host, 429 and 5xx without Retry-After, require
	// a longer gap, or good ones permit a shorter one; 0 is no gap. It may block
	// briefly, and concurrent calls are for different hosts. If it returns nil, Rules
	// must return the gap as Rule.Slow; otherwise, or if Slow is nil, only this process
	// keeps it.
	Slow func(ctx context.Context, host string, gap time.Duration, why string) error
	// Delay, which may be nil, is called with the Crawl-delay of a host and how long it
	// is valid, so that Rules returns it as Every in all processes. This process keeps
	// it in any case.
	Delay func(ctx context.Context, host string, gap, keep time.Duration) error
}

// Client owns the connections and rate limits of a process. Create one and share it.
type Client struct {
	settings Settings
	guard    *guard
	ways     transports
	limiter  *limiter
	gzips    sync.Pool // of *gzip.Reader: 40 KiB each
	gate     gate
	delays   sync.Map // host to time.Duration: its Crawl-delay
	strains  strains
}

// New returns the client of a process. It honors HTTP_PROXY, HTTPS_PROXY and
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
	c := &Client{settings: s, guard: g, strains: strains{notify: s.Slow}}
	c.ways.all = newTransport(g, &proxy{via: via, resolve: resolve, guard: g})
	c.limiter = newLimiter(c.rule, s.Reservations)
	return c
}

// rule returns the effective rule of a host: its settings, its Crawl-delay, and the gap
// after errors.
func (c *Client) rule(host string) Rule {
	r := c.settled(host)
	r.Every = max(r.Every, r.Slow)
	return r
}

// settled returns the rule of a host without the gap after errors in Every.
func (c *Client) settled(host string) Rule {
	r := c.settings.Rules(host)
	if d, ok := c.delays.Load(host); ok && r.Robots != RobotsIgnore {
		r.Every = max(r.Every, d.(time.Duration))
	}
	r.Slow = max(r.Slow, c.strains.kept(host))
	return r
}

// crawlDelay records the Crawl-delay of a host, and passes it to Settings.Delay.
func (c *Client) crawlDelay(host string, d, keep time.Duration) {
	if d == 0 {
		c.delays.Delete(host)
		return
	}
	c.delays.Store(host, d)
	if c.settings.Delay == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), reserveTimeout)
	defer stop()
	c.settings.Delay(ctx, host, d, keep) // who reads the file itself knows it
}

// HTTP returns a client for one visitor.
//
// A body must be read to its end or closed before the same visitor asks the same
// host again: it occupies one of the host's connections until then, at most
// for the timeout.
func (c *Client) HTTP(v visit.Visitor) *http.Client {
	v.Timeout = cmp.Or(v.Timeout, DefaultTimeout)
	if v.Record == nil {
		v.Record = func(visit.Exchange) {}
	}
	if v.Waits == nil {
		v.Waits = func(bool) {}
	}
	return &http.Client{
		Transport: &roundTripper{
			client: c, visitor: v, agent: userAgent(c.settings.Product, v.Contact), begun: new(atomic.Bool), signIn: newSignIn(v.Auth),
		},
		CheckRedirect: checkRedirect,
	}
}

// Leave waits until all reservations are released, so that other processes need not wait
// for leases to expire. A process calls it after its last request.
func (c *Client) Leave(ctx context.Context) error {
	if err := c.limiter.background.wait(ctx); err != nil {
		return fmt.Errorf("release the reservations of hosts: %w", err)
	}
	return nil
}

// Close closes idle connections; requests in flight go on.
func (c *Client) Close() { c.ways.closeIdle() }

// Host names the host of an address as rules and the ledger do: lower case, without
// port and trailing dot, as it is asked for (xn--…, one form of an IPv6 address).
func Host(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.IndexByte(host, ':') >= 0 {
		if a, err := netip.ParseAddr(host); err == nil {
			return a.String()
		}
	}
	if strings.IndexFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		if ascii, err := idna.Lookup.ToASCII(host); err == nil {
			return ascii
		}
	}
	return host
}
