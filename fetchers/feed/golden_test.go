package feed_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/harvest"
)

//nolint:gochecknoglobals // a flag of the test binary
var update = flag.Bool("update", false, "rewrite want.jsonl of every case")

// headers says how the files of a case are answered, by name.
type headers map[string]struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
}

// site serves a folder as https://feed.example.org/NAME, without a network.
type site struct {
	folder string
	answer headers
}

func (s site) RoundTrip(r *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	body, err := os.ReadFile(filepath.Join(s.folder, name))
	a := s.answer[name]
	resp := &http.Response{StatusCode: max(a.Status, 200), Header: http.Header{}, Request: r, Body: io.NopCloser(bytes.NewReader(body))}
	if err != nil && a.Status == 0 {
		resp.StatusCode = http.StatusNotFound
	}
	for k, v := range a.Header {
		resp.Header.Set(k, v)
	}
	return resp, nil
}

// readJSON reads an optional file of a case.
func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, into), path)
}

// TestGolden walks testdata: each folder is a source with its files, params.json
// (else the url of its feed.*), headers.json, and what is wanted of it.
func TestGolden(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("testdata/*/want.jsonl")
	require.NoError(t, err)
	if *update {
		folders, err = filepath.Glob("testdata/*/feed.*")
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, len(folders), 25)
	for _, path := range folders {
		folder := filepath.Dir(path)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Parallel()
			got := harvestCase(t, folder)
			want := filepath.Join(folder, "want.jsonl")
			if *update {
				require.NoError(t, os.WriteFile(want, got, 0o644))
			}
			b, err := os.ReadFile(want)
			require.NoError(t, err)
			if diff := cmp.Diff(string(b), string(got)); diff != "" {
				t.Errorf("go test -run Golden -update rewrites it (-want +got):\n%s", diff)
			}
		})
	}
}

func harvestCase(t *testing.T, folder string) []byte {
	t.Helper()
	s := site{folder: folder, answer: headers{}}
	readJSON(t, filepath.Join(folder, "headers.json"), &s.answer)
	files, err := filepath.Glob(filepath.Join(folder, "feed.*"))
	require.NoError(t, err)
	params := map[string]any{"url": "https://feed.example.org/" + filepath.Base(files[0])}
	readJSON(t, filepath.Join(folder, "params.json"), &params)
	raw, err := json.Marshal(params)
	require.NoError(t, err)

	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for page, err := range feed.New(&http.Client{Transport: s}).Fetch(t.Context(), harvest.Request{Params: raw, Attempt: 1}) {
		if err != nil {
			require.NoError(t, e.Encode(map[string]any{"kind": harvest.KindOf(err), "error": err.Error()}))
			break
		}
		require.NoError(t, page.Check())
		for _, d := range page.Documents {
			require.NoError(t, e.Encode(harvest.NewLine(feed.Name, &d)))
		}
		require.NoError(t, e.Encode(summary(page)))
	}
	require.True(t, utf8.Valid(out.Bytes()))
	return out.Bytes()
}

// summary is the line behind the documents of a page.
func summary(p harvest.Page) any {
	type reject struct {
		ID     string `json:"id,omitempty"`
		Reason string `json:"reason"`
		Bytes  string `json:"bytes"`
	}
	s := struct {
		Listed      int      `json:"listed"`
		Partial     bool     `json:"partial,omitempty"`
		NotModified bool     `json:"not_modified,omitempty"`
		Last        bool     `json:"last,omitempty"`
		Warnings    []string `json:"warnings,omitempty"`
		Rejects     []reject `json:"rejects,omitempty"`
	}{Listed: p.Listed, Partial: p.Partial, NotModified: p.NotModified, Last: p.Last, Warnings: p.Warnings}
	for _, r := range p.Rejects {
		s.Rejects = append(s.Rejects, reject{ID: r.ID, Reason: r.Reason, Bytes: string(r.Bytes)})
	}
	return map[string]any{"page": s}
}
