package polite

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// shownTo collects, by path, what a server was shown.
type shownTo struct {
	mu sync.Mutex
	at map[string][]string
}

func (s *shownTo) note(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.at == nil {
		s.at = map[string][]string{}
	}
	shown := r.Header.Get("Authorization")
	if key := r.Header.Get("X-Key"); key != "" {
		shown += "key " + key
	}
	s.at[r.URL.Path] = append(s.at[r.URL.Path], shown)
}

func (s *shownTo) all() map[string][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

func TestSignInIsSentToItsOriginsAlone(t *testing.T) {
	t.Parallel()
	for want, auth := range map[string]visit.Auth{
		"Basic Ym9iOnBAOg==": {Basic: &visit.Basic{User: "bob", Password: "p@:"}},
		"Bearer s3cret":      {Bearer: "s3cret"},
		"key s3cret":         {Header: &visit.Header{Name: "X-Key", Value: "s3cret"}},
	} {
		var here, there shownTo
		other := serve(t, func(w http.ResponseWriter, r *http.Request) {
			there.note(r)
			if back, ok := strings.CutPrefix(r.URL.Path, "/back/"); ok {
				http.Redirect(w, r, "http://"+back+"/returned", http.StatusFound)
			}
		})
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			here.note(r)
			switch r.URL.Path {
			case "/inside":
				http.Redirect(w, r, "/end", http.StatusMovedPermanently)
			case "/away":
				http.Redirect(w, r, other.URL+"/away", http.StatusTemporaryRedirect)
			case "/boomerang":
				http.Redirect(w, r, other.URL+"/back/"+r.Host, http.StatusFound)
			}
		})
		a := auth.WithOrigins([]string{s.URL + "/x"})
		b := &reserve{}
		c := open(t, loopback()).HTTP(visit.Visitor{Timeout: patience, Record: b.record, Robots: true, Auth: a})
		for _, path := range []string{"/direct", "/inside", "/away", "/boomerang"} {
			_, _, err := get(t.Context(), c, s.URL+path)
			require.NoError(t, err)
		}
		_, _, err := get(t.Context(), c, other.URL+"/elsewhere")
		require.NoError(t, err)
		require.Equal(t, map[string][]string{
			"/robots.txt": {want}, "/direct": {want}, "/inside": {want}, "/end": {want}, "/away": {want}, "/boomerang": {want}, "/returned": {""},
		}, here.all(), "to the origin, but not where a stranger sends us back to it")
		for path, shown := range there.all() {
			require.Equal(t, []string{""}, shown, path)
		}
		for _, x := range b.all() {
			require.NotContains(t, x.URL+x.Error+x.Note, "s3cret")
		}
	}
}

// TestSignInAlongRedirects is the table of chains: may the last request be signed in?
func TestSignInAlongRedirects(t *testing.T) {
	t.Parallel()
	for chain, want := range map[string]bool{
		"https://a.org/x":                                           true,
		"https://A.org:443/x":                                       true,
		"https://a.org./x":                                          true,
		"https://a.org/x https://a.org/y":                           true,
		"https://b.org/x":                                           false,
		"https://www.a.org/x":                                       false,
		"https://a.org.evil.org/x":                                  false,
		"https://a.org:8443/x":                                      false,
		"https://a.org@b.org/x":                                     false,
		"http://a.org/x":                                            false,
		"https://a.org/x http://a.org/y":                            false,
		"https://a.org/x http://a.org/y https://a.org/z":            false,
		"https://a.org/x https://b.org/y https://a.org/z":           false,
		"https://b.org/x https://a.org/y":                           false,
		"http://plain.org/x":                                        true,
		"http://plain.org/x https://plain.org/x":                    true,
		"http://plain.org/x https://plain.org/x http://plain.org/y": false,
		"http://plain.org/x https://plain.org:8443/x":               false,
		"https://plain.org:8443/x":                                  false,
	} {
		a := (&visit.Auth{Bearer: "s3cret"}).WithOrigins([]string{"https://a.org/oai", "http://plain.org/"})
		require.Equal(t, want, newSignIn(a).may(lastOf(t, chain)), chain)
	}
}

// lastOf returns the last request of a chain of redirects.
func lastOf(t *testing.T, addresses string) (req *http.Request) {
	t.Helper()
	for address := range strings.FieldsSeq(addresses) {
		u, err := url.Parse(address)
		require.NoError(t, err)
		next := &http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}}
		if req != nil {
			next.Response = &http.Response{Request: req}
		}
		req = next
	}
	return req
}

// grants is a source with client credentials; each token is good until expire.
type grants struct {
	mu     sync.Mutex
	n, use int
}

func (g *grants) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.URL.Path == "/token" {
		if id, secret, _ := r.BasicAuth(); id != "us" || secret != "s3cret" {
			http.Error(w, `{"error":"invalid_client","error_description":"not `+secret+`"}`, http.StatusUnauthorized)
			return
		}
		g.n++
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"access_token":"t` + strconv.Itoa(g.n) + `","token_type":"bearer","expires_in":3600}`)) // the client may be gone
		return
	}
	if g.use++; r.Header.Get("Authorization") != "Bearer t"+strconv.Itoa(g.n) {
		http.Error(w, "no", http.StatusUnauthorized)
	}
}

func (g *grants) expire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n++
}

func TestClientCredentials(t *testing.T) {
	t.Parallel()
	g := &grants{}
	s := serve(t, g.ServeHTTP)
	ask := func(secret string) *http.Client {
		auth := visit.Auth{OAuth2: &visit.OAuth2{AccessTokenURL: s.URL + "/token", ClientID: "us", ClientSecret: secret}}
		return open(t, loopback()).HTTP(visit.Visitor{Timeout: patience, Robots: true, Auth: auth.WithOrigins([]string{s.URL})})
	}
	c := ask("s3cret")
	for range 3 {
		resp, _, err := get(t.Context(), c, s.URL+"/list")
		require.NoError(t, err)
		require.Equal(t, 200, resp.StatusCode)
	}
	require.Equal(t, 1, g.n, "one token for all, robots.txt included")
	g.expire()
	resp, err := c.Post(s.URL+"/list", "text/plain", strings.NewReader("body"))
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 200, resp.StatusCode, "a token that has run out is replaced once")
	require.Equal(t, 3, g.n)

	_, _, err = get(t.Context(), ask("canary-of-another"), s.URL+"/list")
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.NotContains(t, err.Error(), "canary", "not even where the server repeats it")
	written := &visit.Auth{OAuth2: &visit.OAuth2{ClientSecret: "${secret:env:CLIENT}"}}
	require.ErrorContains(t, written.Explain(harvest.AsError(err)), "${secret:env:CLIENT}")
}
