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

	"github.com/vendemmia/vendemmia/harvest"
)

// Defaults of what Settings and HTTP leave open.
const (
	DefaultMaxBody     = 16 << 20
	DefaultConnections = 2
	DefaultTimeout     = time.Minute
)

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
	// Fleet, which may be nil, books the departures to hosts with a gap for all
	// processes together; without it each process keeps the gap for itself.
	Fleet Fleet
	// Rest is told when a host asked for rest; it may block briefly. After nil the
	// rest is to be seen in Rules; else, and where Rest is nil, this process keeps
	// it by itself.
	Rest func(ctx context.Context, host string, until time.Time, why string) error
	// Slow is told when a host's answers, 429 and 5xx that ask for no rest, call for
	// a longer gap, or good ones for a shorter one; 0 is none. It may block briefly,
	// and is called at once for different hosts only. After nil the gap is to be seen
	// in Rules, as Rule.Slow; else, and where Slow is nil, this process keeps it by
	// itself.
	Slow func(ctx context.Context, host string, gap time.Duration, why string) error
	// Delay, which may be nil, is told the Crawl-delay of a host and how long it holds,
	// so that Rules has it, as Every, for all processes; this one knows it anyway.
	Delay func(ctx context.Context, host string, gap, keep time.Duration) error
}

// Client owns the connections and the pace of a process. Make one, share it.
type Client struct {
	settings  Settings
	transport *http.Transport
	turns     *turns
	gzips     sync.Pool // of *gzip.Reader: 40 KiB each
	gate      gate
	delays    sync.Map // host to time.Duration: its Crawl-delay
	strains   strains
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
	c := &Client{settings: s, transport: newTransport(g, &proxy{via: via, resolve: resolve, guard: g}), strains: strains{tell: s.Slow}}
	c.turns = newTurns(c.rule, s.Fleet)
	return c
}

// rule is what holds for a host: what is set, its own Crawl-delay, and the gap
// of its trouble.
func (c *Client) rule(host string) Rule {
	r := c.settled(host)
	r.Every = max(r.Every, r.Slow)
	return r
}

// settled is the rule of a host with the gap that is kept at the best of times.
func (c *Client) settled(host string) Rule {
	r := c.settings.Rules(host)
	if d, ok := c.delays.Load(host); ok && r.Robots != RobotsIgnore {
		r.Every = max(r.Every, d.(time.Duration))
	}
	r.Slow = max(r.Slow, c.strains.kept(host))
	return r
}

// crawlDelay keeps the gap that a host's robots.txt asks for, and tells all others.
func (c *Client) crawlDelay(host string, d, keep time.Duration) {
	if d == 0 {
		c.delays.Delete(host)
		return
	}
	c.delays.Store(host, d)
	if c.settings.Delay == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), fleetTimeout)
	defer stop()
	c.settings.Delay(ctx, host, d, keep) //nolint:errcheck // who reads the file itself knows it
}

// HTTP returns a client for one visitor.
//
// A body must be read to its end or closed before the same visitor asks the same
// host again: it holds the host's turn until then, at most for the timeout.
func (c *Client) HTTP(v harvest.Visitor) *http.Client {
	v.Timeout = cmp.Or(v.Timeout, DefaultTimeout)
	if v.Record == nil {
		v.Record = func(harvest.Exchange) {}
	}
	if v.Waits == nil {
		v.Waits = func(bool) {}
	}
	return &http.Client{
		Transport:     &roundTripper{client: c, visitor: v, agent: userAgent(c.settings.Product, v.Contact), begun: new(atomic.Bool)},
		CheckRedirect: checkRedirect,
	}
}

// Leave waits until the fleet has been told of every departure that was used, and
// nobody waits for one: other processes need not wait for a lease to end. It is
// for a process about to end, after its last request.
func (c *Client) Leave(ctx context.Context) error {
	if err := c.turns.errands.wait(ctx); err != nil {
		return fmt.Errorf("give back the turns of hosts: %w", err)
	}
	return nil
}

// Close closes idle connections; requests in flight go on.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

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
