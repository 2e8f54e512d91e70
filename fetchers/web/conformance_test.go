package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/web"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

const pageFields = `"fields":{"title":{"css":"h1.act__title","required":true},"published":{"css":"time","zone":"Europe/Rome"},` +
	`"amount":{"css":"span.amount","as":"number","decimal":"comma"},"body":"div.body"}`

func params(text string) func(string) json.RawMessage {
	return func(base string) json.RawMessage { return json.RawMessage(strings.ReplaceAll(text, "BASE", base)) }
}

// conformance is a case whose ids are addresses: the suite's source has a new
// host each time, so that they are taken from a field.
func conformance(c site.Config, text string, ids string, pages int) fetchertest.Case {
	out := fetchertest.Case{New: web.New, Source: site.New(c), Params: params(text), Pages: pages}
	out.Growing = growing(c, ids)
	c.Validators = false // a torn page has the ETag of the whole one
	out.Spoiled, out.Withdrawn = torn(c, broken), torn(c, gone)
	for n := range c.Pages {
		out.IDs = append(out.IDs, fmt.Sprintf(ids, n))
	}
	return out
}

// growing is a site that gets another page, first on its lists, with each call of grow.
func growing(c site.Config, ids string) func() (source http.Handler, grow func() string) {
	return func() (http.Handler, func() string) {
		s, n := site.New(c), c.Pages
		return s, func() string {
			s.Add(1)
			n++
			return fmt.Sprintf(ids, n-1)
		}
	}
}

// broken and gone are what happens to pages or rows 3 and 7 of a site.
const (
	broken = iota
	gone
)

// torn is a site whose pages or rows 3 and 7 cannot be read, or are there no more.
func torn(c site.Config, how int) http.Handler {
	healthy := site.New(c)
	row := regexp.MustCompile(`<tr data-id="[37]">.*</tr>`)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		of3or7 := r.URL.Path == "/acts/3" || r.URL.Path == "/acts/7"
		if of3or7 && how == gone {
			http.NotFound(w, r)
			return
		}
		rec := httptest.NewRecorder()
		healthy.ServeHTTP(rec, r)
		body := rec.Body.Bytes()
		if of3or7 {
			body = bytes.ReplaceAll(body, []byte("act__title"), []byte("torn"))
		}
		body = row.ReplaceAllFunc(body, func(tr []byte) []byte {
			if how == gone {
				return nil
			}
			return regexp.MustCompile(`</?a\b[^>]*>`).ReplaceAll(tr, nil)
		})
		for name, v := range rec.Header() {
			w.Header()[name] = v
		}
		w.Header().Del("Content-Length")
		w.WriteHeader(rec.Code)
		w.Write(body) // the client may be gone
	})
}

const idField = `,"id":{"css":"h1.act__title","match":"n\\. (\\d+)"}}`

func withID(fields string) string { return strings.TrimSuffix(fields, "}") + idField }

func TestConformanceOfLists(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(site.Config{Pages: 24, PerList: 8, Validators: true},
		`{"url":"BASE/list","links":"ul.acts a","next":"a[rel=next]","id_prefix":"act:",`+withID(pageFields)+`}`, "act:%d", 3))
}

func TestConformanceOfListsWithoutValidators(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(site.Config{Pages: 45, PerList: 40, Charset: "windows-1252"},
		`{"url":"BASE/list","links":"ul.acts a","page_param":"page","empty":"li.none",`+withID(pageFields)+`}`, "%d", 3))
}

func TestConformanceOfRows(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(site.Config{Pages: 20, PerList: 6, Validators: true},
		`{"url":"BASE/rows","rows":"table.rows tbody tr","next":"a[rel=next]","id_prefix":"row:","fields":{"id":{"css":"","attr":"data-id"},`+
			`"title":{"css":"a","required":true},"published":{"css":"td.date"},"amount":{"css":"td.amount","as":"number","decimal":"comma"}}}`, "row:%d", 4))
}

func TestConformanceOfSitemaps(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(site.Config{Pages: 30, PerList: 10},
		`{"url":"BASE/sitemap-index.xml","sitemap":true,"revisit":"changed",`+withID(pageFields)+`}`, "%d", 3))
}

var _ harvest.Prober = (*web.Fetcher)(nil)
