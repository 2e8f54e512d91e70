package replica

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mmcdole/gofeed"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestFormatsGolden(t *testing.T) {
	t.Parallel()
	for i, format := range Formats() {
		f := NewFeeds(Config{Seed: 1, Entries: 2})
		body, _ := f.at(f.Names()[i]).render(1)
		path := filepath.Join("testdata", string(format)+".golden")
		if *update {
			require.NoError(t, os.MkdirAll("testdata", 0o755))
			require.NoError(t, os.WriteFile(path, body, 0o600))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), string(body))
	}
}

// A reader that knows all formats finds what the replica says it holds.
func TestFormatsAreRead(t *testing.T) {
	t.Parallel()
	f := start(t, Config{Feeds: 3 * len(Formats())})
	for _, name := range f.Names() {
		_, body := get(t, f.URL(name))
		feed, err := gofeed.NewParser().Parse(bytes.NewReader(body))
		require.NoError(t, err, name)
		entries := f.Entries(name)
		require.Len(t, feed.Items, len(entries), name)
		require.NotEmpty(t, feed.Title)
		for i, e := range entries {
			item := feed.Items[i]
			require.Equal(t, e.Title, item.Title, name)
			require.Equal(t, e.Link, item.Link, name)
			if format := f.at(name).shape.Format; format.hasIDs() {
				require.Equal(t, e.ID, item.GUID, name)
				require.Equal(t, e.Published, item.PublishedParsed.UTC(), name)
			}
			require.Contains(t, item.Description+item.Content, "<p>", name)
		}
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	decoders := map[Charset]encoding.Encoding{
		UTF8: unicode.UTF8, UTF8BOM: unicode.UTF8BOM, Latin1: charmap.ISO8859_1, Windows1252: charmap.Windows1252,
		UTF16LE: unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM), UTF16BE: unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM),
		LyingXML: charmap.Windows1252, LyingHTTP: charmap.Windows1252,
	}
	_, want := get(t, one(t, Shape{Format: Atom1}).URL("0000"))
	_, list, _ := strings.Cut(string(want), "<title>")
	require.Contains(t, list, "–", "the text has something to spoil")
	for _, charset := range Charsets() {
		resp, body := get(t, one(t, Shape{Format: Atom1, Charset: charset}).URL("0000"))
		text, err := decoders[charset].NewDecoder().Bytes(body)
		require.NoError(t, err)
		declared, header := charset.says()
		require.Contains(t, string(text), `encoding="`+declared+`"`, charset)
		require.Equal(t, header != "", strings.Contains(resp.Header.Get("Content-Type"), "charset="+header) && header != "", charset)
		require.Equal(t, titles(t, want), titles(t, text), charset)
		lies := !charset.Honest()
		require.Equal(t, lies || charset == Latin1 || charset == Windows1252 || strings.HasPrefix(string(charset), "utf-16"), !utf8.Valid(body), charset)
	}
}

// titles reads the titles of UTF-8 text, whatever it declares.
func titles(t *testing.T, text []byte) (all []string) {
	t.Helper()
	_, rest, _ := bytes.Cut(text, []byte("?>"))
	var feed struct {
		Title   string `xml:"title"`
		Entries []struct {
			Title string `xml:"title"`
		} `xml:"entry"`
	}
	require.NoError(t, xml.Unmarshal(rest, &feed))
	all = append(all, feed.Title)
	for _, e := range feed.Entries {
		all = append(all, e.Title)
	}
	require.Len(t, all, 6)
	return all
}

func TestPaging(t *testing.T) {
	t.Parallel()
	next := map[Format]func(*testing.T, []byte) (string, int){
		JSON1: func(t *testing.T, b []byte) (string, int) {
			var f jsonFeed
			require.NoError(t, json.Unmarshal(b, &f))
			return f.NextURL, len(f.Items)
		},
		Atom1: func(t *testing.T, b []byte) (string, int) {
			var f struct {
				Links []struct {
					Rel  string `xml:"rel,attr"`
					Href string `xml:"href,attr"`
				} `xml:"link"`
				Entries []struct{} `xml:"entry"`
			}
			require.NoError(t, xml.Unmarshal(b, &f))
			for _, l := range f.Links {
				if l.Rel == "next" {
					return l.Href, len(f.Entries)
				}
			}
			return "", len(f.Entries)
		},
	}
	for format, read := range next {
		f := one(t, Shape{Format: format, Page: 2})
		var sizes []int
		for url := f.URL("0000"); url != ""; {
			_, body := get(t, url)
			var size int
			url, size = read(t, body)
			sizes = append(sizes, size)
		}
		require.Equal(t, []int{2, 2, 1}, sizes, format)
		_, body := get(t, f.URL("0000")+"?page=99")
		url, size := read(t, body)
		require.Empty(t, url)
		require.Zero(t, size)
	}
}

func TestOPML(t *testing.T) {
	t.Parallel()
	f := start(t, Config{Feeds: 40, Hosts: 3})
	resp, body := get(t, f.OPML())
	require.Equal(t, 200, resp.StatusCode)
	var list struct {
		Groups []struct {
			Text  string `xml:"text,attr"`
			Feeds []struct {
				URL string `xml:"xmlUrl,attr"`
			} `xml:"outline"`
		} `xml:"body>outline"`
	}
	require.NoError(t, xml.Unmarshal(body, &list))
	var urls []string
	for _, g := range list.Groups {
		require.NotEmpty(t, g.Text)
		for _, o := range g.Feeds {
			urls = append(urls, o.URL)
		}
	}
	var want []string
	for _, name := range f.Names() {
		want = append(want, f.URL(name))
	}
	require.Equal(t, want, urls)
}
