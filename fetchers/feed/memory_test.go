package feed_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/harvest"
)

// hostile are feeds by the piece that they repeat up to their size.
func hostile() map[string]struct{ head, piece, tail string } {
	type f = struct{ head, piece, tail string }
	item := `<item><guid>urn:%d</guid><title>A</title><description>`
	return map[string]f{
		"attributes of one element":  {`<rss><channel><item><guid>urn:1</guid><a `, `a%d="" `, `/></item></channel></rss>`},
		"attributes of many":         {`<rss><channel><item><guid>urn:1</guid>`, `<a%d b="" c="" d="" e=""/>`, `</item></channel></rss>`},
		"attributes of the root":     {`<rss `, `xmlns:a%d="" `, `><channel><item><guid>urn:1</guid></item></channel></rss>`},
		"nesting in an entry":        {`<rss><channel><item><guid>urn:1</guid><title>A</title>`, `<a>`, ``},
		"nesting that ends":          {`<rss><channel><item><guid>urn:1</guid><title>A</title>`, `<a><b></b></a>`, `</item></channel></rss>`},
		"nesting in the feed":        {`<rss><channel>`, `<a>`, ``},
		"one text":                   {`<rss><channel><item><guid>urn:1</guid><description>`, `parola `, `</description></item></channel></rss>`},
		"one text of references":     {`<rss><channel><item><guid>urn:1</guid><description>`, `&lt;b&gt;`, `</description></item></channel></rss>`},
		"one text of windows-1252":   {`<rss><channel><item><guid>urn:1</guid><description>`, "\xe9t\xe9 ", `</description></item></channel></rss>`},
		"CDATA sections":             {`<rss><channel><item><guid>urn:1</guid><description>`, `<![CDATA[a]]>`, `</description></item></channel></rss>`},
		"XHTML":                      {`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://x.org/"><entry><id>urn:1</id><content type="xhtml"><div>`, `<a href="b">c</a>`, `</div></content></entry></feed>`},
		"long entries":               {`<rss><channel>`, item + strings.Repeat("parola ", 2000) + `</description></item>`, `</channel></rss>`},
		"short entries":              {`<rss><channel>`, item + `</description></item>`, `</channel></rss>`},
		"empty entries":              {`<rss><channel>`, `<item/>`, `</channel></rss>`},
		"categories":                 {`<rss><channel><item><guid>urn:1</guid>`, `<category>a%d</category>`, `</item></channel></rss>`},
		"items of JSON":              {`{"items":[{}`, `,{"id":%d}`, `]}`},
		"authors of JSON":            {`{"items":[{"id":"a","authors":[{}`, `,{}`, `]}]}`},
		"nesting of JSON":            {`{"items":[{"id":"a","x":`, `[`, ``},
		"members of JSON":            {`{"a":1`, `,"a%d":1`, `,"items":[]}`},
		"deleted entries":            {`<feed xmlns="http://www.w3.org/2005/Atom" xmlns:at="http://purl.org/atompub/tombstones/1.0">`, `<at:deleted-entry ref="urn:%d"/>`, `<entry><id>a</id></entry></feed>`},
		"links of the feed":          {`<feed xmlns="http://www.w3.org/2005/Atom">`, `<link rel="a%d" href="b"/>`, `<entry><id>a</id></entry></feed>`},
		"names of an HTML page":      {`<html><head>`, `<link rel="alternate" type="application/rss+xml" href="a%d"/>`, `</head></html>`},
		"a comment for each element": {`<rss><channel><item><guid>urn:1</guid><description>`, `<!--a--><b/>`, `</description></item></channel></rss>`},
	}
}

// repeated reads head, pieces with their number, and tail, without holding them.
type repeated struct {
	head, piece, tail string
	size, done, n     int
	rest              bytes.Buffer
}

func (r *repeated) Read(b []byte) (int, error) {
	for r.rest.Len() < len(b) && r.done < r.size {
		switch text := r.piece; {
		case r.n == 0:
			r.rest.WriteString(r.head)
			r.done += len(r.head)
		case r.done+len(text)+len(r.tail)+16 > r.size:
			r.rest.WriteString(r.tail)
			r.done = r.size
		default:
			text = strings.Replace(text, "%d", strconv.Itoa(r.n), 1)
			r.rest.WriteString(text)
			r.done += len(text)
		}
		r.n++
	}
	return r.rest.Read(b)
}

// RoundTrip answers every request with such a feed.
func (r repeated) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: req, ContentLength: -1, Body: io.NopCloser(&r)}, nil
}

const memoryOf = "FEED_MEMORY_OF"

// TestMemoryOfManyFeeds is the process that the tests below measure.
func TestMemoryOfManyFeeds(t *testing.T) {
	kind, rest, ok := strings.Cut(os.Getenv(memoryOf), "|")
	if !ok {
		t.Skip("runs as a process of its own, see TestHostileFeedsCostLittleMemory")
	}
	var feeds, size int
	_, err := fmt.Sscanf(rest, "%d %d", &feeds, &size)
	require.NoError(t, err)
	h := hostile()[kind]
	f := feed.New(&http.Client{Transport: repeated{head: h.head, piece: h.piece, tail: h.tail, size: size}})
	var all sync.WaitGroup
	for range feeds {
		all.Go(func() {
			req := harvest.Request{Params: json.RawMessage(`{"url":"https://feed.example.org/a"}`), Attempt: 1}
			_, err := harvest.Pump(context.Background(), f, req, harvest.CommitFunc(func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
				return harvest.PageTally(&p), nil
			}))
			if harvest.KindOf(err) == harvest.KindInternal {
				t.Errorf("%s: %v", kind, err)
			}
		})
	}
	all.Wait()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for l := range strings.Lines(string(status)) {
		if strings.HasPrefix(l, "VmHWM:") {
			fmt.Println(l)
		}
	}
}

// peak is the most memory in MiB that a process took for so many feeds at once.
func peak(t *testing.T, kind string, feeds, size int) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMemoryOfManyFeeds$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d %d", memoryOf, kind, feeds, size))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	_, text, ok := strings.Cut(string(out), "VmHWM:")
	if !ok {
		t.Skip("the system does not say how much memory a process took")
	}
	var kB int
	_, err = fmt.Sscan(text, &kB)
	require.NoError(t, err)
	return kB >> 10
}

func TestHostileFeedsCostLittleMemory(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"attributes of many", "nesting in an entry", "one text"} {
		require.Less(t, peak(t, kind, 4, 4<<20), 200, kind)
	}
}

// TestSoakMemoryOfFeeds measures twenty feeds at once, each just under the largest
// body there may be.
func TestSoakMemoryOfFeeds(t *testing.T) {
	if os.Getenv("VENDEMMIA_SOAK") == "" {
		t.Skip("set VENDEMMIA_SOAK=1: it takes minutes")
	}
	for kind := range hostile() {
		most := peak(t, kind, 20, 16<<20-1024)
		t.Logf("%-28s %d MiB", kind, most)
		if most >= 512 {
			t.Errorf("%s: twenty feeds of 16 MiB took %d MiB", kind, most)
		}
	}
}
