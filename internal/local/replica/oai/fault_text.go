package oai

import (
	"bytes"
	"net/http"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// rewrite is a fault that changes the bytes of a right answer.
func rewrite(name, does string, change func(body []byte) []byte) Fault {
	return Fault{Name: name, Does: does, after: func(_ *call, a *answer) *answer {
		a.body = change(a.body)
		return a
	}}
}

// swap rewrites every old into new.
func swap(name, does, old, new string) Fault {
	return rewrite(name, does, func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(old), []byte(new)) })
}

func textFaults() []Fault {
	return []Fault{
		swap("control-characters", "titles hold the control characters U+000B and U+001F, as they are", "<dc:title>", "<dc:title>\x0b\x1f"),
		swap("illegal-references", "titles hold references to characters that XML does not have", "<dc:title>", "<dc:title>&#x0B;&#0;&#xFFFF;"),
		swap("malformed-utf8", "titles hold bytes that are no UTF-8", "<dc:title>", "<dc:title>\xe9\xff caff\xe8 "),
		swap("html-entities", "titles hold entities of HTML, which XML does not know", "<dc:title>", "<dc:title>&nbsp;&eacute; "),
		swap("bare-ampersands", "titles hold a bare & and a bare <", "<dc:title>", "<dc:title>Sali & tabacchi, 1 < 2: "),
		rewrite("php-notice", "a notice of PHP stands before the XML declaration", func(b []byte) []byte {
			return append([]byte("<br />\n<b>Notice</b>:  Undefined index: set in <b>/var/www/oai.php</b> on line <b>42</b><br />\n"), b...)
		}),
		rewrite("trailing-garbage", "a warning of PHP stands after the document", func(b []byte) []byte {
			return append(b, "\n<b>Warning</b>:  mysql_close(): 5 is not a valid resource\n"...)
		}),
		rewrite("blank-lines-first", "two blank lines stand before the XML declaration", func(b []byte) []byte { return append([]byte("\n\n"), b...) }),
		rewrite("cut-xml", "the document ends in its middle, over a connection that ends well", func(b []byte) []byte { return b[:len(b)/2] }),
		rewrite("empty-body", "200 with nothing in it", func([]byte) []byte { return nil }),
		{Name: "html", Does: "200 with a page for people, not XML", before: func(*call) *answer { return page(http.StatusOK, "Sito in manutenzione") }},
	}
}

const declaration = `encoding="UTF-8"`

func charsetFaults() []Fault {
	return []Fault{
		rewrite("lying-charset", "declares UTF-8 and is windows-1252", func(b []byte) []byte { return encode(charmap.Windows1252, b) }),
		{Name: "latin1", Does: "declares ISO-8859-1 in the document, and is", after: func(_ *call, a *answer) *answer {
			a.header["Content-Type"] = "text/xml"
			a.body = encode(charmap.ISO8859_1, bytes.Replace(a.body, []byte(declaration), []byte(`encoding="ISO-8859-1"`), 1))
			return a
		}},
		contentType("lying-header", "the header says ISO-8859-1, the document says UTF-8 and is", "text/xml; charset=ISO-8859-1"),
		contentType("no-charset", "the header says text/xml without a charset", "text/xml"),
		contentType("html-header", "the header says text/html, the document is right", "text/html; charset=utf-8"),
		rewrite("byte-order-mark", "a byte order mark stands before the XML declaration", func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }),
	}
}

func contentType(name, does, value string) Fault {
	return Fault{Name: name, Does: does, after: func(_ *call, a *answer) *answer {
		a.header["Content-Type"] = value
		return a
	}}
}

// encode writes text in a charset; what it lacks becomes a character reference.
func encode(e encoding.Encoding, text []byte) []byte {
	b, err := encoding.HTMLEscapeUnsupported(e.NewEncoder()).Bytes(text)
	if err != nil { // the text is ours and valid
		return []byte(err.Error())
	}
	return b
}
