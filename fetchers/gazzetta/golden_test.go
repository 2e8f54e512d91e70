package gazzetta

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
)

//nolint:gochecknoglobals // a flag of the test binary
var update = flag.Bool("update", false, "rewrite the .golden of every page")

// TestGolden reads every page under testdata/pages as what its name says:
// list-, issue-SERIES, act-SERIES, menu-, article-, feed-.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/pages/*.*ml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 18)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			body, err := os.ReadFile(path)
			require.NoError(t, err)
			got := readAs(t, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), body)
			want := path + ".golden"
			if *update {
				require.NoError(t, os.WriteFile(want, got, 0o600))
			}
			b, err := os.ReadFile(want)
			require.NoError(t, err)
			if diff := cmp.Diff(string(b), string(got)); diff != "" {
				t.Errorf("go test -run Golden -update rewrites it (-want +got):\n%s", diff)
			}
		})
	}
}

func parsed(t testing.TB, body []byte) *goquery.Document {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(decode(body)))
	require.NoError(t, err)
	return doc
}

func testAdapter(t testing.TB, slug string) adapter {
	t.Helper()
	s, err := newSite(defaultURL, nil)
	require.NoError(t, err)
	return adapter{site: s, serie: seriesOf(slug), issue: key{"2026-01-08", 5}}
}

type lines struct {
	t testing.TB
	bytes.Buffer
}

func (l *lines) add(v any) {
	e := json.NewEncoder(&l.Buffer)
	e.SetEscapeHTML(false)
	require.NoError(l.t, e.Encode(v))
}

func readAs(t testing.TB, name string, body []byte) []byte {
	t.Helper()
	out := &lines{t: t}
	what, slug, _ := strings.Cut(name, "-")
	switch what {
	case "list":
		for _, k := range parseList(parsed(t, body)) {
			out.add(k)
		}
	case "issue":
		readIssue(out, testAdapter(t, slug), parseIssue(parsed(t, body)))
	case "act":
		a := testAdapter(t, slug)
		p := parseAct(parsed(t, body))
		d := a.actDocument(entry{code: "26A00000", day: a.issue.Day, heading: p.heading})
		a.shell(&d, p)
		out.add(harvest.NewLine(Name, &d))
		out.add(map[string]string{"menu": p.menu, "first": p.first})
	case "menu":
		m := parseMenu(parsed(t, body))
		for _, l := range m.articles {
			out.add(map[string]any{"id": l.id, "label": l.label, "annex": l.annex, "link": l.link})
		}
		out.add(textLine(m.text))
	case "article":
		out.add(textLine(parseArticle(parsed(t, body))))
	case "feed":
		f, err := parseFeed(body)
		out.add(map[string]any{"issue": f.issue, "codes": f.codes, "error": err != nil})
	default:
		require.Fail(t, "a page of no known kind", name)
	}
	return out.Bytes()
}

func readIssue(out *lines, a adapter, p issuePage) {
	d := a.issueDocument(p)
	out.add(harvest.NewLine(Name, &d))
	for _, id := range a.pdfIDs(p) {
		out.add(map[string]string{"pdf": id})
	}
	for _, e := range p.entries {
		if e.day == "" {
			e.day = a.issue.Day
		}
		d := a.actDocument(e)
		out.add(harvest.NewLine(Name, &d))
	}
	for _, r := range p.rejects {
		out.add(map[string]any{"reject": r.ID, "reason": r.Reason, "bytes": string(r.Bytes)})
	}
}

func textLine(t text) map[string]any {
	return map[string]any{"raw": t.raw, "text": t.plain, "notes": t.notes, "empty": t.empty()}
}
