package survey

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/internal/visit"
)

// BadCertificate stands where a TLS version would, when a host's certificate is
// refused.
const BadCertificate = "bad certificate"

// watch sees what passes between a Prober and its source.
type watch struct {
	mu    sync.Mutex
	tls   string
	first time.Duration
}

func (w *watch) seen() (string, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tls, w.first
}

// wrap is a client whose answers are looked at.
func (w *watch) wrap(c *http.Client) *http.Client {
	seen := *c
	seen.Transport = tap{next: c.Transport, watch: w}
	return &seen
}

// record takes the time of the first answer; robots.txt is not the source.
func (w *watch) record(x visit.Exchange) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == 0 && x.Status > 0 && !strings.HasSuffix(x.URL, "/robots.txt") {
		w.first = max(x.Took, time.Millisecond)
	}
}

type tap struct {
	next  http.RoundTripper
	watch *watch
}

func (t tap) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	switch {
	case err != nil && badCertificate(err):
		t.watch.say(BadCertificate)
	case err != nil:
	case resp.TLS == nil:
		t.watch.say("none")
	default:
		t.watch.say(strings.TrimPrefix(tls.VersionName(resp.TLS.Version), "TLS "))
	}
	return resp, err
}

// say keeps the last: where a redirect leads is what would be harvested.
func (w *watch) say(tls string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tls = tls
}

func badCertificate(err error) bool {
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return true
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return true
	}
	_, ok := errors.AsType[x509.CertificateInvalidError](err)
	return ok
}
