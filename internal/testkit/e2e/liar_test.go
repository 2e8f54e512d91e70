package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
)

// liar is a source that writes a text wherever a source may write one: sets,
// outlines, ids, addresses, tokens, redirects, validators. It repeats what it is
// asked with, and keeps every request as it came.
type liar struct {
	*httptest.Server
	text string

	mu       sync.Mutex
	requests strings.Builder
}

func newLiar(t *testing.T, text string) *liar {
	t.Helper()
	l := &liar{text: text}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

// got is every request so far, with header and body.
func (l *liar) got() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.requests.String()
}

func (l *liar) keep(r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	raw, err := httputil.DumpRequest(r, true)
	fmt.Fprintf(&l.requests, "%s\n%v\n", raw, err)
}

// ServeHTTP answers /oai, /list.opml, /moved, /list and pages; else with a feed.
func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.keep(r)
	w.Header().Set("ETag", `"`+l.text+`"`)
	w.Header().Set("Last-Modified", l.text)
	switch path := r.URL.Path; {
	case path == "/oai":
		l.answer(w, l.oai(r))
	case path == "/list.opml":
		l.answer(w, `<opml version="2.0"><body><outline text="TEXT" type="rss" xmlUrl="BASE/feed/1?k=TEXT"/><outline text="b" type="rss" xmlUrl="BASE/feed/TEXT"/></body></opml>`)
	case path == "/moved":
		w.Header().Set("Location", l.URL+"/feed/moved?k="+l.text)
		w.WriteHeader(http.StatusMovedPermanently)
	case path == "/list":
		l.answer(w, `<html><body><h1>TEXT</h1><a class="row" href="/page/1?k=TEXT">one</a><a class="row" href="/page/TEXT">two</a><a class="row" href="TEXT">three</a><a rel="next" href="/list?n=2&amp;k=TEXT">more</a></body></html>`)
	case strings.HasPrefix(path, "/page/"):
		l.answer(w, `<html><body><h1>Page TEXT</h1><p>`+strings.Repeat("words ", 50)+`TEXT</p></body></html>`)
	default:
		l.answer(w, l.feed(r))
	}
}

func (l *liar) answer(w http.ResponseWriter, page string) {
	fmt.Fprint(w, strings.NewReplacer("TEXT", l.text, "BASE", l.URL).Replace(page))
}

func (l *liar) feed(r *http.Request) string {
	said := strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(r.FormValue("k"))
	return `<feed xmlns="http://www.w3.org/2005/Atom"><title>TEXT</title><id>TEXT</id><link rel="self" href="BASE/feed/self?k=TEXT"/><link rel="next" href="/feed/next?n=` + r.URL.Path + `&amp;k=TEXT"/>` +
		`<entry><id>TEXT ` + r.URL.Path + `</id><title>TEXT ` + said + `</title><updated>2026-05-03T12:00:00Z</updated><link href="BASE/e?k=` + said + `TEXT"/><link rel="enclosure" href="BASE/enclosure?k=TEXT"/><content>TEXT ` + said + `</content></entry></feed>`
}

func (l *liar) oai(r *http.Request) string {
	head := `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-05-03T16:00:00Z</responseDate><request>TEXT</request>`
	record := `<record><header><identifier>oai:TEXT:` + r.FormValue("set") + `</identifier><datestamp>2026-05-03</datestamp><setSpec>TEXT</setSpec></header><metadata><dc xmlns="http://purl.org/dc/elements/1.1/"><title>TEXT</title><identifier>BASE/r?k=TEXT</identifier></dc></metadata></record>`
	switch r.FormValue("verb") {
	case "Identify":
		return head + `<Identify><repositoryName>TEXT</repositoryName><baseURL>BASE/oai?k=TEXT</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>2026-05-01</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>YYYY-MM-DD</granularity></Identify></OAI-PMH>`
	case "ListMetadataFormats":
		return head + `<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>TEXT</schema><metadataNamespace>TEXT</metadataNamespace></metadataFormat></ListMetadataFormats></OAI-PMH>`
	case "ListSets":
		return head + `<ListSets><set><setSpec>TEXT</setSpec><setName>TEXT</setName></set><set><setSpec>$TEXT</setSpec><setName>b</setName></set></ListSets></OAI-PMH>`
	}
	token := ""
	if r.FormValue("resumptionToken") == "" {
		token = `<resumptionToken>TEXT</resumptionToken>`
	}
	return head + `<ListRecords>` + record + token + `</ListRecords></OAI-PMH>`
}
