package oai

import (
	"bytes"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func contentChecks() map[string]func(b broken) {
	title := func(want string) func(b broken) { return text(false, "<dc:title>"+want) }
	begins := func(want string) func(b broken) {
		return func(b broken) {
			_, body := b.get(records()...)
			require.Equal(b, want, string(body[:len(want)]))
		}
	}
	return map[string]func(b broken){
		"control-characters": title("\x0b\x1f"), "illegal-references": title("&#x0B;&#0;&#xFFFF;"), "html-entities": title("&nbsp;"),
		"malformed-utf8": title("\xe9\xff"), "bare-ampersands": title("Sali & tabacchi, 1 < 2"),
		"php-notice": begins("<br />\n<b>Notice</b>"), "trailing-garbage": text(true, "</OAI-PMH>\n\n<b>Warning"),
		"blank-lines-first": begins("\n\n<?xml"), "cut-xml": text(false, "<record>"),
		"empty-body": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, 200, resp.StatusCode)
			require.Empty(b, body)
		},
		"html": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, 200, resp.StatusCode)
			require.True(b, bytes.HasPrefix(body, []byte("<!DOCTYPE html>")))
		},
		"lying-charset": both(text(false, declaration), func(b broken) {
			_, body := b.get(records()...)
			require.False(b, utf8.Valid(body))
			require.Contains(b, string(body), "Universit\xe0")
		}),
		"latin1": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "text/xml", resp.Header.Get("Content-Type"))
			require.Contains(b, string(body), `encoding="ISO-8859-1"`)
			require.Contains(b, string(body), "Universit\xe0")
		},
		"lying-header": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "text/xml; charset=ISO-8859-1", resp.Header.Get("Content-Type"))
			require.True(b, utf8.Valid(body) && wellFormed(body))
		},
		"no-charset": func(b broken) {
			resp, _ := b.get(records()...)
			require.Equal(b, "text/xml", resp.Header.Get("Content-Type"))
		},
		"html-header": func(b broken) {
			resp, body := b.get(records()...)
			require.Equal(b, "text/html; charset=utf-8", resp.Header.Get("Content-Type"))
			require.True(b, wellFormed(body))
		},
		"byte-order-mark": text(true, "\xef\xbb\xbf<?xml"),
		"namespaces-on-root": both(text(true, "<metadata><oai_dc:dc xsi:schemaLocation="), func(b broken) {
			require.NotEmpty(b, b.ask(records()...).Records.Records[0].Metadata.DC.Title, "still the same names")
		}),
		"namespaces-missing": both(text(true, "<metadata><oai_dc:dc xsi:schemaLocation="), func(b broken) {
			require.Empty(b, b.ask(records()...).Records.Records[0].Metadata.DC.Title)
		}),
		"no-namespace": text(true, "<OAI-PMH xmlns:xsi="),
		"prefixed":     both(readable, text(true, "<oai:OAI-PMH ", "<oai:record><oai:header><oai:identifier>", "</oai:resumptionToken>")),
		"decoys":       both(readable, text(true, "<!-- <record> -->", "<![CDATA[</record>")),
		"odd-spacing":  text(true, "<record\n\tid='a>b'\n>", "</record\n >", "status = 'deleted'"),
		"with-about":   both(readable, text(true, "</metadata><about>")),
		"records-without-id": func(b broken) {
			for i, h := range b.ask(records()...).all().Headers {
				require.Equal(b, i%10 == 9, h.ID == "")
			}
		},
		"bad-datestamps": func(b broken) {
			for i, h := range b.ask(records()...).all().Headers {
				require.Equal(b, i%10 == 9, h.Stamp == "0000-00-00")
			}
		},
		"broken-records": func(b broken) {
			_, body := b.get(records()...)
			require.False(b, wellFormed(body))
			require.Equal(b, 10, bytes.Count(body, []byte("<dc:title>"))-bytes.Count(body, []byte("</dc:title>")))
		},
		"empty-metadata": func(b broken) {
			for i, e := range b.ask(records()...).Records.Records {
				require.Equal(b, i%10 == 9 || e.Header.Status == "deleted", e.Metadata.Inner == "")
			}
		},
	}
}
