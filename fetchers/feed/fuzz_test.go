package feed

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
)

func seed(f *testing.F) {
	f.Helper()
	files, err := filepath.Glob("testdata/*/*.*")
	require.NoError(f, err)
	for _, name := range files {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(b, "text/xml")
	}
	f.Add([]byte("<rss><item><![CDATA[<item></item>]]><!--"), "text/xml; charset=utf-16")
	f.Add([]byte("\xff\xfe<\x00r\x00s\x00s\x00>"), "application/rss+xml; charset=")
}

// FuzzRepair: whatever comes, the text is UTF-8 that XML allows, and stays as
// it is when it is repaired again.
func FuzzRepair(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text := repair(body, contentType, "")
		require.True(t, utf8.Valid(text))
		for _, r := range string(text) {
			require.True(t, legal(r), "%U", r)
		}
	})
}

// FuzzParse: whatever comes, a feed or an error, and documents that can be
// stored.
func FuzzParse(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		text := repair(body, contentType, "")
		doc, err := parse(text, 0)
		if err != nil {
			require.Empty(t, doc.records)
			return
		}
		docs, rejects, _ := adapter{}.documents(doc)
		require.LessOrEqual(t, len(docs)+len(rejects), len(doc.records)+len(doc.Deleted))
		fetchertest.Storable(t, docs...)
		_, err = parseOPML(text, adapter{})
		_ = err // it must only come back
		readPage(text, answer.Answer{})
	})
}

// TestHostileDocumentsCostNoTime: each would take minutes if looking for ends
// that are not there were done more than once.
func TestHostileDocumentsCostNoTime(t *testing.T) {
	t.Parallel()
	const times = 300_000
	for name, body := range map[string]string{
		"comments":     "<rss>" + strings.Repeat("<!--", times),
		"CDATA":        "<rss><item>" + strings.Repeat("<![CDATA[", times),
		"instructions": "<rss>" + strings.Repeat("<?a", times),
		"declarations": strings.Repeat("<!>", times) + "<rss>",
		"subsets":      strings.Repeat("<![>", times) + "<rss>",
		"starts":       "<rss>" + strings.Repeat("<item ", 20_000),
		"quotes":       "<rss>" + strings.Repeat(`<item a="`, 20_000),
		"ends":         "<rss><item>" + strings.Repeat("</item", 20_000),
		"empty items":  "<rss>" + strings.Repeat("<item/>", 20_000) + "</rss>",
		"nested":       "<rss><item>" + strings.Repeat("<a>", times) + "</item></rss>",
		"references":   "<rss><item><title>" + strings.Repeat("&#", times) + "</title></item></rss>",
		"braces":       strings.Repeat("{", times),
		"lists":        `{"items":` + strings.Repeat("[", times),
	} {
		begin := time.Now()
		doc, err := parse(repair([]byte(body), "", ""), 0)
		if err == nil {
			adapter{}.documents(doc)
		}
		require.Less(t, time.Since(begin), 10*time.Second, name)
	}
}
