package wire

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, s := range []string{
		big(2), list(record("1", dcOpen+"<dc:title>x</dc:title>"+dcEnd)+record("2", "<![CDATA[</record>]]>"), "<resumptionToken/>"),
		list(record("a&amp;b", "<record><header><identifier>n</identifier></header></record>"), ""), list("<record><header status='deleted'/></record>", ""),
		list(record("1", "<a><b></a>")+record("2", "")+"<!-- <record> -->", ""), "\xff\xfe<\x00a\x00/\x00>\x00", "<OAI-PMH><ListRecords><record>&#x0B;&nbsp;& <![CDATA[&]]>",
		`<o:OAI-PMH xmlns:o="x"><o:ListRecords><o:record a=">"><o:header ><o:identifier>1<!-- 2 --></o:identifier></o:header></o:record></o:ListRecords></o:OAI-PMH>`,
	} {
		f.Add([]byte(s))
	}
}

// FuzzClean: whatever comes, the text is UTF-8 that XML allows, and stays as it
// is when it is cleaned again.
func FuzzClean(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		text := Clean(body, "")
		require.True(t, utf8.Valid(text))
		for _, r := range string(text) {
			require.True(t, legal(r), "%U", r)
		}
		require.True(t, bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) || bytes.Equal(text, resolve(text)))
	})
}

// FuzzScan: whatever comes, no panic; where encoding/xml can read it, the same
// records with the same identifiers.
func FuzzScan(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, body []byte) {
		text := Clean(body, "")
		r, err := Scan(text)
		if err != nil {
			return
		}
		for i := range r.Records {
			rec := &r.Records[i]
			require.True(t, utf8.ValidString(rec.ID+rec.Datestamp))
			require.True(t, rec.Err != nil || rec.ID != "")
			DublinCore(rec.Metadata, func(_ string, value []byte) { require.True(t, utf8.Valid(value)) })
			r.Standing().Append(nil, rec)
		}
		if want, ok := byXML(text); ok {
			require.Equal(t, want, idsOf(r))
			require.False(t, r.Cut)
		}
	})
}

// byXML reads the identifiers of a ListRecords by encoding/xml; false where
// it is not well-formed, or where the two may well differ: more than one list,
// or something between the root and it that has its name.
func byXML(text []byte) (ids []string, ok bool) {
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var path []string
	var id []byte
	lists, records, headers, found := 0, -1, 0, false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return ids, lists == 1 && len(path) == 0
		}
		if err != nil {
			return nil, false
		}
		switch e := token.(type) {
		case xml.StartElement:
			path = append(path, e.Name.Local)
			switch n := len(path); {
			case n == 1 && e.Name.Local != "OAI-PMH":
				return nil, false
			case n == 2 && e.Name.Local == "ListRecords":
				lists++
			case n == 2 || n == 3 && path[1] == "ListRecords" && e.Name.Local == "header":
				return nil, false
			case n == 3 && e.Name.Local == "record":
				records, headers, found = records+1, 0, false
				ids = append(ids, "")
			case n == 4 && path[2] == "record" && e.Name.Local == "header":
				headers++
			case n == 5 && path[2] == "record" && path[3] == "header" && e.Name.Local == "identifier":
				id = id[:0]
			case n > 5 && path[4] == "identifier":
				return nil, false
			}
		case xml.CharData:
			if len(path) == 5 && path[4] == "identifier" {
				id = append(id, e...)
			}
		case xml.EndElement:
			if len(path) == 5 && path[2] == "record" && path[3] == "header" && path[4] == "identifier" && !found {
				ids[records] = string(fold(id))
				found = ids[records] != ""
			}
			path = path[:len(path)-1]
		case xml.Directive:
			return nil, false
		}
	}
}
