package oaipmh_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shelf is a sound repository of n records, so many to a response, four a day
// from 1 January 2015 on; its clock stands at 1 September 2016.
type shelf struct {
	n, size int
	// days: its dates have no time of day. told: it says how many records there
	// are. mixed: the list is not in the order of datestamps.
	// frozen: what comes to be while a list is read is not on that list.
	days, told, mixed, frozen bool
	// sets are dealt to the records in turn, none where there are none.
	sets []string
	// clock is responseDate; "" is the one above.
	clock   string
	records []shelved
}

type shelved struct{ id, stamp, set, text string }

func newShelf(s shelf) *shelf {
	for i := range s.n {
		place := i
		if s.mixed {
			place = i * 7 % s.n
		}
		r := shelved{id: fmt.Sprintf("oai:repo.example.org:%d", i), stamp: s.form(shelfBegin().Add(time.Duration(place) * 6 * time.Hour))}
		if len(s.sets) > 0 {
			r.set = s.sets[i%len(s.sets)]
		}
		r.text = r.write(i)
		s.records = append(s.records, r)
	}
	return &s
}

func shelfBegin() time.Time { return time.Date(2015, 1, 1, 10, 0, 0, 0, time.UTC) }

func (s *shelf) form(t time.Time) string {
	if s.days {
		return t.Format(time.DateOnly)
	}
	return t.Format(time.RFC3339)
}

func (r shelved) write(i int) string {
	head := "<identifier>" + r.id + "</identifier><datestamp>" + r.stamp + "</datestamp>"
	if r.set != "" {
		head += "<setSpec>" + r.set + "</setSpec>"
	}
	if i%10 == 9 {
		return `<record><header status="deleted">` + head + "</header></record>"
	}
	return "<record><header>" + head + fmt.Sprintf("</header><metadata>"+`<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`+
		"<dc:title>Perché %d</dc:title><dc:creator>Rossi, Zoë</dc:creator><dc:identifier>https://repo.example.org/%d</dc:identifier></oai_dc:dc></metadata></record>", i, i)
}

func (s *shelf) ids() (ids []string) {
	for _, r := range s.records {
		ids = append(ids, r.id)
	}
	return ids
}

func (s *shelf) frame(inner string) string {
	clock := s.clock
	if clock == "" {
		clock = "2016-09-01T10:00:00Z"
	}
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/">` +
		`<responseDate>` + clock + `</responseDate><request>https://repo.example.org/oai</request>` + inner + `</OAI-PMH>`
}

func (s *shelf) errorOf(code string) string {
	return s.frame(`<error code="` + code + `">` + code + `, it says</error>`)
}

func (s *shelf) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	fmt.Fprint(w, s.answer(r.URL.Query())) // the client may be gone
}

func (s *shelf) answer(q url.Values) string {
	switch q.Get("verb") {
	case "Identify":
		form := "YYYY-MM-DDThh:mm:ssZ"
		if s.days {
			form = "YYYY-MM-DD"
		}
		return s.frame("<Identify><repositoryName>Shelf</repositoryName><baseURL>https://repo.example.org/oai</baseURL><protocolVersion>2.0</protocolVersion>" +
			"<adminEmail>a@example.org</adminEmail><earliestDatestamp>" + s.form(shelfBegin()) + "</earliestDatestamp><deletedRecord>persistent</deletedRecord>" +
			"<granularity>" + form + "</granularity><compression>gzip</compression></Identify>")
	case "ListMetadataFormats":
		return s.frame("<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix></metadataFormat>" +
			"<metadataFormat><metadataPrefix>marcxml</metadataPrefix></metadataFormat></ListMetadataFormats>")
	case "ListSets":
		return s.listSets()
	case "GetRecord":
		return s.get(q)
	}
	return s.list(q)
}

func (s *shelf) get(q url.Values) string {
	for _, r := range s.records {
		if r.id == q.Get("identifier") {
			return s.frame("<GetRecord>" + r.text + "</GetRecord>")
		}
	}
	return s.errorOf("idDoesNotExist")
}

// with returns the shelf with these records changed, or taken away where change
// makes nothing of them.
func (s *shelf) with(change func(text string) string, at ...int) *shelf {
	c := *s
	c.records = nil
	for i, r := range s.records {
		if slices.Contains(at, i) {
			r.text = change(r.text)
		}
		if r.text != "" {
			c.records = append(c.records, r)
		}
	}
	return &c
}

// spoiledMetadata is not XML; nameless has no identifier; undated neither that nor a
// datestamp.
func spoiledMetadata(text string) string {
	return strings.Replace(text, "<dc:title>", "<dc:title><b>", 1)
}

func nameless(text string) string {
	return regexp.MustCompile("<identifier>[^<]*</identifier>").ReplaceAllString(text, "")
}

func undated(text string) string {
	return regexp.MustCompile("<datestamp>[^<]*</datestamp>").ReplaceAllString(nameless(text), "")
}

func withdrawn(string) string { return "" }

func (s *shelf) listSets() string {
	if len(s.sets) == 0 {
		return s.errorOf("noSetHierarchy")
	}
	inner := ""
	for _, set := range s.sets {
		inner += "<set><setSpec>" + set + "</setSpec><setName>The set " + set + "</setName></set>"
	}
	return s.frame("<ListSets>" + inner + "</ListSets>")
}

// list answers ListRecords and ListIdentifiers; a token is
// "from,until,set,cursor", with the number of records behind it where they are frozen.
func (s *shelf) list(q url.Values) string {
	from, until, set, cursor, all := q.Get("from"), q.Get("until"), q.Get("set"), 0, len(s.records)
	if token := q.Get("resumptionToken"); token != "" {
		parts := strings.Split(token, ",")
		from, until, set = parts[0], parts[1], parts[2]
		cursor, _ = strconv.Atoi(parts[3])
		if s.frozen {
			all, _ = strconv.Atoi(parts[4])
		}
	}
	within := slices.DeleteFunc(slices.Clone(s.records[:all]), func(r shelved) bool {
		return from != "" && r.stamp < from || until != "" && r.stamp > until || set != "" && r.set != set
	})
	if len(within) == 0 {
		return s.errorOf("noRecordsMatch")
	}
	var b strings.Builder
	for _, r := range within[min(cursor, len(within)):min(len(within), cursor+s.size)] {
		if q.Get("verb") == "ListIdentifiers" {
			fmt.Fprintf(&b, "<header><identifier>%s</identifier><datestamp>%s</datestamp></header>", r.id, r.stamp)
		} else {
			b.WriteString(r.text)
		}
	}
	size, frozen := "", ""
	if s.frozen {
		frozen = fmt.Sprintf(",%d", all)
	}
	if s.told {
		size = fmt.Sprintf(` completeListSize="%d" cursor="%d"`, len(within), cursor)
	}
	switch next := cursor + s.size; {
	case next < len(within):
		fmt.Fprintf(&b, "<resumptionToken%s>%s,%s,%s,%d%s</resumptionToken>", size, from, until, set, next, frozen)
	case cursor > 0:
		b.WriteString("<resumptionToken" + size + "/>")
	}
	return s.frame("<" + q.Get("verb") + ">" + b.String() + "</" + q.Get("verb") + ">")
}
