package oai

import (
	"bytes"
	"regexp"
	"strings"
)

const (
	oaiSpace     = ` xmlns="http://www.openarchives.org/OAI/2.0/"`
	recordSpaces = ` xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`
)

// markupFaults are documents that are right, or nearly, and written otherwise.
func markupFaults() []Fault {
	return []Fault{
		rewrite("namespaces-on-root", "the namespaces of the records are declared on the root element only", func(b []byte) []byte {
			b = bytes.ReplaceAll(b, []byte("<oai_dc:dc"+recordSpaces), []byte("<oai_dc:dc"))
			return bytes.Replace(b, []byte("<OAI-PMH"), []byte("<OAI-PMH"+strings.TrimSuffix(recordSpaces, ` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`)), 1)
		}),
		swap("namespaces-missing", "the namespaces of the records are declared nowhere", "<oai_dc:dc"+recordSpaces, "<oai_dc:dc"),
		swap("no-namespace", "the protocol's own elements have no namespace", oaiSpace, ""),
		rewrite("prefixed", "the protocol's own elements have a prefix", prefixed),
		rewrite("decoys", "comments, CDATA and processing instructions hold what looks like the ends of records", decoys),
		rewrite("odd-spacing", "blanks and line ends in tags, attributes in single quotes, > in attributes", oddSpacing),
		swap("with-about", "records have about elements after their metadata", "</metadata>",
			`</metadata><about><provenance xmlns="http://www.openarchives.org/OAI/2.0/provenance"><originDescription><identifier>oai:other:1</identifier><datestamp>1999-01-01</datestamp></originDescription></provenance></about>`),
	}
}

// prefixed puts a prefix to the elements of lists and envelope.
func prefixed(b []byte) []byte {
	b = bytes.Replace(b, []byte(oaiSpace), []byte(strings.Replace(oaiSpace, "xmlns=", "xmlns:oai=", 1)), 1)
	own := regexp.MustCompile(`<(/?)(OAI-PMH|responseDate|request|error|Identify|repositoryName|baseURL|protocolVersion|adminEmail|earliestDatestamp|deletedRecord|granularity|compression|` +
		`description|ListRecords|ListIdentifiers|ListSets|ListMetadataFormats|GetRecord|record|header|identifier|datestamp|setSpec|metadata|resumptionToken|setName|set|metadataFormat|metadataPrefix|schema|metadataNamespace)([ >/])`)
	return own.ReplaceAll(b, []byte("<${1}oai:$2$3"))
}

func decoys(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte("<dc:title>"), []byte("<!-- </metadata></record><record> --><?php </record> ?><dc:title><![CDATA[</record><resumptionToken>falso</resumptionToken> ]]>"))
	return bytes.ReplaceAll(b, []byte("<record><header"), []byte("<!-- <record> --><record><header"))
}

func oddSpacing(b []byte) []byte {
	for _, pair := range [][2]string{
		{"<record>", "<record\n\tid='a>b'\n>"},
		{"</record>", "</record\n >"},
		{"<header>", "<header >\n  "},
		{`<header status="deleted">`, "<header\n  status = 'deleted'\n>"},
		{"<identifier>oai:", "<identifier\n>\n   oai:"},
		{"</identifier><datestamp>", "\n  </identifier >\n<datestamp\t>\n "},
		{"<setSpec>", "<setSpec\r\n>"},
	} {
		b = bytes.ReplaceAll(b, []byte(pair[0]), []byte(pair[1]))
	}
	return b
}

// recordFaults are single records that cannot be used.
func recordFaults() []Fault {
	return []Fault{
		every("records-without-id", "record N of every page, 2N … have no identifier", 10, regexp.MustCompile(`<identifier>oai:[^<]*</identifier>`), ""),
		every("bad-datestamps", "record N of every page, 2N … have the datestamp 0000-00-00", 10, regexp.MustCompile(`<datestamp>[^<]*</datestamp>`), "<datestamp>0000-00-00</datestamp>"),
		every("broken-records", "record N of every page, 2N … have an element in their metadata that is never closed", 10, regexp.MustCompile(`</dc:title>`), ""),
		every("empty-metadata", "record N of every page, 2N … have nothing in their metadata", 10, regexp.MustCompile(`(?s)<metadata>.*?</metadata>`), "<metadata></metadata>"),
	}
}

// every changes the first match of a pattern in every N-th record.
func every(name, does string, n int, pattern *regexp.Regexp, into string) Fault {
	return Fault{Name: name, Does: does, N: n, after: func(c *call, a *answer) *answer {
		parts := bytes.SplitAfter(a.body, []byte("</record>\n"))
		for i := c.fault.N - 1; c.fault.N > 0 && i < len(parts)-1; i += c.fault.N {
			if at := pattern.FindIndex(parts[i]); at != nil {
				parts[i] = bytes.Join([][]byte{parts[i][:at[0]], []byte(into), parts[i][at[1]:]}, nil)
			}
		}
		a.body = bytes.Join(parts, nil)
		return a
	}}
}
