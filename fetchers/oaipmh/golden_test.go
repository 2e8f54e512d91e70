package oaipmh_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest/golden"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest"
)

// TestGolden walks testdata: response.xml is the answer to any request, with
// params.json; want.jsonl are the documents and what else a page tells.
func TestGolden(t *testing.T) {
	t.Parallel()
	golden.Cases{Files: "testdata/*/response.xml", Least: 3, Want: golden.Beside("want.jsonl"), Got: goldenCase}.Run(t)
}

func serveFile(t *testing.T, path string) *stand {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	return serve(t, http.NotFoundHandler(), func(w http.ResponseWriter, _ url.Values) bool { return say(w, string(body)) })
}

func goldenCase(t *testing.T, path string) []byte {
	t.Helper()
	st := serveFile(t, path)
	params := map[string]any{}
	if b, err := os.ReadFile(filepath.Join(filepath.Dir(path), "params.json")); err == nil {
		require.NoError(t, json.Unmarshal(b, &params))
	}
	params["url"] = st.URL
	raw, err := json.Marshal(params)
	require.NoError(t, err)
	r := st.fetch(t, harvest.Request{Params: raw})
	require.NoError(t, r.err)
	var out golden.Lines
	for _, p := range r.pages {
		out.Page(t, oaipmh.Name, p)
	}
	return out.Bytes()
}

// TestAnyRequestTheSameAnswer: a server that knows one page and nothing of the
// protocol still gives its records, once.
func TestAnyRequestTheSameAnswer(t *testing.T) {
	t.Parallel()
	r := serveFile(t, "testdata/journal/response.xml").fetch(t, harvest.Request{})
	require.Equal(t, "done", r.outcome())
	require.Len(t, r.documents(), 15)
	deleted := 0
	for _, d := range r.documents() {
		if d.Deleted {
			deleted++
			require.Empty(t, d.Body)
			require.Empty(t, d.Fields)
		}
	}
	require.Equal(t, 1, deleted)
}

// TestTheHashIsOfTheRecord: neither the response around it nor its datestamp
// changes a record; its metadata, its sets and its deletion do.
func TestTheHashIsOfTheRecord(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 1, size: 1, sets: []string{"a"}})
	sum := func(old, text string) string {
		st := serve(t, s, rewrite(s, "ListRecords", old, text)())
		return st.fetch(t, harvest.Request{}).documents()[0].Sum()
	}
	same := sum("", "")
	for _, c := range []struct{ old, text string }{
		{"2016-09-01", "2016-09-02"},
		{"2015-01-01T10:00:00Z", "2015-02-02T10:00:00Z"},
		{"</ListRecords>", "<resumptionToken/></ListRecords>"},
		{"<OAI-PMH ", `<OAI-PMH xmlns:x="urn:x" `},
	} {
		require.Equal(t, same, sum(c.old, c.text), c.text)
	}
	for _, c := range []struct{ old, text string }{
		{"Perché", "Perche"}, {"<setSpec>a</setSpec>", "<setSpec>b</setSpec>"}, {"<header>", `<header status="deleted">`}, {"</metadata>", "</metadata><about>x</about>"},
	} {
		require.NotEqual(t, same, sum(c.old, c.text), c.text)
	}
}
