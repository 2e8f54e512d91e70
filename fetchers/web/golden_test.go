package web_test

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

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/fetchers/web"
)

// folder serves its files as https://site.example.org/NAME, without a network.
type folder struct {
	path    string
	headers map[string]struct {
		Status int               `json:"status"`
		Header map[string]string `json:"header"`
	}
}

func (f folder) RoundTrip(r *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	body, err := os.ReadFile(filepath.Join(f.path, name))
	a := f.headers[name]
	resp := &http.Response{
		StatusCode: max(a.Status, http.StatusOK), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Request: r, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
	if err != nil {
		resp.StatusCode = http.StatusNotFound
	}
	for k, v := range a.Header {
		resp.Header.Set(k, v)
	}
	return resp, nil
}

// TestGolden walks testdata: each folder is a site with its files, params.json,
// headers.json where answers are special, and what is wanted of it.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Cases{
		Files: "testdata/*/params.json", Least: 5, Want: golden.Beside("want.jsonl"),
		Got: func(t *testing.T, path string) []byte { return harvestFolder(t, filepath.Dir(path)) },
	}.Run(t)
}

func harvestFolder(t *testing.T, path string) []byte {
	t.Helper()
	f := folder{path: path}
	raw, err := os.ReadFile(filepath.Join(path, "params.json"))
	require.NoError(t, err)
	if h, err := os.ReadFile(filepath.Join(path, "headers.json")); err == nil {
		require.NoError(t, json.Unmarshal(h, &f.headers))
	}
	var out golden.Lines
	out.Fetch(t, web.Name, web.New(&http.Client{Transport: f}), raw)
	require.True(t, utf8.Valid(out.Bytes()))
	return out.Bytes()
}
