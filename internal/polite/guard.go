package polite

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// guard refuses private addresses. It checks the address that is about to be connected,
// after name resolution, so that neither a name nor a second answer of a name server
// bypasses it.
type guard struct {
	allow  []netip.Prefix
	dialer net.Dialer
}

func newGuard(allow []netip.Prefix) *guard {
	g := &guard{allow: allow}
	g.dialer = net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second, Control: g.control}
	return g
}

// dial checks literal addresses in every notation and leaves names to control. Both run
// in goroutines of net and net/http.
func (g *guard) dial(ctx context.Context, network, address string) (conn net.Conn, err error) {
	err = harvest.Safely("connect to", address, func() error {
		conn, err = g.connect(ctx, network, address)
		return err
	})
	return conn, err
}

func (g *guard) connect(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if a, ok := literal(host); ok {
		if err := g.check(a); err != nil {
			return nil, err
		}
	}
	return g.dialer.DialContext(ctx, network, address)
}

func (g *guard) control(_, address string, _ syscall.RawConn) error {
	return harvest.Safely("connect to", address, func() error {
		a, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("connect to %q: not an internet address: %w", address, err)
		}
		return g.check(a.Addr())
	})
}

// check returns a KindBlocked error for an address that must not be reached.
func (g *guard) check(a netip.Addr) error {
	a = a.WithZone("").Unmap()
	what := inside(a)
	if what == "" || g.allowed(a) {
		return nil
	}
	return &harvest.Error{
		Kind: harvest.KindBlocked, Op: "connect to", On: a.String(),
		Err:    fmt.Errorf("%s is %s: refused", a, what),
		Advice: "worker --allow-network " + netip.PrefixFrom(a, a.BitLen()).String() + " allows it",
	}
}

func (g *guard) allowed(a netip.Addr) bool {
	for _, p := range g.allow {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// literal parses an address as leniently as any resolver: with a zone, as one number,
// with fewer than four parts, octal or hexadecimal.
func literal(host string) (netip.Addr, bool) {
	if a, err := netip.ParseAddr(host); err == nil {
		return a, true
	}
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || strings.Contains(part, "_") {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, false
			}
			sum |= n << (24 - 8*i)
			continue
		}
		if n >= 1<<(32-8*i) {
			return netip.Addr{}, false
		}
		sum |= n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}
