package polite

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// behind makes a client whose way out is a proxy; names resolve as given.
func behind(t *testing.T, s Settings, address string, names map[string]string) *http.Client {
	t.Helper()
	via, err := url.Parse(address)
	require.NoError(t, err)
	c := build(s, func(*url.URL) (*url.URL, error) { return via, nil }, func(_ context.Context, _, host string) ([]netip.Addr, error) {
		if a, ok := names[host]; ok {
			return []netip.Addr{netip.MustParseAddr("1.1.1.1"), netip.MustParseAddr(a)}, nil
		}
		return nil, errors.New("no such host")
	})
	t.Cleanup(c.Close)
	return c.HTTP(visit.Visitor{Timeout: patience})
}

func TestGuardHoldsThroughAProxy(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.String()) }) // test server
	names := map[string]string{"public.example": "8.8.8.8", "rebound.example": "10.0.0.1"}
	c := behind(t, loopback(), s.URL, names)
	for _, address := range []string{"http://public.example/x", "http://only-the-proxy-knows.example/x"} {
		_, text, err := get(t.Context(), c, address)
		require.NoError(t, err)
		require.Equal(t, address, string(text))
	}
	for _, host := range []string{"rebound.example", "169.254.169.254", "0xa9fea9fe", "10.1", "[fd00::1]"} {
		fails(t, c, "http://"+host+"/", harvest.KindBlocked)
	}
}

func TestPrivateProxyMustBeAllowed(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("asked") })
	c := behind(t, Settings{}, s.URL, nil)
	e := fails(t, c, "http://public.example/", harvest.KindBlocked)
	require.Contains(t, e.Error(), "--allow-network 127.0.0.1/32")
}

func TestBadProxyIsMisconfigured(t *testing.T) {
	t.Parallel()
	c := build(Settings{}, func(*url.URL) (*url.URL, error) { return nil, errors.New("parse \"http://user:pw@\"") }, nil)
	t.Cleanup(c.Close)
	e := fails(t, c.HTTP(visit.Visitor{Timeout: patience}), "http://public.example/", harvest.KindMisconfigured)
	require.NotContains(t, e.Error(), "pw")
}
