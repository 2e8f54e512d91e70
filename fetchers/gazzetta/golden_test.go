package gazzetta

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// TestGolden reads every page under testdata/pages as what its name says:
// list-, issue-SERIES, act-SERIES, menu-, article-, feed-.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Cases{Files: "testdata/pages/*.*ml", Least: 18, Got: readPage}.Run(t)
}

func readPage(t *testing.T, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	return readAs(t, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), body)
}

func parsed(t testing.TB, body []byte) *goquery.Document {
	t.Helper()
	doc, err := readHTML(body)
	require.NoError(t, err)
	return doc
}

func testAdapter(t testing.TB, slug string) adapter {
	t.Helper()
	s, err := newSite(defaultURL, nil)
	require.NoError(t, err)
	return adapter{site: s, serie: seriesOf(slug), issue: key{"2026-01-08", 5}}
}

func readAs(t testing.TB, name string, body []byte) []byte {
	t.Helper()
	out := &golden.Lines{}
	what, slug, _ := strings.Cut(name, "-")
	slug, _, _ = strings.Cut(slug, "-")
	switch what {
	case "list":
		for _, k := range parseList(parsed(t, body), seriesOf("serie_generale")) {
			out.Add(t, k)
		}
	case "issue":
		readIssue(t, out, testAdapter(t, slug), parseIssue(parsed(t, body)))
	case "act":
		a := testAdapter(t, slug)
		p := parseAct(parsed(t, body))
		_, code := trailingCode(p.title)
		d := a.actDocument(entry{code: code, day: a.issue.Day, heading: p.heading})
		a.shell(&d, p)
		out.Add(t, rows.NewLine(Name, &d))
		out.Add(t, map[string]string{"menu": p.menu, "first": p.first})
	case "menu":
		m := parseMenu(parsed(t, body))
		for _, l := range m.articles {
			out.Add(t, map[string]any{"id": l.id, "label": l.label, "annex": l.annex, "link": l.link})
		}
		out.Add(t, textLine(m.text))
	case "article":
		out.Add(t, textLine(parseArticle(parsed(t, body))))
	case "feed":
		f, err := parseFeed(body)
		out.Add(t, map[string]any{"issue": f.issue, "codes": f.codes, "error": err != nil})
	default:
		require.Fail(t, "a page of no known kind", name)
	}
	return out.Bytes()
}

func readIssue(t testing.TB, out *golden.Lines, a adapter, p issuePage) {
	d := a.issueDocument(p)
	out.Add(t, rows.NewLine(Name, &d))
	for _, id := range a.pdfIDs(p) {
		out.Add(t, map[string]string{"pdf": id})
	}
	for _, e := range p.entries {
		if e.day == "" {
			e.day = a.issue.Day
		}
		d := a.actDocument(e)
		out.Add(t, rows.NewLine(Name, &d))
	}
	for _, r := range p.rejects {
		out.Add(t, map[string]any{"reject": r.ID, "reason": r.Reason, "bytes": string(r.Bytes)})
	}
}

func textLine(t text) map[string]any {
	return map[string]any{"raw": t.raw, "text": t.plain, "notes": t.notes, "empty": t.empty()}
}
