package polite

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

var quiet = log.New(io.Discard, "", 0)

// authority is a root that signs one authority in between, which signs hosts.
type authority struct {
	t             *testing.T
	root, between *x509.Certificate
	rootKey, key  *ecdsa.PrivateKey
	pem           string // of the root
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	a.root, a.rootKey = a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: "Root"}, IsCA: true}, nil, nil)
	a.between, a.key = a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: "Between"}, IsCA: true}, a.root, a.rootKey)
	a.pem = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.root.Raw}))
	return a
}

// sign makes a certificate that is valid for an hour, unless the template says else;
// without a parent it signs itself.
func (a *authority) sign(template, parent *x509.Certificate, by *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	template.SerialNumber, template.BasicConstraintsValid = big.NewInt(1), true
	template.NotBefore = time.Now().Add(-24 * time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	if parent == nil {
		parent, by = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	require.NoError(a.t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(a.t, err)
	return cert, key
}

func (a *authority) leaf(template x509.Certificate) tls.Certificate {
	template.Subject = pkix.Name{CommonName: "host"}
	if len(template.DNSNames) == 0 {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	cert, key := a.sign(&template, a.between, a.key)
	return tls.Certificate{Certificate: [][]byte{cert.Raw, a.between.Raw}, PrivateKey: key}
}

func (a *authority) whole() tls.Certificate { return a.leaf(x509.Certificate{}) }

func (a *authority) leafOnly() tls.Certificate {
	c := a.whole()
	c.Certificate = c.Certificate[:1]
	return c
}

func (a *authority) expired() tls.Certificate {
	return a.leaf(x509.Certificate{NotAfter: time.Now().Add(-time.Hour)})
}

func (a *authority) misnamed() tls.Certificate {
	return a.leaf(x509.Certificate{DNSNames: []string{"other.example"}})
}

func (a *authority) serve(t *testing.T, present tls.Certificate) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, wine) })) // test server
	s.TLS = &tls.Config{Certificates: []tls.Certificate{present}}
	s.Config.ErrorLog = quiet
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// nameServer answers each question for an IPv4 address with the next answer, and the last
// one for ever; "" is NXDOMAIN. It returns the way to it.
func nameServer(t *testing.T, answers []string) func(context.Context, string, string) (net.Conn, error) {
	t.Helper()
	l, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done }) // test server
	go func() {
		defer close(done)
		var asked atomic.Int64
		for b := make([]byte, 1500); ; {
			n, from, err := l.ReadFrom(b)
			if err != nil {
				return
			}
			l.WriteTo(dnsAnswer(b[:n], &asked, answers), from) // test server
		}
	}()
	return func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", l.LocalAddr().String())
	}
}

func dnsAnswer(question []byte, asked *atomic.Int64, answers []string) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.Additionals = true, nil
	q := m.Questions[0]
	i := asked.Load()
	if q.Type == dnsmessage.TypeA {
		i = asked.Add(1) - 1
	}
	address := net.ParseIP(answers[min(int(i), len(answers)-1)])
	head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
	switch v4 := address.To4(); {
	case address == nil:
		m.RCode = dnsmessage.RCodeNameError
	case v4 != nil && q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AResource{A: [4]byte(v4)}}}
	case v4 == nil && q.Type == dnsmessage.TypeAAAA:
		m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AAAAResource{AAAA: [16]byte(address)}}}
	}
	out, err := m.Pack()
	if err != nil {
		return nil
	}
	return out
}
