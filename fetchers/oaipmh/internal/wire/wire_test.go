package wire

import (
	"encoding/xml"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// list frames records as ListRecords does.
func list(records, end string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n" +
		`<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<responseDate>2026-09-01T10:00:00Z</responseDate><request verb="ListRecords">https://repo.example.org/oai</request>` +
		"<ListRecords>" + records + end + "</ListRecords></OAI-PMH>"
}

const (
	dcOpen = `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">`
	dcEnd  = `</oai_dc:dc>`
)

func record(id, metadata string) string {
	return "<record><header><identifier>" + id + "</identifier><datestamp>2026-08-30</datestamp><setSpec>a</setSpec></header>" +
		"<metadata>" + metadata + "</metadata></record>"
}

func scanned(t *testing.T, text string) *Response {
	t.Helper()
	r, err := Scan(Clean([]byte(text), ""))
	require.NoError(t, err)
	return r
}

func idsOf(r *Response) (ids []string) {
	for _, rec := range r.Records {
		ids = append(ids, rec.ID)
	}
	return ids
}

func TestScanFindsRecords(t *testing.T) {
	t.Parallel()
	nested := `<collection xmlns="urn:x"><record><header><identifier>inner</identifier></header></record></collection>`
	for name, c := range map[string]struct {
		records string
		want    []string
	}{
		"plain":                   {record("1", "") + record("2", ""), []string{"1", "2"}},
		"nested elements":         {record("1", nested) + record("2", ""), []string{"1", "2"}},
		"in a comment":            {"<!-- " + record("0", "") + " -->" + record("1", "<!-- </record> -->"), []string{"1"}},
		"in CDATA":                {record("1", "<a><![CDATA[</metadata></record><record>]]></a>") + record("2", ""), []string{"1", "2"}},
		"a > in an attribute":     {record("1", `<a b="</record>" c='>'/>`) + record("2", ""), []string{"2"}}, // a "<" there is not XML
		"a > in quotes":           {record("1", `<a b="x > y" c='/>'/>`) + record("2", ""), []string{"1", "2"}},
		"references in ids":       {record("a&amp;b&#x26;c", "") + record("<![CDATA[a&b]]>", ""), []string{"a&b&c", "a&b"}},
		"white space":             {"<record ><header >\n<identifier >\n 1 </identifier\n></header ></record >", []string{"1"}},
		"a self-closing header":   {`<record><header status="deleted"/></record>` + record("2", ""), []string{"", "2"}},
		"no metadata":             {`<record><header status='deleted'><identifier>1</identifier></header></record>`, []string{"1"}},
		"an instruction, doctype": {`<?php <record> ?>` + record("1", ""), []string{"1"}},
	} {
		r := scanned(t, list(c.records, ""))
		ids := idsOf(r)
		if name == "a > in an attribute" {
			require.Error(t, r.Records[0].Err, name)
			ids = ids[1:]
		}
		require.Equal(t, c.want, ids, name)
		require.False(t, r.Cut, name)
		require.Equal(t, "2026-09-01T10:00:00Z", r.Date, name)
	}
}

func TestScanKnowsAnyPrefix(t *testing.T) {
	t.Parallel()
	text := `<o:OAI-PMH xmlns:o="http://www.openarchives.org/OAI/2.0/"><o:responseDate>x</o:responseDate><o:ListRecords>` +
		`<o:record><o:header status="deleted"><o:identifier>1</o:identifier><o:setSpec>a:b</o:setSpec></o:header></o:record>` +
		`<o:resumptionToken completeListSize=" 7 " cursor="0" expirationDate="z"> t&amp;k </o:resumptionToken></o:ListRecords></o:OAI-PMH>`
	r := scanned(t, text)
	require.Equal(t, []string{"1"}, idsOf(r))
	require.True(t, r.Records[0].Deleted)
	require.Equal(t, []string{"a:b"}, r.Records[0].Sets)
	require.Equal(t, Token{Value: "t&k", Size: 7, Cursor: 0, Expires: "z"}, r.Token)
}

func TestABadRecordCostsOnlyItself(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]string{
		"unclosed":          "<a><b></a>",
		"stray end":         "</b>",
		"a < that is none":  "a < b",
		"no quotes":         "<a b=c/>",
		"unclosed record":   "<record>",
		"unclosed comment":  "<!-- ",
		"unclosed CDATA":    "<![CDATA[",
		"only its own name": "<metadata>",
	} {
		r := scanned(t, list(record("1", "")+record("2", bad)+record("3", ""), `<resumptionToken>next</resumptionToken>`))
		require.Equal(t, []string{"1", "2", "3"}, idsOf(r), name)
		require.NoError(t, r.Records[0].Err, name)
		require.ErrorContains(t, r.Records[1].Err, "XML: ", name)
		require.NoError(t, r.Records[2].Err, name)
		require.Equal(t, "next", r.Token.Value, name)
		require.False(t, r.Cut, name)
	}
}

func TestScanSaysWhatElseCame(t *testing.T) {
	t.Parallel()
	for text, element := range map[string]string{"": "", "hello": "", "<html><body/></html>": "html", "{}": "", "<rss/>": "rss"} {
		_, err := Scan([]byte(text))
		var other *NotOAI
		require.ErrorAs(t, err, &other, text)
		require.Equal(t, element, other.Element)
	}
	whole := list(record("1", ""), "")
	for _, cut := range []int{len(whole) - 1, len(whole) - 12, len(whole) - 40} {
		require.True(t, scanned(t, whole[:cut]).Cut, "cut at %d", cut)
	}
	r := scanned(t, `Warning: x in <b>y</b><br /><OAI-PMH><error code="noRecordsMatch">none &lt;</error><error code="badArgument"/></OAI-PMH>`)
	require.Equal(t, []Error{{"noRecordsMatch", "none <"}, {"badArgument", ""}}, r.Errors)
}

func TestScanReadsTheOtherVerbs(t *testing.T) {
	t.Parallel()
	r := scanned(t, `<OAI-PMH><Identify><repositoryName>R</repositoryName><granularity>YYYY-MM-DD</granularity><deletedRecord>no</deletedRecord>`+
		`<earliestDatestamp>2001-01-01</earliestDatestamp><protocolVersion>2.0</protocolVersion><compression>gzip</compression>`+
		`<description><repositoryName>no</repositoryName></description></Identify></OAI-PMH>`)
	require.Equal(t, Identify{Name: "R", Protocol: "2.0", Earliest: "2001-01-01", Deleted: "no", Granularity: "YYYY-MM-DD", Compression: []string{"gzip"}}, r.About)
	r = scanned(t, `<OAI-PMH><ListSets><set><setSpec>a</setSpec><setName>A</setName></set><set><setSpec>b</setSpec><setName/></set></ListSets></OAI-PMH>`)
	require.Equal(t, []Set{{"a", "A"}, {"b", ""}}, r.Sets)
	r = scanned(t, `<OAI-PMH><ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><metadataNamespace>n</metadataNamespace></metadataFormat></ListMetadataFormats></OAI-PMH>`)
	require.Equal(t, []Format{{"oai_dc", "n"}}, r.Formats)
	r = scanned(t, `<OAI-PMH><ListIdentifiers><header><identifier>1</identifier></header><header status="deleted"><identifier>2</identifier></header></ListIdentifiers></OAI-PMH>`)
	require.Equal(t, []string{"1", "2"}, idsOf(r))
	require.True(t, r.Records[1].Deleted)
}

func TestClean(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, override, want string }{
		"sound":                 {in: "<a>è\t\r\n</a>", want: "<a>è\t\r\n</a>"},
		"controls":              {in: "<a>\x0b\x00b\x1f</a>", want: "<a>b</a>"},
		"forbidden":             {in: "<a>\ufffe\uffff\ufffd</a>", want: "<a>\ufffd</a>"},
		"references":            {in: "<a>&#x0B;&#11;&#xFFFF;&#65;&#x41;&#X42;&lt;</a>", want: "<a>&#65;&#x41;&#x42;&lt;</a>"},
		"in CDATA":              {in: "<a><![CDATA[&nbsp; & &#0;]]>&nbsp;</a>", want: "<a><![CDATA[&nbsp; & &#0;]]>\u00a0</a>"},
		"HTML":                  {in: "<a>&eacute;&nosuch;&AMP;</a>", want: "<a>é&amp;nosuch;</a>"},
		"bare":                  {in: "<a>A & B &; C&D</a>", want: "<a>A &amp; B &amp;; C&amp;D</a>"},
		"windows-1252":          {in: "<a>perch\xe9 \x93\xe8\x94 è</a>", want: "<a>perché “è” è</a>"},
		"declared":              {in: `<?xml version="1.0" encoding="iso-8859-15"?><a>` + "\xa4</a>", want: `<?xml version="1.0" encoding="iso-8859-15"?><a>€</a>`},
		"declared and not true": {in: `<?xml version="1.0" encoding="iso-8859-1"?><a>è</a>`, want: `<?xml version="1.0" encoding="iso-8859-1"?><a>è</a>`},
		"override":              {in: "<a>\xa4</a>", override: "iso-8859-15", want: "<a>€</a>"},
		"no Chinese":            {in: "<a>un homme dou\xe9\xa0\xbb, \xe9t\xe9</a>", want: "<a>un homme doué\u00a0», été</a>"},
		"C1":                    {in: "<a>l\u0092été</a>", want: "<a>l’été</a>"},
		"mark":                  {in: "\xef\xbb\xbf<a/>", want: "<a/>"},
		"utf-16 little":         {in: "\xff\xfe<\x00a\x00/\x00>\x00", want: "<a/>"},
		"utf-16 big, no mark":   {in: "\x00<\x00a\x00/\x00>", want: "<a/>"},
	} {
		require.Equal(t, c.want, string(Clean([]byte(c.in), c.override)), name)
	}
	sound := []byte(list(record("1", ""), ""))
	require.Same(t, &sound[0], &Clean(sound, "")[0], "a sound body is not copied")
}

func TestTextIsOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		" a ": "a", "l&#x92;&#233;": "l’é", "a\n\t b": "a b", "a  b": "a b", "a\u00a0b": "a b", "è": "è", "&lt;i&gt;": "<i>", "<![CDATA[ <b> ]]>x<!-- y --><i>z</i>": "<b> xz", "": "", " ": "",
	} {
		require.Equal(t, want, Text([]byte(in)), in)
	}
}

func TestDublinCore(t *testing.T) {
	t.Parallel()
	for metadata, want := range map[string]string{
		dcOpen + `<dc:title xml:lang="en"> A &amp; B </dc:title><dc:creator/><dc:subject></dc:subject><dc:date>2026</dc:date>` + dcEnd: "title=A & B;date=2026;",
		dcOpen + `<dc:title><![CDATA[A <b>]]></dc:title><!-- x --><dc:description>a <i>b</i> c</dc:description>` + dcEnd:               "title=A <b>;description=a b c;",
		`<dc><title >x</title ><abstract>y</abstract></dc>`:                                                                            "title=x;abstract=y;",
		`<x:dc/>`: "",
	} {
		got := ""
		require.True(t, DublinCore([]byte(metadata), func(name string, value []byte) { got += name + "=" + string(value) + ";" }), metadata)
		require.Equal(t, want, got)
	}
	for _, other := range []string{"", "text", "<mods/>", "<mods><title>x</title></mods>"} {
		require.False(t, DublinCore([]byte(other), func(string, []byte) { t.Error("nothing to yield") }), other)
	}
}

func TestStandingRecordsParseAlone(t *testing.T) {
	t.Parallel()
	text := `<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:o="urn:not-used"><ListRecords xmlns:x="urn:x">` +
		`<record xmlns:own="urn:own"><header><identifier>1</identifier></header><metadata><oai_dc:dc><dc:title>T</dc:title><x:y/></oai_dc:dc></metadata></record></ListRecords></OAI-PMH>`
	r := scanned(t, text)
	alone := string(r.Standing().Append(nil, &r.Records[0]))
	require.NotContains(t, alone, "urn:not-used")
	var parsed struct {
		XMLName  xml.Name `xml:"http://www.openarchives.org/OAI/2.0/ record"`
		Metadata struct {
			DC struct {
				Title string   `xml:"http://purl.org/dc/elements/1.1/ title"`
				Y     struct{} `xml:"urn:x y"`
			} `xml:"http://www.openarchives.org/OAI/2.0/oai_dc/ dc"`
		} `xml:"metadata"`
	}
	require.NoError(t, xml.Unmarshal([]byte(alone), &parsed), alone)
	require.Equal(t, "T", parsed.Metadata.DC.Title)
}

// TestHostileTextCostsNoTime: each would take minutes if looking for ends that
// are not there were done more than once.
func TestHostileTextCostsNoTime(t *testing.T) {
	t.Parallel()
	const times = 200_000
	for name, part := range map[string]string{
		"comments": "<!--", "CDATA": "<![CDATA[", "instructions": "<?a", "records": "<record>", "headers": "<record><header>", "tags": "<a>", "starts": "<record ",
		"quotes": `<a b="`, "ends": "</record", "references": "&#", "ampersands": "&", "declarations": "<!>", "tokens": "<resumptionToken>", "bad": "<record><header></a>",
	} {
		begin := time.Now()
		text := Clean([]byte("<OAI-PMH><ListRecords>"+strings.Repeat(part, times)), "")
		r, err := Scan(text)
		require.NoError(t, err, name)
		for i := range r.Records {
			DublinCore(r.Records[i].Raw, func(string, []byte) {})
		}
		require.Less(t, time.Since(begin), 10*time.Second, name)
	}
}

// big is a response of n usual records of about 1.2 kB.
func big(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString("\n  ")
		b.WriteString(record(fmt.Sprintf("oai:repo.example.org:%d", i), "\n    "+dcOpen+fmt.Sprintf(`
      <dc:title>The harvest of the year %d &amp; what came of it</dc:title>
      <dc:creator>Rossi, Maria</dc:creator>
      <dc:creator>Bianchi, Carlo</dc:creator>
      <dc:subject>Agriculture</dc:subject>
      <dc:subject>Viticulture</dc:subject>
      <dc:description>%s</dc:description>
      <dc:publisher>University of Example</dc:publisher>
      <dc:date>2026-03-0%d</dc:date>
      <dc:type>info:eu-repo/semantics/article</dc:type>
      <dc:format>application/pdf</dc:format>
      <dc:identifier>https://repo.example.org/handle/123456789/%d</dc:identifier>
      <dc:language>ita</dc:language>
      <dc:rights>info:eu-repo/semantics/openAccess</dc:rights>
    `, i, strings.Repeat("Some words of an abstract. ", 12), 1+i%9, i)+dcEnd+"\n  "))
	}
	return list(b.String(), `<resumptionToken completeListSize="100000" cursor="0">t</resumptionToken>`)
}

// TestHostileTextCostsNoMemory: what is kept of a response is a small multiple of
// its size, whatever stands in it.
func TestHostileTextCostsNoMemory(t *testing.T) { // it counts what is allocated
	const size = 8 << 20
	for name, part := range map[string]func(int) string{
		"nesting":      func(int) string { return "<a>" },
		"records":      func(int) string { return "<record/>" },
		"headers":      func(int) string { return "<header/>" },
		"sets":         func(int) string { return "<set/>" },
		"formats":      func(int) string { return "<metadataFormat/>" },
		"errors":       func(int) string { return "<error/>" },
		"compressions": func(int) string { return "<compression/>" },
	} {
		var b strings.Builder
		b.WriteString("<OAI-PMH><ListRecords>")
		for i := 0; b.Len() < size; i++ {
			b.WriteString(part(i))
		}
		text := []byte(b.String())
		assert.Less(t, allocated(func() { Scan(text) }), uint64(8*size), name) // only its cost counts
	}
}

func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
