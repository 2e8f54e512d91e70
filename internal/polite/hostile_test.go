package polite

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/hostile"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/panics"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// contained makes a client for which all names lead to the server at via.
func contained(t testing.TB, via string) *http.Client {
	t.Helper()
	there, err := url.Parse(via)
	require.NoError(t, err)
	way := func(u *url.URL) (*url.URL, error) {
		if u.Host == there.Host {
			return nil, nil
		}
		return there, nil
	}
	c := build(loopback(), way, func(context.Context, string, string) ([]netip.Addr, error) { return nil, errors.New("no such host") })
	t.Cleanup(c.Close)
	return c.HTTP(visit.Visitor{Timeout: patience, Robots: true})
}

// requireDescribed: what went wrong is told by this package, or by net/http before
// this package was asked.
func requireDescribed(t *testing.T, err error, address string) {
	t.Helper()
	if err == nil {
		return
	}
	_, ours := errors.AsType[*harvest.Error](err)
	_, parsing := errors.AsType[*url.Error](err)
	require.True(t, ours || parsing, "%.80q: %v", address, err)
	_, panicked := errors.AsType[*panics.Panic](err)
	require.False(t, panicked, "%.80q: %v", address, err)
}

func TestAHostileAddressIsAnError(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	h := contained(t, s.URL)
	for _, address := range hostile.Addresses(s.Listener.Addr().String()) {
		_, _, err := get(t.Context(), h, address)
		requireDescribed(t, err, address)
	}
}

// redirects leads to what it is told to.
type redirects struct {
	mu sync.Mutex
	to string
}

func (r *redirects) set(to string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.to = to
}

// ServeHTTP is part of http.Handler. The address is put into the header as it is.
func (r *redirects) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if req.URL.Path == "/from" {
		w.Header()["Location"] = []string{r.to}
		w.WriteHeader(http.StatusFound)
	}
}

func TestAHostileRedirectIsAnError(t *testing.T) {
	t.Parallel()
	r := &redirects{}
	s := serve(t, r.ServeHTTP)
	h := contained(t, s.URL)
	for _, address := range hostile.Addresses(s.Listener.Addr().String()) {
		r.set(address)
		_, _, err := get(t.Context(), h, s.URL+"/from")
		requireDescribed(t, err, address)
	}
}

func FuzzAddress(f *testing.F) {
	r := &redirects{}
	s := serve(f, r.ServeHTTP)
	h := contained(f, s.URL)
	for _, address := range hostile.Addresses(s.Listener.Addr().String()) {
		if len(address) < 1000 {
			f.Add(address)
		}
	}
	f.Fuzz(func(t *testing.T, address string) {
		if u, err := url.Parse(address); err == nil {
			Host(u)
			MaskURL(u)
		}
		_, _, err := get(t.Context(), h, address)
		requireDescribed(t, err, address)
		r.set(address)
		_, _, err = get(t.Context(), h, s.URL+"/from")
		requireDescribed(t, err, address)
	})
}

// What is told of a host while its robots.txt is read runs in a goroutine that
// nobody else recovers.
func TestAPanicIsTheErrorOfWhoWaits(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "User-agent: *\nCrawl-delay: 1\n") }) // test server
	settings := loopback()
	settings.Delay = func(context.Context, string, time.Duration, time.Duration) error { panic("a defect") }
	e := fails(t, reader(open(t, settings), &reserve{}), s.URL+"/x", harvest.KindInternal)
	require.Contains(t, e.Error(), "read robots.txt of 127.0.0.1: panic: a defect")
}

// The advice of the guard is as good where robots.txt was what it refused.
func TestAGuardRefusalAtRobotsSaysWhatAllowsIt(t *testing.T) {
	t.Parallel()
	e := fails(t, reader(open(t, Settings{}), &reserve{}), "http://127.0.0.1:1/x", harvest.KindBlocked)
	require.Contains(t, e.Error(), "worker --allow-network 127.0.0.1/32 allows it")
}
