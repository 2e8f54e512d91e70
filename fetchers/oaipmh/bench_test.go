package oaipmh

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
)

const benchRecords = 500

// usual is a response of usual records, 1.2 kB each, as DSpace and OJS give them.
func usual(first, n int, token string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		"<responseDate>2026-09-01T10:00:00Z</responseDate><request>https://repo.example.org/oai</request><ListRecords>")
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&b, `
  <record><header><identifier>oai:repo.example.org:123456789/%d</identifier><datestamp>2026-08-30T09:00:00Z</datestamp><setSpec>com_1</setSpec><setSpec>col_2</setSpec></header>
    <metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/" xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/oai_dc/ http://www.openarchives.org/OAI/2.0/oai_dc.xsd">
      <dc:title>The harvest of the year %d &amp; what came of it</dc:title>
      <dc:creator>Rossi, Maria</dc:creator>
      <dc:creator>Bianchi, Carlo</dc:creator>
      <dc:subject>Agriculture</dc:subject>
      <dc:description>%s</dc:description>
      <dc:publisher>University of Example</dc:publisher>
      <dc:date>2026-03-0%d</dc:date>
      <dc:type>info:eu-repo/semantics/article</dc:type>
      <dc:identifier>https://repo.example.org/handle/123456789/%d</dc:identifier>
      <dc:language>ita</dc:language>
    </oai_dc:dc></metadata></record>`, i, i, strings.Repeat("Some words of an abstract. ", 10), 1+i%9, i)
	}
	return b.String() + `<resumptionToken completeListSize="100000" cursor="0">` + token + `</resumptionToken></ListRecords></OAI-PMH>`
}

// BenchmarkDocuments is everything between the bytes of a response and its
// documents.
func BenchmarkDocuments(b *testing.B) {
	body := []byte(usual(0, benchRecords, "t"))
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		text := wire.Clean(body, "")
		r, err := wire.Scan(text)
		require.NoError(b, err)
		docs, _ := newAdapter(response{Response: r, Answer: answer.Answer{Body: body}, text: text}, naming{}).documents(r.Records)
		require.Len(b, docs, benchRecords)
	}
	b.ReportMetric(float64(b.N*benchRecords)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkHarvest is a whole harvest of 100,000 records from a server that
// costs nothing to speak of.
func BenchmarkHarvest(b *testing.B) {
	const pages, size = 100, 1000
	var bodies []string
	for i := range pages {
		token := strconv.Itoa(i + 1)
		if i == pages-1 {
			token = ""
		}
		bodies = append(bodies, usual(i*size, size, token))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("resumptionToken"))
		w.Header().Set("Content-Length", strconv.Itoa(len(bodies[n])))
		fmt.Fprint(w, bodies[n]) // the client may be gone
	}))
	defer s.Close()
	f := New(s.Client())
	b.ReportAllocs()
	for b.Loop() {
		req := harvest.Request{Params: []byte(`{"url":"` + s.URL + `/oai","granularity":"second","window":"none"}`)}
		n := 0
		for p, err := range f.Fetch(context.Background(), req) {
			require.NoError(b, err)
			n += len(p.Documents)
		}
		require.Equal(b, pages*size, n)
	}
	b.ReportMetric(float64(b.N*pages*size)/b.Elapsed().Seconds(), "records/s")
}
