package polite

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

func TestHTTP2IsTreatedAlike(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, 2, r.ProtoMajor)
		switch r.URL.Path {
		case "/cut":
			io.WriteString(w, strings.Repeat(wine, 100)) // test server
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/drip":
			drip(w, r)
		default:
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(pack(t, "gzip", wine)) // test server
		}
	}))
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	shared, b := open(t, loopback()), &reserve{}
	shared.ways.all.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	shared.ways.all.TLSClientConfig.RootCAs.AddCert(s.Certificate())

	_, text, err := get(t.Context(), shared.HTTP(visit.Visitor{Timeout: patience, Record: b.record}), s.URL)
	require.NoError(t, err)
	require.Equal(t, wine, string(text))
	fails(t, shared.HTTP(visit.Visitor{Timeout: patience, Record: b.record}), s.URL+"/cut", harvest.KindServerError)
	fails(t, shared.HTTP(visit.Visitor{Timeout: 200 * time.Millisecond, Record: b.record}), s.URL+"/drip", harvest.KindTimeout)
	require.Len(t, b.all(), 3)
}
