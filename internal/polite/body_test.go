package polite

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

const wine = "nebbiolo barbera dolcetto freisa "

func pack(t *testing.T, coding, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zlib":
		w = zlib.NewWriter(&b)
	case "flate":
		fw, err := flate.NewWriter(&b, 9)
		require.NoError(t, err)
		w = fw
	default:
		return []byte(text)
	}
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestCodings(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(wine, 100)
	for _, c := range []struct{ coding, header, text string }{
		{"", "", text},
		{"", "identity", text},
		{"gzip", "gzip", text},
		{"gzip", "X-GZIP", text},
		{"zlib", "deflate", text},
		{"flate", "deflate", text},
		{"", "gzip", ""},
		{"", "deflate", ""},
		{"gzip", "gzip", ""},
	} {
		packed := pack(t, c.coding, c.text)
		if c.coding == "" && c.text == "" {
			packed = nil
		}
		s := serve(t, func(w http.ResponseWriter, r *http.Request) {
			require.Equal(t, "gzip", r.Header.Get("Accept-Encoding"))
			w.Header().Set("Content-Encoding", c.header)
			w.(http.Flusher).Flush() // so that the length is not announced
			w.Write(packed)          // test server
		})
		client, b := client(t, loopback())
		resp, got, err := get(t.Context(), client, s.URL)
		require.NoError(t, err, c)
		require.Equal(t, c.text, string(got))
		require.EqualValues(t, len(packed), b.one(t).Bytes, "bytes as transferred")
		if c.coding != "" {
			require.Empty(t, resp.Header.Get("Content-Encoding"))
			require.True(t, resp.Uncompressed)
		}
	}
}

func TestDamagedCodingsAreBroken(t *testing.T) {
	t.Parallel()
	good := pack(t, "gzip", strings.Repeat(wine, 1000))
	flipped := bytes.Clone(good)
	flipped[len(flipped)-6] ^= 0xff
	for name, c := range map[string]struct {
		header string
		body   []byte
		kind   harvest.Kind
	}{
		"not gzip":          {"gzip", []byte("<html>hello, this is no gzip</html>"), harvest.KindBroken},
		"wrong checksum":    {"gzip", flipped, harvest.KindBroken},
		"unknown coding":    {"br", []byte("xxxx"), harvest.KindBroken},
		"two codings":       {"gzip, gzip", good, harvest.KindBroken},
		"gzip cut":          {"gzip", good[:len(good)/2], harvest.KindServerError},
		"rubbish behind":    {"gzip", append(bytes.Clone(good), "rubbish"...), harvest.KindServerError},
		"corrupted deflate": {"deflate", bytes.Repeat([]byte{0xff}, 100), harvest.KindBroken},
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", c.header)
			w.Write(c.body) // test server
		})
		client, b := client(t, loopback())
		_, _, err := get(t.Context(), client, s.URL)
		require.Equal(t, c.kind, harvest.KindOf(err), "%s: %v", name, err)
		require.Equal(t, c.kind, b.one(t).Kind)
	}
}

func TestBodyCap(t *testing.T) {
	t.Parallel()
	const limit = 1000
	for _, c := range []struct {
		coding, header string
		size           int
		announced, ok  bool
	}{
		{"", "", limit, true, true},
		{"", "", limit + 1, true, false},
		{"", "", limit, false, true},
		{"", "", limit + 1, false, false},
		{"gzip", "gzip", limit, true, true},
		{"gzip", "gzip", limit + 1, true, false},
	} {
		packed := pack(t, c.coding, strings.Repeat("x", c.size))
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			if c.header != "" {
				w.Header().Set("Content-Encoding", c.header)
			}
			if !c.announced {
				w.(http.Flusher).Flush()
			}
			w.Write(packed) // test server
		})
		settings := loopback()
		settings.MaxBody = limit
		client, b := client(t, settings)
		_, got, err := get(t.Context(), client, s.URL)
		if c.ok {
			require.NoError(t, err)
			require.Len(t, got, c.size)
			continue
		}
		require.Equal(t, harvest.KindBroken, harvest.KindOf(err))
		require.ErrorContains(t, err, "the body is too large: more than 1000 bytes")
		require.LessOrEqual(t, len(got), limit)
		require.Equal(t, harvest.KindBroken, b.one(t).Kind)
	}
}

// Members that hold nothing never reach the cap of what comes out.
func TestCompressedCap(t *testing.T) {
	t.Parallel()
	empty := pack(t, "gzip", "")
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		for {
			if _, err := w.Write(empty); err != nil {
				return
			}
		}
	})
	settings := loopback()
	settings.MaxBody = 100_000
	c, _ := client(t, settings)
	require.Contains(t, fails(t, c, s.URL, harvest.KindBroken).Error(), "too large")
}

func TestBombIsDisarmed(t *testing.T) {
	t.Parallel()
	bomb := pack(t, "gzip", strings.Repeat("\x00", 12<<20))
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(bomb) // test server
	})
	c, b := client(t, loopback())
	_, got, err := get(t.Context(), c, s.URL)
	require.Equal(t, harvest.KindBroken, harvest.KindOf(err))
	require.ErrorContains(t, err, "grows too much")
	require.Less(t, len(got), 4<<20)
	require.Equal(t, harvest.KindBroken, b.one(t).Kind)
}

func TestCutBody(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"length":  "Content-Length: 1000\r\n",
		"chunked": "Transfer-Encoding: chunked\r\n",
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, buf, err := w.(http.Hijacker).Hijack()
			require.NoError(t, err)
			fmt.Fprintf(buf, "HTTP/1.1 200 OK\r\n%s\r\n5\r\nhello\r\n", head) // test server
			require.NoError(t, buf.Flush())
			require.NoError(t, conn.Close())
		})
		c, b := client(t, loopback())
		e := fails(t, c, s.URL+"?q=1", harvest.KindServerError)
		require.Contains(t, e.Error(), "cut short after", name)
		require.NotContains(t, e.Error(), "q=1")
		line := b.one(t)
		require.Equal(t, 200, line.Status)
		require.Equal(t, harvest.KindServerError, line.Kind)
	}
}

func TestHeaderCap(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("x", 2*maxHeader))
	})
	c, b := client(t, loopback())
	fails(t, c, s.URL, harvest.KindBroken)
	require.Equal(t, harvest.KindBroken, b.one(t).Kind)
}

func TestAnswersThatAreNoHTTP(t *testing.T) {
	t.Parallel()
	for answer, kind := range map[string]harvest.Kind{
		"":                            harvest.KindUnreachable,
		"SSH-2.0-OpenSSH_9.6\r\n\r\n": harvest.KindBroken,
		"HTTP/1.1 abc\r\n\r\n":        harvest.KindBroken,
	} {
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, buf, err := w.(http.Hijacker).Hijack()
			require.NoError(t, err)
			io.WriteString(buf, answer) // test server
			require.NoError(t, buf.Flush())
			require.NoError(t, conn.Close())
		})
		c, _ := client(t, loopback())
		fails(t, c, s.URL, kind)
	}
}

// Decoders are used again; what one answer left in them must not be seen.
func TestDecodersAreReused(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		packed := pack(t, "gzip", strings.Repeat(r.URL.Query().Get("q"), 1000))
		if r.URL.Path == "/bad" {
			packed[len(packed)-6] ^= 0xff
		}
		w.Write(packed) // test server
	})
	settings := loopback()
	settings.Rules = func(string) Rule { return Rule{Connections: 8} }
	shared := open(t, settings)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 20 {
				q := fmt.Sprint("vino", i)
				_, text, err := get(t.Context(), shared.HTTP(visit.Visitor{Timeout: patience}), s.URL+"/?q="+q)
				require.NoError(t, err)
				require.Equal(t, strings.Repeat(q, 1000), string(text))
				_, _, err = get(t.Context(), shared.HTTP(visit.Visitor{Timeout: patience}), s.URL+"/bad?q="+q)
				require.Equal(t, harvest.KindBroken, harvest.KindOf(err))
			}
		})
	}
	wg.Wait()
}
