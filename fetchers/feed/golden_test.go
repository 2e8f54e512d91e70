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
	out.Fetch(t, feed.Name, feed.New(&http.Client{Transport: s}), raw)
	require.True(t, utf8.Valid(out.Bytes()))
	return out.Bytes()
}
