package polite

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// site is a small site whose robots.txt answers with a status and a text.
type site struct {
	address string
	asked   atomic.Int64 // for robots.txt
	status  atomic.Int64
}

func newSite(t *testing.T, status int, text string) *site {
	t.Helper()
	s := &site{}
	s.status.Store(int64(status))
	s.address = serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			fmt.Fprint(w, "page")
			return
		}
		s.asked.Add(1)
		w.WriteHeader(int(s.status.Load()))
		fmt.Fprint(w, text)
	}).URL
	return s
}

func reader(c *Client, b *reserve) *http.Client {
	return c.HTTP(visit.Visitor{Timeout: patience, Robots: true, Record: b.record})
}

func TestRobotsAreHeeded(t *testing.T) {
	t.Parallel()
	s, b := newSite(t, 200, "User-agent: *\nDisallow: /\n\nUser-agent: Vendemmia\nDisallow: /closed\nAllow: /closed/but\n"), &reserve{}
	c := open(t, loopback())
	h := reader(c, b)
	_, text, err := get(t.Context(), h, s.address+"/open?q=1")
	require.NoError(t, err)
	require.Equal(t, "page", string(text))
	e := fails(t, h, s.address+"/closed/x", harvest.KindBlocked)
	require.ErrorContains(t, e, "robots.txt: disallowed by line 5 (Disallow: /closed)")
	require.Contains(t, e.Advice, "robots: ignore")
	_, _, err = get(t.Context(), h, s.address+"/closed/but/this")
	require.NoError(t, err)
	require.EqualValues(t, 1, s.asked.Load(), "one file serves for a day")
	lines := b.all()
	require.Len(t, lines, 3, "what was refused never left")
	require.True(t, strings.HasSuffix(lines[0].URL, "/robots.txt"))
	require.Equal(t, "robots: allowed", lines[1].Note)
	require.Equal(t, "robots: allowed by line 6 (Allow: /closed/but)", lines[2].Note)
}

func TestWhoHeedsRobots(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule    string
		visitor bool
		heeded  bool
	}{
		"page":                     {"", true, true},
		"protocol":                 {"", false, false},
		"page, the host ignores":   {RobotsIgnore, true, false},
		"protocol, the host obeys": {RobotsObey, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 200, "User-agent: *\nDisallow: /")
			settings := loopback()
			settings.Rules = func(string) Rule { return Rule{Robots: c.rule} }
			h := open(t, settings).HTTP(visit.Visitor{Timeout: patience, Robots: c.visitor})
			_, _, err := get(t.Context(), h, s.address+"/x")
			require.Equal(t, c.heeded, err != nil, "%v", err)
			require.Equal(t, c.heeded, s.asked.Load() == 1)
		})
	}
}

func TestRobotsByStatus(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]harvest.Kind{404: "", 403: "", 401: "", 410: "", 429: harvest.KindThrottled, 500: harvest.KindServerError, 503: harvest.KindServerError} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, status, "User-agent: *\nDisallow: /")
			h := reader(open(t, loopback()), &reserve{})
			_, _, err := get(t.Context(), h, s.address+"/x")
			require.Equal(t, kind, harvest.KindOf(err), "%v", err)
			if err != nil {
				require.ErrorContains(t, err, "the site must not be asked")
				require.Positive(t, harvest.AsError(err).RetryAfter)
			}
		})
	}
}

func TestRobotsOfAnUnreachableHost(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	s.Close()
	fails(t, reader(open(t, loopback()), &reserve{}), s.URL+"/x", harvest.KindUnreachable)
}

// While none can be had, the last good one serves.
func TestLastGoodRobotsServe(t *testing.T) {
	t.Parallel()
	s := newSite(t, 200, "User-agent: *\nDisallow: /closed")
	c := open(t, loopback())
	h := reader(c, &reserve{})
	_, _, err := get(t.Context(), h, s.address+"/open")
	require.NoError(t, err)
	s.status.Store(503)
	last := c.gate.get(s.address)
	expired := *last
	expired.until = time.Now()
	c.gate.put(s.address, &expired)
	fails(t, h, s.address+"/closed", harvest.KindBlocked)
	_, _, err = get(t.Context(), h, s.address+"/open")
	require.NoError(t, err)
	require.EqualValues(t, 2, s.asked.Load(), "it was asked for again, and not soon after")
	forgotten := expired
	forgotten.read, forgotten.until = time.Now().Add(-robotsPatience), time.Now()
	c.gate.put(s.address, &forgotten)
	fails(t, h, s.address+"/open", harvest.KindServerError)
}

func TestRobotsBehindRedirects(t *testing.T) {
	t.Parallel()
	hops := func(n int) string {
		return serve(t, func(w http.ResponseWriter, r *http.Request) {
			var at int
			switch _, err := fmt.Sscanf(r.URL.Path, "/hop/%d", &at); {
			case r.URL.Path == "/robots.txt" || err == nil && at < n:
				http.Redirect(w, r, fmt.Sprintf("/hop/%d", at+1), http.StatusFound)
			case err == nil:
				io.WriteString(w, "User-agent: *\nDisallow: /") // a test server
			}
		}).URL
	}
	h := reader(open(t, loopback()), &reserve{})
	fails(t, h, hops(robotsRedirects)+"/x", harvest.KindBlocked)
	_, _, err := get(t.Context(), h, hops(robotsRedirects+1)+"/x")
	require.NoError(t, err, "more redirects than that are no file")
}

func TestManyWaitForOneRobots(t *testing.T) {
	t.Parallel()
	s := newSite(t, 200, "")
	h := reader(open(t, loopback()), &reserve{})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, _, err := get(t.Context(), h, fmt.Sprintf("%s/%d", s.address, i))
			require.NoError(t, err)
		})
	}
	all.Wait()
	require.EqualValues(t, 1, s.asked.Load())
}

func TestCrawlDelayIsAGap(t *testing.T) {
	t.Parallel()
	s, c := newSite(t, 200, "User-agent: *\nCrawl-delay: 0.15"), open(t, loopback())
	b := &reserve{}
	h := reader(c, b)
	for range 3 {
		_, _, err := get(t.Context(), h, s.address+"/x")
		require.NoError(t, err)
	}
	lines := b.all()
	require.Len(t, lines, 4)
	for i := 2; i < len(lines); i++ {
		require.GreaterOrEqual(t, lines[i].At.Sub(lines[i-1].At.Add(lines[i-1].Took)), 149*time.Millisecond)
	}
}

func TestWaitingForRobotsEndsWithTheContext(t *testing.T) {
	t.Parallel()
	let := make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) { <-let })
	defer close(let)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, _, err := get(ctx, reader(open(t, loopback()), &reserve{}), s.URL+"/x")
	require.Equal(t, harvest.KindTimeout, harvest.KindOf(err))
	require.ErrorContains(t, err, "waiting for robots.txt")
}
