package x

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// pages fetches a search from a server that answers with one body.
func pages(t testing.TB, body []byte) (list []harvest.Page, err error) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) })) // the client may be gone
	defer s.Close()
	params := `{"query":"genova","token":"t","url":"` + s.URL + `"}`
	for page, err := range New(http.DefaultClient).Fetch(t.Context(), harvest.Request{Params: []byte(params), Attempt: 1}) {
		if err != nil {
			return list, err
		}
		list = append(list, page)
	}
	return list, nil
}

// TestGolden reads every answer under testdata.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Cases{Files: "testdata/*.json", Least: 1, Got: func(t *testing.T, path string) []byte {
		body, err := os.ReadFile(path)
		require.NoError(t, err)
		list, err := pages(t, body)
		require.NoError(t, err)
		out := &golden.Lines{}
		for _, p := range list {
			for _, d := range p.Documents {
				out.Add(t, rows.NewLine(Name, &d))
			}
			for _, r := range p.Rejects {
				out.Add(t, map[string]any{"reject": r.ID, "reason": r.Reason, "where": r.Where})
			}
			out.Add(t, map[string]any{"listed": p.Listed, "same": p.Same, "warnings": p.Warnings, "partial": p.Partial})
		}
		return out.Bytes()
	}}.Run(t)
}

// The example in the README is a line that the fetcher writes.
func TestTheReadmeShowsARealDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	lines := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindSubmatch(text)
	require.NotNil(t, lines)
	want, err := os.ReadFile("testdata/search.json.golden")
	require.NoError(t, err)
	for line := range strings.Lines(string(lines[1])) {
		require.Contains(t, string(want), strings.TrimSpace(line)+"\n")
	}
}
