package oai

import (
	"compress/gzip"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// document is an answer, read by the standard library's strict parser.
type document struct {
	XMLName      xml.Name `xml:"http://www.openarchives.org/OAI/2.0/ OAI-PMH"`
	ResponseDate string   `xml:"responseDate"`
	Request      struct {
		Attrs []xml.Attr `xml:",any,attr"`
		Base  string     `xml:",chardata"`
	} `xml:"request"`
	Errors []struct {
		Code string `xml:"code,attr"`
	} `xml:"error"`
	Identify struct {
		Base        string `xml:"baseURL"`
		Earliest    string `xml:"earliestDatestamp"`
		Deleted     string `xml:"deletedRecord"`
		Granularity string `xml:"granularity"`
	} `xml:"Identify"`
	Formats     []string `xml:"ListMetadataFormats>metadataFormat>metadataPrefix"`
	Sets        list     `xml:"ListSets"`
	Identifiers list     `xml:"ListIdentifiers"`
	Records     list     `xml:"ListRecords"`
	Record      []entry  `xml:"GetRecord>record"`
}

type list struct {
	Sets    []string `xml:"set>setSpec"`
	Headers []header `xml:"header"`
	Records []entry  `xml:"record"`
	Token   *token   `xml:"resumptionToken"`
}

type header struct {
	Status string   `xml:"status,attr"`
	ID     string   `xml:"identifier"`
	Stamp  string   `xml:"datestamp"`
	Sets   []string `xml:"setSpec"`
}

type entry struct {
	Header   header `xml:"header"`
	Metadata struct {
		Inner string `xml:",innerxml"`
		DC    struct {
			Title []string `xml:"http://purl.org/dc/elements/1.1/ title"`
		} `xml:"http://www.openarchives.org/OAI/2.0/oai_dc/ dc"`
	} `xml:"metadata"`
}

type token struct {
	Expires string `xml:"expirationDate,attr"`
	Size    string `xml:"completeListSize,attr"`
	Cursor  string `xml:"cursor,attr"`
	Text    string `xml:",chardata"`
}

// all is the list of any list verb.
func (d *document) all() list {
	return list{
		Sets: d.Sets.Sets, Headers: append(d.Identifiers.Headers, headers(d.Records.Records)...), Records: d.Records.Records,
		Token: first(d.Sets.Token, d.Identifiers.Token, d.Records.Token),
	}
}

func first(tokens ...*token) *token {
	for _, t := range tokens {
		if t != nil {
			return t
		}
	}
	return nil
}

func headers(records []entry) (list []header) {
	for _, e := range records {
		list = append(list, e.Header)
	}
	return list
}

func (d *document) code() string {
	if len(d.Errors) == 0 {
		return ""
	}
	return d.Errors[0].Code
}

// started is a repository with a server.
func started(t testing.TB, c Config) *Repository {
	t.Helper()
	r, err := Start(c)
	require.NoError(t, err)
	t.Cleanup(r.Close)
	return r
}

func client(t testing.TB) *http.Client {
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// get asks a base URL; arguments are names and values in turn.
func get(t testing.TB, base string, args ...string) (*http.Response, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+"?"+query4(args), nil)
	require.NoError(t, err)
	resp, err := client(t).Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, body, err
}

func query4(args []string) string {
	var parts []string
	for i := 0; i+1 < len(args); i += 2 {
		parts = append(parts, url.QueryEscape(args[i])+"="+url.QueryEscape(args[i+1]))
	}
	return strings.Join(parts, "&")
}

func parse(t testing.TB, body []byte) *document {
	t.Helper()
	var d document
	require.NoError(t, xml.Unmarshal(body, &d), "%.2000s", body)
	return &d
}

// ask is get with everything as it should be.
func ask(t testing.TB, base string, args ...string) *document {
	t.Helper()
	resp, body, err := get(t, base, args...)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	require.Equal(t, xmlType, resp.Header.Get("Content-Type"))
	return parse(t, body)
}

// walk follows a list to its end, at most so many pages.
func walk(t testing.TB, base string, pages int, args ...string) (docs []*document) {
	t.Helper()
	verb := args[1]
	for range pages {
		d := ask(t, base, args...)
		docs = append(docs, d)
		next := d.all().Token
		if next == nil || next.Text == "" {
			break
		}
		args = []string{"verb", verb, "resumptionToken", next.Text}
	}
	return docs
}

// ids are the identifiers of walked pages, the deleted ones apart.
func ids(docs []*document) (living, deleted []string) {
	for _, d := range docs {
		for _, h := range d.all().Headers {
			if h.Status == "deleted" {
				deleted = append(deleted, h.ID)
			} else {
				living = append(living, h.ID)
			}
		}
	}
	return living, deleted
}

func records(args ...string) []string {
	return append([]string{"verb", "ListRecords", "metadataPrefix", "oai_dc"}, args...)
}

func unpack(t testing.TB, b []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(string(b)))
	require.NoError(t, err)
	text, err := io.ReadAll(r)
	require.NoError(t, err)
	return text
}

// inside asks the handler without a server.
func inside(r *Repository, method, target, form string, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, target, strings.NewReader(form)) // test
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	r.Handler().ServeHTTP(w, req)
	return w
}
