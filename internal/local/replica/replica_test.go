package replica

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T, c Config) *Feeds {
	t.Helper()
	f, err := StartFeeds(c)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

// one makes a house of one feed.
func one(t *testing.T, s Shape) *Feeds {
	t.Helper()
	return start(t, Config{Feeds: 1, Entries: 5, Shape: func(int) Shape { return s }})
}

// plain is a client that shows what came: no redirects, no decoding.
func plain(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ask gets an address with headers given as names and values in turn. The
// error may be the body's.
func ask(ctx context.Context, c *http.Client, address string, headers ...string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close() // read as far as it went
	b, err := io.ReadAll(resp.Body)
	return resp, b, err
}

func get(t *testing.T, address string, headers ...string) (*http.Response, []byte) {
	t.Helper()
	resp, b, err := ask(t.Context(), plain(t), address, headers...)
	require.NoError(t, err)
	return resp, b
}

func unpack(t *testing.T, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	out, err := io.ReadAll(r)
	require.NoError(t, err)
	return out
}

func TestSeedMakesTheBytes(t *testing.T) {
	t.Parallel()
	render := func(seed uint64) []byte {
		f := NewFeeds(Config{Seed: seed, Feeds: 20})
		f.Publish("0003", 4)
		f.Edit("0003", 2)
		var all []byte
		for _, name := range f.Names() {
			body, _ := f.at(name).render(1)
			all = append(all, body...)
		}
		return all
	}
	require.Equal(t, render(7), render(7))
	require.NotEqual(t, render(7), render(8))
}

func TestNewsReadsLikeNews(t *testing.T) {
	t.Parallel()
	f := NewFeeds(Config{Seed: 3, Feeds: 300, Entries: 10})
	slugs := map[string]bool{}
	for _, name := range f.Names() {
		slugs[f.at(name).paper.slug] = true
		ids := map[string]bool{}
		for _, e := range f.Entries(name) {
			require.NotContains(t, e.Title+e.Summary, "%!", "a template without its words")
			require.False(t, ids[e.Identity()])
			ids[e.Identity()] = true
		}
	}
	require.Len(t, slugs, 300, "every feed has a key of its own")
}

func TestFeedsGrow(t *testing.T) {
	t.Parallel()
	for _, format := range Formats() {
		f := one(t, Shape{Format: format})
		before := f.Holds("0000")
		require.Len(t, before, 5)
		grown := f.Publish("0000", 2)
		require.Len(t, grown, 2)
		require.Equal(t, append(grown, before...), f.Holds("0000"), "newest first; what was there keeps its identity")

		old := f.Entries("0000")
		f.Edit("0000", 1)
		now := f.Entries("0000")
		require.NotEqual(t, old[0].Title, now[0].Title)
		require.Equal(t, old[0].Identity(), now[0].Identity())
		require.Equal(t, old[1:], now[1:])
		require.Empty(t, f.Publish("0000", 0))
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	f := one(t, Shape{Format: RSS2, Window: 3})
	ids := f.Holds("0000")
	require.Len(t, ids, 3)
	grown := f.Publish("0000", 1)
	require.Equal(t, append(grown, ids[:2]...), f.Holds("0000"))
}

func TestValidators(t *testing.T) {
	t.Parallel()
	for _, weak := range []bool{false, true} {
		f := one(t, Shape{Format: RSS2, Weak: weak})
		url := f.URL("0000")
		resp, body := get(t, url)
		tag, modified := resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")
		require.Equal(t, weak, tag[0] == 'W')
		for _, c := range []struct {
			headers []string
			status  int
		}{
			{nil, 200},
			{[]string{"If-None-Match", tag}, 304},
			{[]string{"If-None-Match", `"other", ` + tag}, 304},
			{[]string{"If-None-Match", `"other"`}, 200},
			{[]string{"If-Modified-Since", modified}, 304},
			{[]string{"If-Modified-Since", "Thu, 01 Jan 2026 00:00:00 GMT"}, 200},
			{[]string{"If-None-Match", `"other"`, "If-Modified-Since", modified}, 200}, // the ETag outranks
		} {
			resp, got := get(t, url, c.headers...)
			require.Equal(t, c.status, resp.StatusCode, c.headers)
			require.Equal(t, tag, resp.Header.Get("ETag"))
			if c.status == 304 {
				require.Empty(t, got)
			} else {
				require.Equal(t, body, got)
			}
		}
		require.Equal(t, 3, f.Counts("0000").NotModified)
		f.Publish("0000", 1)
		resp, _ = get(t, url, "If-None-Match", tag, "If-Modified-Since", modified)
		require.Equal(t, 200, resp.StatusCode)
		require.NotEqual(t, tag, resp.Header.Get("ETag"))
		resp, _ = get(t, url, "If-Modified-Since", modified)
		require.Equal(t, 200, resp.StatusCode)
	}
}

func TestGzipWhenAskedFor(t *testing.T) {
	t.Parallel()
	f := one(t, Shape{Format: Atom1})
	resp, want := get(t, f.URL("0000"))
	require.Empty(t, resp.Header.Get("Content-Encoding"))
	resp, packed := get(t, f.URL("0000"), "Accept-Encoding", "gzip")
	require.Equal(t, "gzip", resp.Header.Get("Content-Encoding"))
	require.Equal(t, want, unpack(t, packed))
	require.Less(t, len(packed), len(want))
}

func TestManyHosts(t *testing.T) {
	t.Parallel()
	f := start(t, Config{Feeds: 12, Hosts: 4})
	seen := map[string]bool{}
	for _, name := range f.Names() {
		resp, _ := get(t, f.URL(name))
		require.Equal(t, 200, resp.StatusCode)
		seen[bare(resp.Request.URL.Host)] = true
	}
	require.Greater(t, len(seen), 1)
	total := 0
	for host := range seen {
		c := f.HostCounts(host)
		require.Equal(t, c.Requests, c.Statuses[200])
		require.Len(t, f.Arrivals(host), c.Requests)
		total += c.Requests
	}
	require.Equal(t, 12, total)
	require.Equal(t, 12, f.Total().Requests)
	f.ResetCounts()
	require.Zero(t, f.Total().Requests)
	require.Zero(t, f.Counts("0001").Requests)
}

// Where a machine has one loopback address only, two names are left.
func TestOneAddressIsEnough(t *testing.T) {
	t.Parallel()
	busy, err := listen(3, 0)
	require.NoError(t, err)
	t.Cleanup(func() { busy.Close() }) // a test's listener
	number, err := strconv.Atoi(port(busy))
	require.NoError(t, err)
	f := start(t, Config{Feeds: 3, Hosts: 3, Port: number}) // 127.0.0.3 is taken at this port
	at := func(host string) string { return net.JoinHostPort(host, port(busy)) }
	require.Equal(t, []string{at("127.0.0.1"), at("127.0.0.1"), at("localhost")}, f.Hosts())
	resp, _ := get(t, f.URL("0002"))
	require.Equal(t, 200, resp.StatusCode)
	require.Equal(t, 1, f.HostCounts("localhost").Requests)
}

func TestArrivals(t *testing.T) {
	t.Parallel()
	f := one(t, Shape{Format: RSS2})
	for range 3 {
		before := time.Now()
		get(t, f.URL("0000"))
		after := time.Now()
		all := f.Arrivals(f.Hosts()[0])
		last := all[len(all)-1]
		require.False(t, last.Begin.Before(before))
		require.False(t, last.End.Before(last.Begin))
		require.False(t, last.End.After(after))
		require.Equal(t, "/feed/0000", last.Path)
		require.Equal(t, 200, last.Status)
	}
}

func recorded(f *Feeds, host, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	f.Handler().ServeHTTP(w, r)
	return w
}

func TestHandlerAnswersByHost(t *testing.T) {
	t.Parallel()
	f := NewFeeds(Config{})
	t.Cleanup(f.Close)
	require.Equal(t, "http://replica.example/feed/0002", f.URL("0002"))
	for _, host := range []string{"a.example", "b.example:8080"} {
		w := recorded(f, host, "/feed/0001")
		require.Equal(t, 200, w.Code)
		require.Contains(t, w.Body.String(), "http://"+host+"/feed/0001", "addresses are of the host that was asked")
	}
	require.Equal(t, 1, f.HostCounts("b.example").Requests)
	require.Equal(t, 404, recorded(f, "a.example", "/feed/9999").Code)
	require.Contains(t, recorded(f, "a.example", "/").Body.String(), `rel="alternate"`)
}

func TestUnknownFeedIsTheTestsMistake(t *testing.T) {
	t.Parallel()
	f := NewFeeds(Config{})
	require.Panics(t, func() { f.URL("99") })
}
