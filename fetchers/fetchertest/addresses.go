package fetchertest

import (
	"context"
	"encoding/json"
	"html"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/hostile"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// perRound is how many hostile addresses one fetch meets.
const perRound = 12

// checkAddresses puts hostile addresses wherever the source or the campaign file has
// one: each ends as an error or is passed over, none as a panic.
func checkAddresses(t *testing.T, c Case) {
	s := &spoilt{}
	c.Source, s.healthy = s, c.Source
	base := c.serve(t, nil)
	s.base = base
	h := contained(t, base)
	addresses := hostile.Addresses(strings.TrimPrefix(base, "http://"))
	f := c.New(h)
	for _, address := range addresses {
		s.set(nil, address)
		c.survives(t, f, c.request(base, nil), "redirect to", address)
		s.set(nil, "")
		for name, params := range c.withAddress(t, base, address) {
			req := c.request(base, nil)
			req.Params = params
			c.survives(t, f, req, "param "+name, address)
		}
	}
	for i := 0; i < len(addresses); i += perRound {
		s.set(addresses[i:min(i+perRound, len(addresses))], "")
		c.survives(t, f, c.request(base, nil), "links to", addresses[i])
	}
}

// survives fetches once, and once more from the checkpoint.
func (c Case) survives(t *testing.T, f harvest.Fetcher, req harvest.Request, what, address string) {
	t.Helper()
	began := time.Now()
	for range 2 {
		r, err := fetchWithin(t, f, req)
		if err != nil {
			requireNoPanic(t, err)
			require.NotEqual(t, harvest.KindInternal, harvest.KindOf(err), "%s %.80q: %v", what, address, err)
		}
		if req.Checkpoint = r.checkpoint(); req.Checkpoint == nil {
			break
		}
	}
	require.Less(t, time.Since(began), patience, "%s %.80q", what, address)
}

// fetchWithin gives up a fetch that does not end.
func fetchWithin(t *testing.T, f harvest.Fetcher, req harvest.Request) (*record, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r := &record{}
	_, err := harvest.Pump(ctx, f, req, r)
	r.check(t)
	r.checkSum(t)
	return r, err
}

// withAddress is the case's params with the address in place of each one that leads
// to the source.
func (c Case) withAddress(t *testing.T, base, address string) map[string]json.RawMessage {
	t.Helper()
	var params map[string]any
	require.NoError(t, json.Unmarshal(c.Params(base), &params))
	out := map[string]json.RawMessage{}
	for name, v := range params {
		if text, ok := v.(string); ok && strings.HasPrefix(text, base) {
			params[name] = address
			raw, err := json.Marshal(params)
			require.NoError(t, err)
			out[name], params[name] = raw, v
		}
	}
	return out
}

// spoilt is a source that puts hostile addresses into healthy answers, or redirects
// to one.
type spoilt struct {
	healthy http.Handler
	base    string
	now     atomic.Pointer[spoil]
}

type spoil struct {
	links    []string
	redirect string
}

func (s *spoilt) set(links []string, redirect string) { s.now.Store(&spoil{links, redirect}) }

// ServeHTTP is part of http.Handler.
func (s *spoilt) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := s.now.Load()
	switch {
	case r.URL.Path == "/robots.txt":
		http.NotFound(w, r)
	case now.redirect != "":
		w.Header()["Location"] = []string{now.redirect}
		w.WriteHeader(http.StatusMovedPermanently)
	case len(now.links) == 0:
		s.healthy.ServeHTTP(w, r)
	default:
		rec := ask(r, s.healthy)
		send(w, rec, rec.Header().Get("Content-Type"), s.spoil(rec.Body.Bytes(), now.links))
	}
}

// places are where XML, HTML and JSON have addresses.
var places = regexp.MustCompile(`((?:href|src|url|resource|xml:base|action|content)=")([^"]*)(")|(>)(\s*https?://[^<]*)(<)|(: ?")(https?://[^"]*)(")`)

func (s *spoilt) spoil(body []byte, links []string) []byte {
	n := 0
	return places.ReplaceAllFunc(body, func(found []byte) []byte {
		m := places.FindSubmatch(found)
		for i := 1; i < len(m); i += 3 {
			if m[i] == nil {
				continue
			}
			address := html.EscapeString(links[n%len(links)])
			if n++; i == 7 {
				quoted, _ := json.Marshal(links[n%len(links)])
				address = strings.Trim(string(quoted), `"`)
			}
			return []byte(string(m[i]) + address + string(m[i+2]))
		}
		return found
	})
}

// contained asks this machine only: other names are as if they were not there.
func contained(t *testing.T, base string) *http.Client {
	t.Helper()
	h := visitor(t, visit.Visitor{Contact: "ops@example.org", Timeout: patience, Robots: true})
	h.Transport = fence{h.Transport, strings.TrimPrefix(base, "http://")}
	return h
}

type fence struct {
	http.RoundTripper
	host string
}

// RoundTrip is part of http.RoundTripper.
func (f fence) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := netip.ParseAddr(r.URL.Hostname()); err == nil || r.URL.Host == f.host || r.URL.Hostname() == "" {
		return f.RoundTripper.RoundTrip(r)
	}
	return nil, &url.Error{Op: "Get", URL: r.URL.String(), Err: &net.DNSError{Err: "no such host", Name: r.URL.Host, IsNotFound: true}}
}
