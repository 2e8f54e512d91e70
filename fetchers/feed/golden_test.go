package feed_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

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
	golden.Cases{Files: "testdata/*/feed.*", Least: 25, Want: golden.Beside("want.jsonl"), Got: harvestCase}.Run(t)
}

func harvestCase(t *testing.T, file string) []byte {
	t.Helper()
	folder := filepath.Dir(file)
	s := site{folder: folder, answer: headers{}}
	readJSON(t, filepath.Join(folder, "headers.json"), &s.answer)
	params := map[string]any{"url": "https://feed.example.org/" + filepath.Base(file)}
	readJSON(t, filepath.Join(folder, "params.json"), &params)
	raw, err := json.Marshal(params)
	require.NoError(t, err)

	var out golden.Lines
	for page, err := range feed.New(&http.Client{Transport: s}).Fetch(t.Context(), harvest.Request{Params: raw, Attempt: 1}) {
		if err != nil {
			out.Add(t, map[string]any{"kind": harvest.KindOf(err), "error": err.Error()})
			break
		}
		require.NoError(t, page.Check())
		for _, d := range page.Documents {
			out.Add(t, rows.NewLine(feed.Name, &d))
		}
		out.Add(t, summary(page))
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
