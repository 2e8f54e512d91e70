package polite

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds what must come to pass; no test waits for it to pass.
const patience = 10 * time.Second

// book collects what was recorded.
type reserve struct {
	mu    sync.Mutex
	lines []visit.Exchange
}

func (b *reserve) record(x visit.Exchange) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, x)
}

func (b *reserve) all() []visit.Exchange {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]visit.Exchange(nil), b.lines...)
}

// one waits until a line is there and returns it as the only one.
func (b *reserve) one(t *testing.T) visit.Exchange {
	t.Helper()
	require.Eventually(t, func() bool { return len(b.all()) > 0 }, patience, time.Millisecond)
	require.Len(t, b.all(), 1)
	return b.all()[0]
}

// loopback are settings that may reach the test servers.
func loopback() Settings {
	return Settings{
		Product: "Vendemmia/0.1 (+https://vendemmia.example)",
		Allow:   []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	}
}

func direct(*url.URL) (*url.URL, error) { return nil, nil }

func open(t *testing.T, s Settings) *Client {
	t.Helper()
	c := build(s, direct, nil)
	t.Cleanup(c.Close)
	return c
}

// client makes a client of its own process, as it were, with its book.
func client(t *testing.T, s Settings) (*http.Client, *reserve) {
	t.Helper()
	b := &reserve{}
	return open(t, s).HTTP(visit.Visitor{Contact: "ops@example.it", Timeout: patience, Record: b.record}), b
}

func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// get reads a whole answer; the error may be of the header or of the body.
func get(ctx context.Context, c *http.Client, address string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close() // read to the end
	b, err := io.ReadAll(resp.Body)
	return resp, b, err
}

// fails asserts the kind of a failed get and returns the error.
func fails(t *testing.T, c *http.Client, address string, kind harvest.Kind) *harvest.Error {
	t.Helper()
	_, _, err := get(t.Context(), c, address)
	require.Error(t, err)
	e := harvest.AsError(err)
	require.Equal(t, kind, e.Kind, err.Error())
	return e
}

func TestAnAnswerIsReadAndBooked(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Vendemmia/0.1 (+https://vendemmia.example; contact ops@example.it)", r.UserAgent())
		io.WriteString(w, "grapes") // test server
	})
	c, b := client(t, loopback())
	resp, text, err := get(t.Context(), c, s.URL+"/a?token=abc&page=2#x")
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode)
	require.Equal(t, "grapes", string(text))

	line := b.one(t)
	require.Equal(t, s.URL+"/a?token=***&page=2", line.URL)
	require.Equal(t, "127.0.0.1", line.Host)
	require.Equal(t, http.MethodGet, line.Method)
	require.Equal(t, 200, line.Status)
	require.EqualValues(t, 6, line.Bytes)
	require.Positive(t, line.Took)
	require.Empty(t, line.Kind)
	require.Equal(t, time.UTC, line.At.Location())
}

func TestStatusIsNoError(t *testing.T) {
	t.Parallel()
	for _, status := range []int{304, 401, 404, 410, 418, 500, 503} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		c, b := client(t, loopback())
		resp, _, err := get(t.Context(), c, s.URL)
		require.NoError(t, err)
		require.Equal(t, status, resp.StatusCode)
		require.Equal(t, status, b.one(t).Status)
	}
}

func TestUserAgent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ product, contact, want string }{
		{"V/1", "", "V/1"},
		{"V/1", "a@b.it", "V/1 (contact a@b.it)"},
		{"V/1 (+https://v)", "a@b.it", "V/1 (+https://v; contact a@b.it)"},
		{"V/1", "a\r\nX-Evil: 1", "V/1 (contact a X-Evil: 1)"},
		{"V/1", `team (redazione) \`, "V/1 (contact team redazione)"},
	} {
		require.Equal(t, c.want, userAgent(c.product, c.contact))
	}
}
