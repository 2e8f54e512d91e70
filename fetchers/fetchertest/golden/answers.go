package golden

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Answers are recorded answers of a source: each file is the answer to every request of
// one fetch, and beside it stands what the fetch yields.
type Answers struct {
	// Name is the fetcher's, New its constructor.
	Name string
	New  func(*http.Client) harvest.Fetcher
	// Files is a pattern; Least is how many there are, at least.
	Files string
	Least int
	// Params are those of a file, for a source at base.
	Params func(path, base string) json.RawMessage
}

// Run fetches from each answer, as a parallel subtest.
func (a Answers) Run(t *testing.T) {
	t.Helper()
	Cases{Files: a.Files, Least: a.Least, Got: a.fetch}.Run(t)
}

func (a Answers) fetch(t *testing.T, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	s := Serve(t, body)
	out := &Lines{}
	out.Fetch(t, a.Name, a.New(http.DefaultClient), a.Params(path, s))
	return out.Bytes()
}

// Serve answers every request with a body until the test is over.
func Serve(t testing.TB, body []byte) (base string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) })) // the client may be gone
	t.Cleanup(s.Close)
	return s.URL
}

// Fetch adds the pages of a first fetch, and how it failed.
func (l *Lines) Fetch(t testing.TB, name string, f harvest.Fetcher, params json.RawMessage) {
	t.Helper()
	for page, err := range f.Fetch(t.Context(), harvest.Request{Params: params, Attempt: 1}) {
		if err != nil {
			l.Add(t, map[string]any{"kind": harvest.KindOf(err), "error": err.Error()})
			return
		}
		require.NoError(t, page.Check())
		l.Page(t, name, page)
	}
}

// Page adds the documents of a page, each as a line that is exported, and a line for
// all else it says.
func (l *Lines) Page(t testing.TB, name string, p harvest.Page) {
	t.Helper()
	for _, d := range p.Documents {
		l.Add(t, rows.NewLine(name, &d))
	}
	l.Add(t, map[string]any{"page": summaryOf(p)})
}

// summary is what a page says beside its documents.
type summary struct {
	Listed      int      `json:"listed"`
	Same        int      `json:"same,omitempty"`
	Partial     bool     `json:"partial,omitempty"`
	NotModified bool     `json:"not_modified,omitempty"`
	Last        bool     `json:"last,omitempty"`
	Warnings    []string `json:"warnings,omitempty"`
	Rejects     []reject `json:"rejects,omitempty"`
}

type reject struct {
	ID     string `json:"id,omitempty"`
	Reason string `json:"reason"`
	Bytes  string `json:"bytes,omitempty"`
	Where  string `json:"where,omitempty"`
}

func summaryOf(p harvest.Page) summary {
	s := summary{Listed: p.Listed, Same: p.Same, Partial: p.Partial, NotModified: p.NotModified, Last: p.Last, Warnings: p.Warnings}
	for _, r := range p.Rejects {
		bytes := strings.ToValidUTF8(string(r.Bytes[:min(len(r.Bytes), maxBytes)]), "?")
		s.Rejects = append(s.Rejects, reject{ID: r.ID, Reason: r.Reason, Bytes: bytes, Where: r.Where})
	}
	return s
}

// maxBytes is how much of a rejected record stands in a golden file.
const maxBytes = 400

// Readme checks that the JSON example in README.md is of lines in a golden file, so that
// it shows what the fetcher really writes.
func Readme(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	lines := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindSubmatch(text)
	require.NotNil(t, lines, "README.md has no example in JSON")
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(string(lines[1])) {
		require.Contains(t, string(want), strings.TrimSpace(line)+"\n")
	}
}
