package polite

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Pages are kept as they read, whole or not at all.
func TestRawPagesAreKept(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, "the page") // a test server
			z.Close()                     // a test server
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, "none") // a test server
		case "/cut":
			w.Header().Set("Content-Length", "100")
			io.WriteString(w, "half") // a test server
		}
	})
	for path, want := range map[string]string{"/page": "the page", "/missing": "", "/cut": "", "/empty": ""} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			b, kept := &reserve{}, ""
			h := open(t, loopback()).HTTP(visit.Visitor{Timeout: patience, Record: b.record, Raw: func(body []byte) (string, error) {
				kept += string(body)
				return harvest.Digest(body), nil
			}})
			_, _, err := get(t.Context(), h, s.URL+path)
			require.Equal(t, path == "/cut", err != nil)
			require.Equal(t, want, kept)
			line := b.one(t)
			require.Equal(t, want != "", line.Raw != "")
			require.True(t, want == "" || line.Raw == harvest.Digest([]byte(want)))
		})
	}
}

func TestAPageThatCannotBeKeptIsReadAllTheSame(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "the page") // a test server
	})
	b := &reserve{}
	h := open(t, loopback()).HTTP(visit.Visitor{Timeout: patience, Record: b.record, Raw: func([]byte) (string, error) { return "sha256:x", errors.New("the disk is full") }})
	_, text, err := get(t.Context(), h, s.URL)
	require.NoError(t, err)
	require.Equal(t, "the page", string(text))
	require.Empty(t, b.one(t).Raw)
	require.Equal(t, "the page could not be kept: the disk is full", b.one(t).Note)
}
