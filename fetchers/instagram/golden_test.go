package instagram

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

// TestGolden reads every answer under testdata, without the files it names.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Cases{Files: "testdata/*.json", Least: 1, Got: func(t *testing.T, path string) []byte {
		body, err := os.ReadFile(path)
		require.NoError(t, err)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(body) })) // the client may be gone
		defer s.Close()
		out := &golden.Lines{}
		req := harvest.Request{Params: []byte(`{"own":true,"user":"1","token":"t","media":"none","url":"` + s.URL + `"}`), Attempt: 1}
		for p, err := range New(http.DefaultClient).Fetch(t.Context(), req) {
			require.NoError(t, err)
			for _, d := range p.Documents {
				out.Add(t, rows.NewLine(Name, &d))
			}
			for _, r := range p.Rejects {
				out.Add(t, map[string]any{"reject": r.ID, "reason": r.Reason, "where": r.Where})
			}
			out.Add(t, map[string]any{"listed": p.Listed, "last": p.Last})
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
	want, err := os.ReadFile("testdata/media.json.golden")
	require.NoError(t, err)
	for line := range strings.Lines(string(lines[1])) {
		require.Contains(t, string(want), strings.TrimSpace(line)+"\n")
	}
}
