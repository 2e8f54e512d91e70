package polite

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// certified makes a server with a self-signed certificate and a client that
// trusts it, so that what is left to fail is what the certificate says.
func certified(t *testing.T, template x509.Certificate) (*httptest.Server, *http.Client) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.SerialNumber, template.IsCA, template.BasicConstraintsValid = big.NewInt(1), true, true
	template.Subject = pkix.Name{CommonName: "replica"}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	require.NoError(t, err)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	shared := open(t, loopback())
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	shared.ways.all.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	shared.ways.all.TLSClientConfig.RootCAs.AddCert(parsed)
	return s, shared.HTTP(visit.Visitor{Timeout: patience})
}

func TestCertificatesInWords(t *testing.T) {
	t.Parallel()
	local, now := []net.IP{net.IPv4(127, 0, 0, 1)}, time.Now()
	for words, template := range map[string]x509.Certificate{
		"":                                     {IPAddresses: local, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)},
		"the host's certificate expired on 20": {IPAddresses: local, NotBefore: now.Add(-2 * time.Hour), NotAfter: now.Add(-time.Hour)},
		"the host's certificate is valid only from 20":                {IPAddresses: local, NotBefore: now.Add(time.Hour), NotAfter: now.Add(2 * time.Hour)},
		"the host's certificate is for another name: repo.example.it": {DNSNames: []string{"repo.example.it"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour)},
	} {
		s, c := certified(t, template)
		if words == "" {
			_, _, err := get(t.Context(), c, s.URL)
			require.NoError(t, err)
			continue
		}
		require.Contains(t, fails(t, c, s.URL, harvest.KindUnreachable).Error(), words)
	}
}

func TestUnknownAuthority(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	c, b := client(t, loopback())
	e := fails(t, c, s.URL, harvest.KindUnreachable)
	require.Contains(t, e.Error(), "the host's certificate is")
	require.Equal(t, harvest.KindUnreachable, b.one(t).Kind)
}

func TestNoTLSAtThePort(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	c, _ := client(t, loopback())
	e := fails(t, c, strings.Replace(s.URL, "http:", "https:", 1), harvest.KindUnreachable)
	require.Contains(t, e.Error(), "does not speak TLS")
}

func TestDowngradeIsNoted(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { require.Empty(t, r.Header.Get("Authorization")) })
	s := httptest.NewTLSServer(http.RedirectHandler(plain.URL, http.StatusFound))
	t.Cleanup(s.Close)
	shared, b := open(t, loopback()), &reserve{}
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	shared.ways.all.TLSClientConfig = &tls.Config{RootCAs: pool}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer x")
	resp, err := shared.HTTP(visit.Visitor{Timeout: patience, Record: b.record}).Do(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Len(t, b.all(), 2)
	require.Equal(t, "redirected from https to http", b.all()[1].Note)
}
