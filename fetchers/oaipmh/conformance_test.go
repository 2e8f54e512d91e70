package oaipmh_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/fetchertest"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest"
)

// shelf is a sound repository of n records, so many to a response, one a day
// from 1 January 2026 on; its clock stands at 1 September 2027.
type shelf struct {
	n, size int
	// days: its dates have no time of day.
	days bool
	// told: it says how many records there are.
	told bool
}

func (s shelf) begin() time.Time { return time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC) }

func (s shelf) stamp(i int) time.Time { return s.begin().Add(time.Duration(i) * 24 * time.Hour / 4) }

func (s shelf) form(t time.Time) string {
	if s.days {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

func (s shelf) ids() []string {
	var ids []string
	for i := range s.n {
		ids = append(ids, "oai:repo.example.org:"+strconv.Itoa(i))
	}
	return ids
}

func frame(inner string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">` +
		`<responseDate>2027-09-01T10:00:00Z</responseDate><request>https://repo.example.org/oai</request>` + inner + `</OAI-PMH>`
}

func protocolError(code string) string {
	return frame(`<error code="` + code + `">` + code + `, it says</error>`)
}

func (s shelf) record(i int) string {
	head := fmt.Sprintf("<identifier>oai:repo.example.org:%d</identifier><datestamp>%s</datestamp>", i, s.form(s.stamp(i)))
	if i%10 == 9 {
		return `<record><header status="deleted">` + head + "</header></record>"
	}
	return "<record><header>" + head + fmt.Sprintf("</header><metadata>"+`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`+
		"<dc:title>Perché %d</dc:title><dc:creator>Rossi, Zoë</dc:creator><dc:identifier>https://repo.example.org/%d</dc:identifier></oai_dc:dc></metadata></record>", i, i)
}

// ServeHTTP answers Identify and ListRecords; a token is "from,until,cursor".
func (s shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	fmt.Fprint(w, s.answer(r.URL.Query().Get)) //nolint:errcheck // the client may be gone
}

func (s shelf) answer(arg func(string) string) string {
	if arg("verb") == "Identify" {
		form := "YYYY-MM-DDThh:mm:ssZ"
		if s.days {
			form = "YYYY-MM-DD"
		}
		return frame("<Identify><repositoryName>Shelf</repositoryName><baseURL>https://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion>" +
			"<adminEmail>a@example.org</adminEmail><earliestDatestamp>" + s.form(s.begin()) + "</earliestDatestamp><deletedRecord>persistent</deletedRecord>" +
			"<granularity>" + form + "</granularity><compression>gzip</compression></Identify>")
	}
	from, until, cursor := arg("from"), arg("until"), 0
	if token := arg("resumptionToken"); token != "" {
		parts := strings.Split(token, ",")
		from, until = parts[0], parts[1]
		cursor, _ = strconv.Atoi(parts[2])
	}
	var within []int
	for i := range s.n {
		if at := s.form(s.stamp(i)); (from == "" || at >= from) && (until == "" || at <= until) {
			within = append(within, i)
		}
	}
	if len(within) == 0 {
		return protocolError("noRecordsMatch")
	}
	var b strings.Builder
	for _, i := range within[cursor:min(len(within), cursor+s.size)] {
		b.WriteString(s.record(i))
	}
	size := ""
	if s.told {
		size = fmt.Sprintf(` completeListSize="%d" cursor="%d"`, len(within), cursor)
	}
	switch next := cursor + s.size; {
	case next < len(within):
		fmt.Fprintf(&b, "<resumptionToken%s>%s,%s,%d</resumptionToken>", size, from, until, next)
	case cursor > 0:
		b.WriteString("<resumptionToken" + size + "/>")
	}
	return frame("<ListRecords>" + b.String() + "</ListRecords>")
}

func conformance(s shelf, pages int, params string) fetchertest.Case {
	return fetchertest.Case{
		New: oaipmh.New, Source: s, IDs: s.ids(), Pages: pages,
		Params: func(base string) json.RawMessage {
			return json.RawMessage(`{"url":` + strconv.Quote(base+"/oai") + params + `}`)
		},
	}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(shelf{n: 25, size: 6, told: true}, 5, ""))
}

func TestConformanceInWindows(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(shelf{n: 300, size: 50, days: true}, 5, `,"window":"month"`))
}

func TestConformanceOfLongResponses(t *testing.T) {
	t.Parallel()
	fetchertest.Run(t, conformance(shelf{n: 2300, size: 2100, told: true}, 4, `,"granularity":"second"`))
}

var (
	_ harvest.Prober     = (*oaipmh.Fetcher)(nil)
	_ harvest.Splitter   = (*oaipmh.Fetcher)(nil)
	_ harvest.Counter    = (*oaipmh.Fetcher)(nil)
	_ harvest.Exhaustive = (*oaipmh.Fetcher)(nil)
	_ harvest.Resumer    = (*oaipmh.Fetcher)(nil)
)
