package gazzetta

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/harvest"
)

// seed adds the pages of one kind, whole, cut, and in another charset.
func seed(f *testing.F, kinds ...string) {
	f.Helper()
	for _, kind := range kinds {
		files, err := filepath.Glob("testdata/pages/" + kind + "-*ml")
		require.NoError(f, err)
		require.NotEmpty(f, files)
		for _, name := range files {
			b, err := os.ReadFile(name)
			require.NoError(f, err)
			f.Add(b)
			f.Add(b[:len(b)/2])
			f.Add([]byte(strings.ReplaceAll(string(b), "o", "\xe8")))
		}
	}
}

// FuzzText: whatever comes becomes text, and paragraphs are lines without runs
// of blanks.
func FuzzText(f *testing.F) {
	seed(f, "article", "menu")
	f.Fuzz(func(t *testing.T, body []byte) {
		s := decode(body)
		require.True(t, utf8.ValidString(s))
		require.NotContains(t, s, "\x00")
		plain := paragraphs(s)
		require.Equal(t, squeeze(s), squeeze(plain), "not a word is lost")
		for line := range strings.SplitSeq(plain, "\n") {
			require.Equal(t, squeeze(line), line)
		}
	})
}

// FuzzList: keys are days and numbers, in order, each once, and survive a
// checkpoint.
func FuzzList(f *testing.F) {
	seed(f, "list")
	f.Fuzz(func(t *testing.T, body []byte) {
		keys := parseList(parsed(t, body), seriesOf("serie_generale"))
		for i, k := range keys {
			require.True(t, i == 0 || keys[i-1].before(k))
			text, err := k.MarshalText()
			require.NoError(t, err)
			var back key
			require.NoError(t, back.UnmarshalText(text))
			require.Equal(t, k, back)
		}
	})
}

// FuzzIssue: every act has an id of its own, and documents can be stored.
func FuzzIssue(f *testing.F) {
	seed(f, "issue")
	f.Fuzz(func(t *testing.T, body []byte) {
		a := testAdapter(t, "serie_generale")
		p := parseIssue(parsed(t, body))
		docs := []harvest.Document{a.issueDocument(p)}
		for _, e := range p.entries {
			if e.day == "" {
				e.day = a.issue.Day
			}
			docs = append(docs, a.actDocument(e))
		}
		seen := map[string]bool{}
		for _, d := range docs {
			require.False(t, seen[d.ID], "%s twice", d.ID)
			seen[d.ID] = true
			fetchertest.Storable(t, d)
		}
		for _, r := range p.rejects {
			require.True(t, utf8.ValidString(r.ID))
			require.NotEmpty(t, r.Reason)
		}
	})
}

// FuzzAct: the pages of an act, whatever they hold, give documents that can be
// stored, and addresses of this site alone.
func FuzzAct(f *testing.F) {
	seed(f, "act", "menu", "article")
	f.Fuzz(func(t *testing.T, body []byte) {
		a := testAdapter(t, "serie_generale")
		doc := parsed(t, body)
		p, m, one := parseAct(doc), parseMenu(doc), parseArticle(doc)
		d := a.actDocument(entry{code: "26A00000", day: a.issue.Day, heading: p.heading})
		a.shell(&d, p)
		say(&d, m.text)
		fetchertest.Storable(t, d)
		require.Equal(t, parsed(t, []byte(one.raw)).Text(), parsed(t, []byte(plainQuotes(one.raw))).Text(), "quotes mean nothing to a parser")
		seen := map[string]bool{}
		for n, l := range m.articles {
			x := a.articleDocument(&d, l, n+1, one)
			require.False(t, seen[x.ID], "%s twice", x.ID)
			seen[x.ID] = true
			fetchertest.Storable(t, x)
		}
		for _, link := range []string{p.menu, p.first, shownPDF(body)} {
			address := a.site.address(link)
			require.True(t, address == "" || strings.HasPrefix(address, defaultURL+"/"), address)
		}
	})
}

// FuzzFeed: an issue and codes, or an error.
func FuzzFeed(f *testing.F) {
	seed(f, "feed")
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := parseFeed(body)
		if err == nil {
			require.False(t, p.issue.IsZero())
		}
		for _, code := range p.codes {
			require.True(t, isCode(code), code)
		}
	})
}

// FuzzHeading: what is a date is one, and a heading never loses its type.
func FuzzHeading(f *testing.F) {
	for _, s := range []string{"DECRETO 17 febbraio 2026, n. 12", "N. 230 ORDINANZA 4 agosto 2025", "CONCORSO (scad. 30 giugno 2026)", "N. 1 ", "31 febbraio 2026", "SENTENZA 9 dicembre - 8 gennaio 2026", "ORDINANZA 9 - 23 luglio 2026"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h := parseHeading(s)
		for _, d := range []string{h.date, h.deposited, h.expires} {
			_, err := checkDay("date", d)
			require.NoError(t, err)
		}
		require.NotContains(t, h.number, " ")
	})
}

// FuzzCheckpoint: whatever stands in a checkpoint, it is one of ours or none,
// and written again it is the same.
func FuzzCheckpoint(f *testing.F) {
	for _, s := range []string{
		``, `null`, `[]`, `{"made":"m"}`, `{"made":"m","through":"2026-01-02/3","live":{"at":{"issue":"2026-01-02/3","acts":-1}}}`,
		`{"made":"m","through":"x"}`, `{"made":"m","aside":{"legs":[{"for":"late","to":"2026-01-02/3"}],"late":[{"issue":"2026-01-02/3","act":"a"}]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c := restore(raw, "m")
		require.Equal(t, "m", c.Made)
		require.Equal(t, string(c.raw()), string(restore(c.raw(), "m").raw()))
		for _, w := range []*walk{c.Live, c.Aside} {
			if w != nil && w.At != nil {
				require.GreaterOrEqual(t, w.At.index(nil), 0)
			}
		}
	})
}
