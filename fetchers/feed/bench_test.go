package feed

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mmcdole/gofeed"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

// usual is a feed as news sites have them: thirty entries, 20 kB.
func usual() string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title>`)
	for n := range 30 {
		fmt.Fprintf(&b, `<item><title>Entry number %d</title><link>https://www.example.org/n/%d</link><guid>https://www.example.org/n/%d</guid>`+
			`<dc:creator>Editor</dc:creator><category>economy</category><pubDate>Sun, 03 May 2026 07:30:00 +0200</pubDate><description>%s</description></item>`,
			n, n, n, strings.Repeat("Some words. ", 30))
	}
	return b.String() + "</channel></rss>"
}

func BenchmarkParse(b *testing.B) {
	body := []byte(usual())
	b.Run("gofeed", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			_, err := gofeed.NewParser().ParseString(string(body))
			require.NoError(b, err)
		}
	})
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			doc, err := parse(repair(body, "text/xml", ""), 0)
			require.NoError(b, err)
			docs, _, _ := adapter{}.documents(doc)
			require.Len(b, docs, 30)
		}
	})
}

// BenchmarkFetch sets a fetch beside the plain reading of the same answer.
func BenchmarkFetch(b *testing.B) {
	body := usual()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("If-None-Match") == `"x"` && r.URL.Path == "/etag" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if r.URL.Path == "/etag" {
			w.Header().Set("ETag", `"x"`)
		}
		io.WriteString(w, body) // the client may be gone
	}))
	defer s.Close()
	f := New(s.Client())
	fetch := func(path string, checkpoint json.RawMessage) harvest.Page {
		req := harvest.Request{Params: json.RawMessage(`{"url":"` + s.URL + path + `"}`), Checkpoint: checkpoint}
		for p, err := range f.Fetch(context.Background(), req) {
			require.NoError(b, err)
			return p
		}
		return harvest.Page{}
	}
	b.Run("raw read", func(b *testing.B) {
		for b.Loop() {
			resp, err := s.Client().Get(s.URL + "/plain")
			require.NoError(b, err)
			_, err = io.Copy(io.Discard, resp.Body)
			require.NoError(b, err)
			require.NoError(b, resp.Body.Close())
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			fetch("/plain", nil)
		}
	})
	for _, path := range []string{"/plain", "/etag"} {
		checkpoint := fetch(path, nil).Checkpoint
		b.Run("unchanged"+path, func(b *testing.B) {
			for b.Loop() {
				require.True(b, fetch(path, checkpoint).NotModified)
			}
		})
	}
}
