package polite

import (
	"net/http"
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

func TestGuardKnowsTheInside(t *testing.T) {
	t.Parallel()
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254",
		"172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.1.1", "198.18.0.1", "198.19.255.255", "224.0.0.1", "239.1.1.1",
		"240.0.0.1", "255.255.255.255",
		"::", "::1", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "100::1",
		"2001::1", "64:ff9b:1::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
		"64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:c0a8:101::1",
	} {
		err := newGuard(nil).check(netip.MustParseAddr(a))
		require.Equal(t, harvest.KindBlocked, harvest.KindOf(err), a)
		require.ErrorContains(t, err, "--allow-network", a)
	}
	for _, a := range []string{
		"1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1", "198.17.0.1", "223.255.255.255",
		"2606:4700::1111", "2a00:1450:4002::1", "64:ff9b::101:101", "2002:101:101::1", "::ffff:1.1.1.1",
	} {
		require.NoError(t, newGuard(nil).check(netip.MustParseAddr(a)), a)
	}
}

func TestGuardAllows(t *testing.T) {
	t.Parallel()
	g := newGuard([]netip.Prefix{netip.MustParsePrefix("10.3.0.0/16"), netip.MustParsePrefix("fd00::/8")})
	for _, a := range []string{"10.3.7.7", "::ffff:10.3.0.1", "fd12::1"} {
		require.NoError(t, g.check(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{"10.4.0.1", "127.0.0.1", "fc00::1"} {
		require.Error(t, g.check(netip.MustParseAddr(a)), a)
	}
}

func TestGuardStandsInTheDialer(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the guard let a request through") })
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	c, b := client(t, Settings{})
	hosts := []string{
		"127.0.0.1", "localhost", "LOCALHOST", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "0",
		"[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "169.254.169.254", "[fe80::1%25lo]", "[::]",
	}
	for _, host := range hosts {
		e := fails(t, c, "http://"+host+":"+u.Port()+"/x?secret=1", harvest.KindBlocked)
		require.Contains(t, e.Error(), "--allow-network", host)
		require.NotContains(t, e.Error(), "secret=1", host)
	}
	for _, line := range b.all() {
		require.Equal(t, harvest.KindBlocked, line.Kind)
		require.Zero(t, line.Status)
	}
	require.Len(t, b.all(), len(hosts))
}

func TestGuardHoldsOnRedirect(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
	})
	c, b := client(t, loopback())
	e := fails(t, c, s.URL, harvest.KindBlocked)
	require.Contains(t, e.Error(), "169.254.169.254 is a link-local address")
	require.Len(t, b.all(), 2)
}

func TestLiteral(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "0x7F.0.0.1": "127.0.0.1", "017700000001": "127.0.0.1",
		"4294967295": "255.255.255.255", "1.2.3.4.": "1.2.3.4", "::1": "::1",
	} {
		a, ok := literal(host)
		require.True(t, ok, host)
		require.Equal(t, want, a.String(), host)
	}
	for _, host := range []string{"", "example.it", "1.2.3.4.5", "256.1.1.1", "1.2.3.256", "4294967296", "1_0.0.0.1", "0x", "a.1"} {
		_, ok := literal(host)
		require.False(t, ok, host)
	}
}
