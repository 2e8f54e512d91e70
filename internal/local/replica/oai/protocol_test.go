package oai

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 250, OpenEvery: 10})
	days := started(t, Config{Days: true})
	flat := started(t, Config{NoSets: true})
	for _, c := range []struct {
		base, args string
		want       []string
	}{
		{r.URL(), "", []string{"badVerb"}},
		{r.URL(), "verb=List", []string{"badVerb"}},
		{r.URL(), "verb=Identify&verb=Identify", []string{"badVerb"}},
		{r.URL(), "verb=Identify&set=a", []string{"badArgument"}},
		{r.URL(), "verb=Identify&%zz", []string{"badArgument"}},
		{r.URL(), "verb=GetRecord", []string{"badArgument", "badArgument"}},
		{r.URL(), "verb=GetRecord&identifier=oai:no:1&metadataPrefix=oai_dc", []string{"idDoesNotExist"}},
		{r.URL(), "verb=GetRecord&identifier=" + ID(250) + "&metadataPrefix=oai_dc", []string{"idDoesNotExist"}},
		{r.URL(), "verb=GetRecord&identifier=" + ID(1) + "&metadataPrefix=mods", []string{"cannotDisseminateFormat"}},
		{r.URL(), "verb=ListMetadataFormats&identifier=x", []string{"idDoesNotExist"}},
		{r.URL(), "verb=ListRecords", []string{"badArgument"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=mods", []string{"cannotDisseminateFormat"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&set=col_1&set=col_2", []string{"badArgument"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&set=col_9", []string{"noRecordsMatch"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&set=fault:none", []string{"badArgument"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&until=1999-01-01", []string{"noRecordsMatch"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&from=2030-01-01", []string{"noRecordsMatch"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-02&until=2020-01-01", []string{"badArgument"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01&until=2020-01-01T00:00:00Z", []string{"badArgument"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&from=2020-13-01", []string{"badArgument"}},
		{r.URL(), "verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01T00:00:00%2B01:00", []string{"badArgument"}},
		{days.URL(), "verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01T00:00:00Z", []string{"badArgument"}},
		{r.URL(), "verb=ListRecords&resumptionToken=abc", []string{"badResumptionToken"}},
		{r.URL(), "verb=ListRecords&resumptionToken=", []string{"badResumptionToken"}},
		{r.URL(), "verb=ListRecords&resumptionToken=abc&metadataPrefix=oai_dc", []string{"badArgument"}},
		{flat.URL(), "verb=ListSets", []string{"noSetHierarchy"}},
		{flat.URL(), "verb=ListRecords&metadataPrefix=oai_dc&set=a", []string{"noSetHierarchy"}},
	} {
		args, _ := url.ParseQuery(c.args)
		w := inside(r, http.MethodGet, Path+"?"+c.args, "")
		switch c.base {
		case days.URL():
			w = inside(days, http.MethodGet, Path+"?"+c.args, "")
		case flat.URL():
			w = inside(flat, http.MethodGet, Path+"?"+c.args, "")
		}
		d := parse(t, w.Body.Bytes())
		var got []string
		for _, e := range d.Errors {
			got = append(got, e.Code)
		}
		require.Equal(t, c.want, got, c.args)
		require.Equal(t, http.StatusOK, w.Code)
		if slices.Contains([]string{"badVerb", "badArgument"}, got[0]) {
			require.Empty(t, d.Request.Attrs, c.args)
		} else {
			require.Len(t, d.Request.Attrs, len(args), c.args)
		}
	}
}

func TestIdentifyAndFormats(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Deleted: Transient})
	d := ask(t, r.URL(), "verb", "Identify")
	require.Equal(t, r.URL(), d.Identify.Base)
	require.Equal(t, "2015-01-01T00:00:00Z", d.Identify.Earliest)
	require.Equal(t, "transient", d.Identify.Deleted)
	require.Equal(t, "YYYY-MM-DDThh:mm:ssZ", d.Identify.Granularity)
	require.Equal(t, "2026-05-03T08:00:00Z", d.ResponseDate)
	r.SetClock(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))
	require.Equal(t, "2026-06-01T00:00:00Z", ask(t, r.URL(), "verb", "Identify").ResponseDate)
	require.Equal(t, []string{DC, MARC}, ask(t, r.URL(), "verb", "ListMetadataFormats").Formats)
	require.Equal(t, []string{DC, MARC}, ask(t, r.URL(), "verb", "ListMetadataFormats", "identifier", ID(3)).Formats)

	days := started(t, Config{Days: true})
	d = ask(t, days.URL(), "verb", "Identify")
	require.Equal(t, "2015-01-01", d.Identify.Earliest)
	require.Equal(t, "YYYY-MM-DD", d.Identify.Granularity)
	require.Len(t, ask(t, days.URL(), records()...).Records.Records[0].Header.Stamp, len(daysLayout))
}

func TestSetsArePartsOfAll(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 1000, OpenEvery: 10, Page: 7, DeletedEvery: 30})
	var specs []string
	for _, d := range walk(t, r.URL(), 99, "verb", "ListSets") {
		specs = append(specs, d.Sets.Sets...)
	}
	require.Len(t, specs, 4+12+1)
	require.Equal(t, r.Sets(), specs)
	all := append(r.Living(""), r.Deleted("")...)
	require.Len(t, all, 1000)
	parts := map[string]int{}
	for _, spec := range specs {
		docs := walk(t, r.URL(), 999, "verb", "ListIdentifiers", "metadataPrefix", "oai_dc", "set", spec)
		living, deleted := ids(docs)
		require.Equal(t, r.Living(spec), living, spec)
		require.Equal(t, r.Deleted(spec), deleted, spec)
		require.Equal(t, fmt.Sprint(len(living)+len(deleted)), docs[0].all().Token.Size)
		if strings.Contains(spec, ":") {
			for _, id := range append(living, deleted...) {
				parts[id]++
			}
		}
	}
	require.Len(t, parts, 1000)
	for _, n := range parts {
		require.Equal(t, 1, n)
	}
}

func TestListIsWholeAndTokensAreExact(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 99, 100, 101, 250, 300} {
		r := started(t, Config{Records: n, DeletedEvery: 9})
		docs := walk(t, r.URL(), 99, records()...)
		living, deleted := ids(docs)
		require.Equal(t, r.Living(""), living)
		require.Equal(t, r.Deleted(""), deleted)
		require.Len(t, docs, (n+99)/100)
		for i, d := range docs {
			token := d.Records.Token
			if len(docs) == 1 {
				require.Nil(t, token)
				continue
			}
			require.Equal(t, fmt.Sprint(n), token.Size)
			require.Equal(t, fmt.Sprint(100*i), token.Cursor)
			last := i == len(docs)-1
			require.Equal(t, last, token.Text == "")
			require.Equal(t, last, token.Expires == "")
		}
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	for _, days := range []bool{false, true} {
		r := started(t, Config{Records: 3000, Page: 1000, Days: days, DeletedEvery: 50})
		r.Change(20)
		r.Advance(time.Hour)
		seen := map[string]int{}
		for year := 2015; year <= 2026; year++ {
			docs := walk(t, r.URL(), 99, records("from", fmt.Sprintf("%d-01-01", year), "until", fmt.Sprintf("%d-12-31", year))...)
			for _, d := range docs {
				for _, h := range d.all().Headers {
					seen[h.ID]++
					require.True(t, strings.HasPrefix(h.Stamp, fmt.Sprint(year)))
				}
			}
			if token := docs[0].all().Token; token != nil {
				living, deleted := ids(docs)
				require.Equal(t, fmt.Sprint(len(living)+len(deleted)), token.Size)
			}
		}
		require.Len(t, seen, 3000)
		for id, n := range seen {
			require.Equal(t, 1, n, id)
		}
	}
	r := started(t, Config{})
	stamp, ok := r.Datestamp(ID(500))
	require.True(t, ok)
	text := stamp.Format(secondsLayout)
	living, _ := ids(walk(t, r.URL(), 1, records("from", text, "until", text)...))
	require.Contains(t, living, ID(500), "both ends are included")
}

func TestGetRecordAndFormats(t *testing.T) {
	t.Parallel()
	r := started(t, Config{Records: 100, DeletedEvery: 10, OpenEvery: 3})
	for _, prefix := range []string{DC, MARC} {
		d := ask(t, r.URL(), "verb", "GetRecord", "metadataPrefix", prefix, "identifier", ID(3))
		require.Equal(t, ID(3), d.Record[0].Header.ID)
		require.Equal(t, []string{"col_2:part_1", "open"}, d.Record[0].Header.Sets)
		require.Equal(t, r.Metadata(ID(3), prefix), d.Record[0].Metadata.Inner)
	}
	d := ask(t, r.URL(), "verb", "GetRecord", "metadataPrefix", DC, "identifier", ID(5))
	require.Equal(t, "deleted", d.Record[0].Header.Status)
	require.Empty(t, d.Record[0].Metadata.Inner)
	require.Empty(t, r.Metadata(ID(5), DC))
}

func TestContentIsRealistic(t *testing.T) {
	t.Parallel()
	r := New(Config{Records: 1_000_000})
	titles := map[string]bool{}
	size, foreign := 0, 0
	const n = 2000
	for i := range n {
		x, _ := r.at(i * 500)
		b := r.appendRecord(nil, x, DC, secondsLayout, "")
		require.True(t, utf8.Valid(b))
		size += len(b)
		if bytes.ContainsFunc(b, func(c rune) bool { return c > utf8.RuneSelf }) {
			foreign++
		}
		title, _, _ := bytes.Cut(b[bytes.Index(b, []byte("<dc:title>")):], []byte("</"))
		titles[string(title)] = true
	}
	require.InDelta(t, 1100, size/n, 100)
	require.Greater(t, foreign, n*9/10)
	require.Len(t, titles, n)
}

func TestSameSeedSameBytes(t *testing.T) {
	t.Parallel()
	target := Path + "?" + query4(records())
	a, b, c := New(Config{Seed: 1}), New(Config{Seed: 1}), New(Config{Seed: 2})
	require.Equal(t, inside(a, "GET", target, "").Body.String(), inside(b, "GET", target, "").Body.String())
	require.NotEqual(t, inside(a, "GET", target, "").Body.String(), inside(c, "GET", target, "").Body.String())
	require.Equal(t, a.Change(9), b.Change(9))
}

func TestPostGzipAndOthers(t *testing.T) {
	t.Parallel()
	r := New(Config{CachePages: 10})
	plain := inside(r, "GET", Path+"?"+query4(records()), "").Body.Bytes()
	for range 2 { // the second comes from the cache
		zipped := inside(r, "GET", Path+"?"+query4(records()), "", "Accept-Encoding", "gzip")
		require.Equal(t, "gzip", zipped.Header().Get("Content-Encoding"))
		require.Equal(t, string(plain), string(unpack(t, zipped.Body.Bytes())))
		posted := inside(r, "POST", Path, query4(records()))
		require.Equal(t, string(plain), posted.Body.String())
	}
	require.Equal(t, "badArgument", parse(t, inside(r, "POST", Path, "verb=Identify&%zz").Body.Bytes()).code())
	require.Equal(t, http.StatusMethodNotAllowed, inside(r, "PUT", Path, "").Code)
	require.Equal(t, http.StatusNotFound, inside(r, "GET", Path+"/fault/none?verb=Identify", "").Code)
	require.Equal(t, http.StatusNotFound, inside(r, "GET", "/", "").Code)
}

func FuzzRequest(f *testing.F) {
	r := New(Config{Records: 30, Page: 10})
	d := parse(f, inside(r, "GET", Path+"?"+query4(records()), "").Body.Bytes())
	f.Add("verb=ListRecords&resumptionToken=" + url.QueryEscape(d.Records.Token.Text))
	f.Add("verb=ListRecords&metadataPrefix=oai_dc&from=2020-01-01&set=col_1:part_2")
	f.Add("verb=ListRecords&metadataPrefix=oai_dc&set=fault:cut-xml:3")
	f.Fuzz(func(t *testing.T, form string) {
		w := inside(r, http.MethodPost, Path, form)
		if strings.Contains(form, "fault") {
			return
		}
		require.Equal(t, http.StatusOK, w.Code)
		parse(t, w.Body.Bytes())
	})
}
