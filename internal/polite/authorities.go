package polite

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"sync"
)

// transports are the ways out: one for all hosts, and one for each pinned authority,
// so that no connection of one is used for the other.
type transports struct {
	all    *http.Transport
	mu     sync.Mutex
	pinned map[string]*http.Transport // by the host and its Rule.CA
}

// of returns the transport of a host. A pinned authority replaces those of the system
// for its host. Text that holds no certificate verifies nothing.
func (t *transports) of(host, ca string) *http.Transport {
	if ca == "" {
		return t.all
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	key := host + "\x00" + ca
	if one, ok := t.pinned[key]; ok {
		return one
	}
	one := t.all.Clone()
	one.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool(), MinVersion: tls.VersionTLS12}
	one.TLSClientConfig.RootCAs.AppendCertsFromPEM([]byte(ca)) // none: nothing is trusted
	if t.pinned == nil {
		t.pinned = map[string]*http.Transport{}
	}
	t.pinned[key] = one
	return one
}

func (t *transports) closeIdle() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all.CloseIdleConnections()
	for _, one := range t.pinned {
		one.CloseIdleConnections()
	}
}
