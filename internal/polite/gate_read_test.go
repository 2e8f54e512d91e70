package polite

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// What servers send in place of a robots.txt, and what it comes to for /closed.
func TestRobotsAsServersSendThem(t *testing.T) {
	t.Parallel()
	const closed = "User-agent: *\nDisallow: /closed\n"
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) } // a test server
	}
	for name, c := range map[string]struct {
		robots http.HandlerFunc
		want   harvest.Kind // of /closed; "": it may be asked
	}{
		"text":            {text(closed), harvest.KindBlocked},
		"empty":           {text(""), ""},
		"byte order mark": {text("\xef\xbb\xbf" + closed), harvest.KindBlocked},
		"zero bytes":      {text("\x00\x00\n" + closed + "\x00"), harvest.KindBlocked},
		"HTML":            {text("<!DOCTYPE html><html><head><title>Home</title></head><body>User-agent: none</body></html>"), ""},
		"no content":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, ""},
		"huge":            {text(closed + strings.Repeat("# nothing\n", 1<<20)), harvest.KindBlocked},
		"huge, and says so": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(closed)+20_000_000))
			io.WriteString(w, closed+strings.Repeat("# nothing\n", 2_000_000)) // who asks hangs up
		}, harvest.KindBlocked},
		"cut short": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, closed)
		}, harvest.KindServerError}, // a test server
		"in a loop":                     {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/robots.txt", http.StatusFound) }, ""},
		"to the front page":             {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusMovedPermanently) }, ""},
		"a redirect without address":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) }, harvest.KindBroken},
		"hangs up":                      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, harvest.KindUnreachable},
		"unavailable for legal reasons": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnavailableForLegalReasons) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					c.robots(w, r)
				}
			})
			_, _, err := get(t.Context(), reader(open(t, loopback()), &reserve{}), s.URL+"/closed")
			require.Equal(t, c.want, harvest.KindOf(err), "%v", err)
		})
	}
}

func TestRobotsThatNeverCome(t *testing.T) {
	t.Parallel()
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	h := open(t, loopback()).HTTP(visit.Visitor{Timeout: 100 * time.Millisecond, Robots: true})
	e := fails(t, h, s.URL+"/x", harvest.KindTimeout)
	require.ErrorContains(t, e, "the site must not be asked")
}

// In a run of days the file is read anew, and what it says then holds.
func TestRobotsAreReadAnewAfterADay(t *testing.T) {
	t.Parallel()
	var closed atomic.Bool
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" && closed.Load() {
			io.WriteString(w, "User-agent: *\nDisallow: /") // a test server
		}
	})
	c := open(t, loopback())
	h := reader(c, &reserve{})
	_, _, err := get(t.Context(), h, s.URL+"/x")
	require.NoError(t, err)
	closed.Store(true)
	_, _, err = get(t.Context(), h, s.URL+"/x")
	require.NoError(t, err, "the one that was read serves for a day")
	origin := "http://" + s.Listener.Addr().String()
	old := *c.gate.get(origin)
	require.WithinDuration(t, time.Now().Add(robotsFor), old.until, time.Minute)
	old.until = time.Now()
	c.gate.put(origin, &old)
	fails(t, h, s.URL+"/x", harvest.KindBlocked)
}

// However long its turn is waited for, robots.txt is had: behind a gap of two minutes
// each.
func TestRobotsWaitForTheirTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const gap = 2 * time.Minute
		host := &troubled{}
		wire := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		server := &http.Server{Handler: host, ReadHeaderTimeout: time.Hour}
		go server.Serve(wire) // ends with the test
		settings := loopback()
		settings.Rules = every(gap)
		c := build(settings, direct, nil)
		c.ways.all.DialContext = wire.dial
		for _, h := range []*http.Client{c.HTTP(visit.Visitor{}), c.HTTP(visit.Visitor{Robots: true})} {
			_, _, err := get(t.Context(), h, "http://127.0.0.1/x")
			require.NoError(t, err)
		}
		require.Len(t, host.asked, 3)
		require.Equal(t, []time.Duration{gap}, host.gaps())
		c.Close()
		require.NoError(t, server.Close())
		synctest.Wait()
	})
}

// A request that a pause kept from leaving says nothing about robots.txt.
func TestAPauseIsNoAnswerOfRobots(t *testing.T) {
	t.Parallel()
	s := newSite(t, 200, "User-agent: *\nDisallow: /closed")
	var paused atomic.Bool
	paused.Store(true)
	settings := loopback()
	settings.Rules = func(string) Rule { return Rule{Paused: map[bool]string{true: "they rebuild"}[paused.Load()]} }
	h := reader(open(t, settings), &reserve{})
	e := fails(t, h, s.address+"/x", harvest.KindThrottled)
	require.True(t, e.Deferred)
	require.ErrorContains(t, e, "the host is paused: they rebuild")
	paused.Store(false)
	_, _, err := get(t.Context(), h, s.address+"/x")
	require.NoError(t, err)
}

// The gap is the host's, whichever of its origins asked for it, and only where
// robots.txt is heeded.
func TestCrawlDelayIsTheHostsOwn(t *testing.T) {
	t.Parallel()
	slow, other := newSite(t, 200, "User-agent: *\nCrawl-delay: 0.15"), newSite(t, 200, "")
	var ignore atomic.Bool
	settings := loopback()
	settings.Rules = func(string) Rule { return Rule{Robots: map[bool]string{true: RobotsIgnore}[ignore.Load()]} }
	c := open(t, settings)
	for _, s := range []*site{slow, other} {
		_, _, err := get(t.Context(), reader(c, &reserve{}), s.address+"/x")
		require.NoError(t, err)
	}
	require.Equal(t, 150*time.Millisecond, c.rule("127.0.0.1").Every)
	ignore.Store(true)
	require.Zero(t, c.rule("127.0.0.1").Every)
}

// The gap that one process has read of holds for all of them.
func TestCrawlDelayIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t, 200, "User-agent: *\nCrawl-delay: 0.15")
	var told []string
	settings := loopback()
	settings.Delay = func(_ context.Context, host string, gap, keep time.Duration) error {
		told = append(told, fmt.Sprint(host, " ", gap, " ", keep.Round(time.Hour)))
		return nil
	}
	h := reader(open(t, settings), &reserve{})
	for range 2 {
		_, _, err := get(t.Context(), h, s.address+"/x")
		require.NoError(t, err)
	}
	require.Equal(t, []string{"127.0.0.1 150ms 24h0m0s"}, told)
}

// A redirect to another host is a request to that host: its robots.txt, its pause.
func TestARedirectObeysTheHostItLeadsTo(t *testing.T) {
	t.Parallel()
	there := newSite(t, 200, "User-agent: *\nDisallow: /closed")
	name := strings.Replace(there.address, "127.0.0.1", "localhost", 1)
	here := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" {
			http.Redirect(w, r, name+r.URL.Path, http.StatusFound)
		}
	})
	var paused atomic.Bool
	settings := loopback()
	settings.Rules = func(host string) Rule {
		return Rule{Paused: map[bool]string{true: "they rebuild"}[host == "localhost" && paused.Load()]}
	}
	b := &reserve{}
	h := reader(open(t, settings), b)
	fails(t, h, here.URL+"/closed", harvest.KindBlocked)
	_, text, err := get(t.Context(), h, here.URL+"/open")
	require.NoError(t, err)
	require.Equal(t, "page", string(text))
	var asked []string
	for _, line := range b.all() {
		asked = append(asked, line.Host+line.URL[strings.LastIndex(line.URL, "/"):]+" "+strconv.Itoa(line.Status)+" "+line.Note)
	}
	require.Equal(t, []string{
		"127.0.0.1/robots.txt 200 ", "127.0.0.1/closed 302 robots: allowed", "localhost/robots.txt 200 ",
		"127.0.0.1/open 302 robots: allowed", "localhost/open 200 robots: allowed",
	}, asked)
	paused.Store(true)
	fails(t, h, here.URL+"/open", harvest.KindThrottled)
}
