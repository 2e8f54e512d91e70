package polite

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// hops serves /N by redirecting to /N-1 down to /0.
func hops(w http.ResponseWriter, r *http.Request) {
	if n, _ := strconv.Atoi(r.URL.Path[1:]); n > 0 {
		http.Redirect(w, r, "/"+strconv.Itoa(n-1), http.StatusMovedPermanently)
	}
}

func TestRedirectsAreCounted(t *testing.T) {
	t.Parallel()
	s := serve(t, hops)
	c, b := client(t, loopback())
	resp, _, err := get(t.Context(), c, s.URL+"/10")
	require.NoError(t, err)
	require.Equal(t, "/0", resp.Request.URL.Path)
	require.Len(t, b.all(), 11, "each hop is an exchange")

	e := fails(t, c, s.URL+"/11", harvest.KindBroken)
	require.Contains(t, e.Error(), "more than 10 redirects")
}

func TestRedirectCircle(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, map[string]string{"/a": "/b", "/b": "/c", "/c": "/b"}[r.URL.Path], http.StatusFound)
	})
	c, b := client(t, loopback())
	e := fails(t, c, s.URL+"/a", harvest.KindBroken)
	require.Contains(t, e.Error(), "loop")
	require.Len(t, b.all(), 3)
}

func TestPermanentRedirectsAreNoted(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		code := map[string]int{"/robots.txt": 301, "/a": 301, "/b": 308, "/c": 302, "/d": 307}[r.URL.Path]
		to := map[string]string{"/robots.txt": "/r", "/a": "http://u:pw@" + r.Host + "/b?token=s3cret", "/b": "/c", "/c": "/d", "/d": "/end"}[r.URL.Path]
		if code != 0 {
			http.Redirect(w, r, to, code)
		}
	})
	var mu sync.Mutex
	var noted []string
	h := open(t, loopback()).HTTP(visit.Visitor{Timeout: patience, Robots: true, Moved: func(from, _ *url.URL, shown string) {
		mu.Lock()
		defer mu.Unlock()
		noted = append(noted, from.Path+" "+strings.TrimPrefix(shown, s.URL))
	}})
	_, _, err := get(t.Context(), h, s.URL+"/a")
	require.NoError(t, err)
	require.Equal(t, []string{"/a /b?token=***", "/b /c"}, noted)
}

// A fetcher sees by the chain of answers whether an address moved for good.
func TestPermanenceIsSeen(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		next := map[string]int{"/new": 301, "/newer": 308, "/now": 302}
		to := map[string]string{"/new": "/newer", "/newer": "/now", "/now": "/end"}
		if code := next[r.URL.Path]; code != 0 {
			http.Redirect(w, r, to[r.URL.Path], code)
		}
	})
	c, _ := client(t, loopback())
	resp, _, err := get(t.Context(), c, s.URL+"/new")
	require.NoError(t, err)
	var chain []string
	for r := resp.Request; r.Response != nil; r = r.Response.Request {
		chain = append(chain, fmt.Sprint(r.Response.StatusCode, " ", r.Response.Request.URL.Path, " ", r.URL.Path))
	}
	require.Equal(t, []string{"302 /now /end", "308 /newer /now", "301 /new /newer"}, chain)
}

func TestRedirectsThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for location, text := range map[string]string{
		"":                        "without an address",
		"http://[::1":             "invalid address",
		"ftp://example.it/x":      `scheme "ftp"`,
		"file:///etc/passwd":      `scheme "file"`,
		"http:///nohost":          "no host",
		"http://a b/?token=12345": "invalid address",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if location != "" {
				w.Header().Set("Location", location)
			}
			w.WriteHeader(http.StatusFound)
		})
		c, b := client(t, loopback())
		e := fails(t, c, s.URL, harvest.KindBroken)
		require.Contains(t, e.Error(), text)
		require.NotContains(t, e.Error(), "12345")
		require.Len(t, b.all(), 1)
	}
}

func TestOwnAddressWithoutHTTPIsMisconfigured(t *testing.T) {
	t.Parallel()
	c, b := client(t, loopback())
	for _, address := range []string{"ftp://example.it/x", "http:///x", "file:///etc/passwd"} {
		fails(t, c, address, harvest.KindMisconfigured)
	}
	require.Empty(t, b.all())
}

// seen keeps the headers that came to a path.
type seen struct {
	mu     sync.Mutex
	header map[string]http.Header
}

func (s *seen) keep(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.header == nil {
		s.header = map[string]http.Header{}
	}
	s.header[r.Host+r.URL.Path] = r.Header.Clone()
}

func TestCredentialsStayWithTheirHost(t *testing.T) {
	t.Parallel()
	var kept seen
	var s *httptest.Server
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		kept.keep(r)
		switch other := strings.Replace(s.URL, "127.0.0.1", "localhost", 1); r.URL.Path {
		case "/start":
			http.Redirect(w, r, "/same", http.StatusFound)
		case "/same":
			http.Redirect(w, r, other+"/other", http.StatusFound)
		case "/other":
			http.Redirect(w, r, s.URL+"/back", http.StatusFound)
		}
	})
	c, _ := client(t, loopback())
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/start?token=abc", nil)
	require.NoError(t, err)
	for _, name := range []string{"Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "Proxy-Authorization"} {
		req.Header.Set(name, "secret")
	}
	req.Header.Set("Accept", "text/xml")
	resp, err := c.Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())

	here := s.Listener.Addr().String()
	there := strings.Replace(here, "127.0.0.1", "localhost", 1)
	require.Equal(t, "secret", kept.header[here+"/same"].Get("Authorization"), "the same host is told")
	for _, position := range []string{there + "/other", here + "/back"} {
		h := kept.header[position]
		require.Equal(t, "text/xml", h.Get("Accept"), position)
		for name, values := range h {
			require.NotContains(t, strings.Join(values, " "), "secret", "%s at %s", name, position)
			require.NotContains(t, strings.Join(values, " "), "abc", "%s at %s", name, position)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"https://h/a", "https://h/b", true},
		{"https://h/a", "https://H:443/b", true},
		{"http://h/a", "https://h/b", true},
		{"https://h/a", "http://h/b", false},
		{"https://h/a", "https://sub.h/b", false},
		{"https://h/a", "https://h:8443/b", false},
		{"http://h:8080/a", "https://h/b", false},
	} {
		a, err := url.Parse(c.a)
		require.NoError(t, err)
		b, err := url.Parse(c.b)
		require.NoError(t, err)
		require.Equal(t, c.want, sameOrigin(a, b), "%s %s", c.a, c.b)
	}
}
