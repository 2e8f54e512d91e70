package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// parrot is a source that repeats what it is signed in to with, in all notations and
// wherever an answer may hold text. /token grants a token; hooks answer 500 at first.
type parrot struct {
	*httptest.Server
	token string

	mu       sync.Mutex
	requests strings.Builder
	hooks    int
}

func newParrot(t *testing.T, token string) *parrot {
	t.Helper()
	p := &parrot{token: token}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// got is every request so far, and what it was signed in with.
func (p *parrot) got() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests.String()
}

func (p *parrot) keep(r *http.Request, shown string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	raw, err := httputil.DumpRequest(r, true)
	fmt.Fprintf(&p.requests, "%s\n%s\n%v\n", raw, shown, err)
}

// shown is the credential of a request, as it came and as it is meant.
func shown(r *http.Request) string {
	user, password, _ := r.BasicAuth()
	if secret, err := url.QueryUnescape(password); err == nil && r.URL.Path == "/token" {
		password = secret
	}
	return strings.Join([]string{r.Header.Get("Authorization"), r.Header.Get("X-Key"), user, password, r.URL.Query().Get("k"), r.URL.Path}, " ")
}

// notations of a text, as encoders of several languages write them.
func notations(s string) string {
	inGo, _ := json.Marshal(s) // a string
	inPlain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(inGo))
	inPython := strings.NewReplacer("é", `\u00e9`, "…", `\u2026`).Replace(inPlain)
	inPHP := strings.ReplaceAll(inPython, "/", `\/`)
	quoted := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;").Replace(s)
	return strings.Join([]string{s, url.QueryEscape(s), url.PathEscape(s), string(inGo), inPlain, inPython, inPHP, html.EscapeString(s), quoted}, " | ")
}

// ServeHTTP is part of http.Handler.
func (p *parrot) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	said := shown(r)
	p.keep(r, said)
	w.Header().Set("ETag", `"`+url.PathEscape(said)+`"`)
	w.Header().Set("X-Said", url.QueryEscape(said))
	kind, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch kind {
	case "token":
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]any{"access_token": p.token, "token_type": "bearer", "expires_in": 3600}) // the client may be gone
	case "denied":
		http.Error(w, `{"error":"invalid_client","error_description":`+notations(said)+`}`, http.StatusUnauthorized)
	case "refuse":
		w.Header().Set("WWW-Authenticate", `Basic realm="`+url.QueryEscape(said)+`"`)
		http.Error(w, notations(said), http.StatusUnauthorized)
	case "moved":
		http.Redirect(w, r, p.URL+"/feed/"+url.PathEscape(said)+"?n="+url.QueryEscape(said), http.StatusMovedPermanently)
	case "lost":
		http.Redirect(w, r, "http://127.0.0.1:1/"+url.PathEscape(said)+"?n="+url.QueryEscape(said), http.StatusFound)
	case "broken":
		fmt.Fprintf(w, "this is no feed: %s", notations(said))
	case "hook":
		p.hook(w, said+r.URL.Path)
	case "robots.txt":
		http.NotFound(w, r)
	default:
		p.feed(w, said)
	}
}

func (p *parrot) hook(w http.ResponseWriter, said string) {
	p.mu.Lock()
	p.hooks++
	n := p.hooks
	p.mu.Unlock()
	if n == 1 {
		http.Error(w, notations(said), http.StatusInternalServerError)
	}
}

// feed has one good entry and one whose date cannot be read, which is set aside.
func (p *parrot) feed(w http.ResponseWriter, said string) {
	text, in := html.EscapeString(notations(said)), p.URL+"/e?k="+url.QueryEscape(said)
	fmt.Fprintf(w, `<feed xmlns="http://www.w3.org/2005/Atom"><title>%[1]s</title><id>x</id>`+
		`<entry><id>urn:%[2]s</id><title>A %[1]s</title><updated>2026-05-03T12:00:00Z</updated><link href="%[2]s"/><content>%[1]s</content></entry>`+
		`<entry><id>urn:bad:%[2]s</id><title>B %[1]s</title><updated>soon, %[1]s</updated><content>%[1]s</content></entry></feed>`, text, html.EscapeString(in))
}

// inBase64 are the ways a text may stand within a longer one in base64.
func inBase64(s string) (list []string) {
	for off := range 3 {
		coded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", off) + s))
		whole := (off + len(s)) / 3 * 4 // of these all bits are known
		list = append(list, coded[(off*8+5)/6:whole])
	}
	return list
}
