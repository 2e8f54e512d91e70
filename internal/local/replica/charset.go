package replica

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Charset is how a feed's text becomes bytes, and what it says about that.
// JSON Feed is always UTF-8.
type Charset string

// The charsets. The last two say UTF-8 and send windows-1252: in the XML
// declaration, and in the Content-Type over a right declaration.
const (
	UTF8        Charset = "" // the zero value
	UTF8BOM     Charset = "utf-8 with byte order mark"
	Latin1      Charset = "iso-8859-1"
	Windows1252 Charset = "windows-1252"
	UTF16LE     Charset = "utf-16le"
	UTF16BE     Charset = "utf-16be"
	LyingXML    Charset = "lying declaration"
	LyingHTTP   Charset = "lying header"
)

// Charsets returns all charsets.
func Charsets() []Charset {
	return []Charset{UTF8, UTF8BOM, Latin1, Windows1252, UTF16LE, UTF16BE, LyingXML, LyingHTTP}
}

// Honest reports whether a reader that believes what is said reads all.
func (c Charset) Honest() bool { return c != LyingXML && c != LyingHTTP }

// says returns the XML declaration's and the Content-Type's word, "" for none.
func (c Charset) says() (declared, header string) {
	switch c {
	case Latin1:
		return "ISO-8859-1", ""
	case Windows1252:
		return "windows-1252", "windows-1252"
	case UTF16LE, UTF16BE:
		return "UTF-16", ""
	case LyingXML:
		return "UTF-8", ""
	case LyingHTTP:
		return "windows-1252", "utf-8"
	default:
		return "UTF-8", "utf-8"
	}
}

// encode turns text into bytes; what the charset lacks becomes a character
// reference, as good software does.
func (c Charset) encode(text []byte) []byte {
	var e encoding.Encoding
	switch c {
	case UTF8BOM:
		return append([]byte("\xef\xbb\xbf"), text...)
	case Latin1:
		e = charmap.ISO8859_1
	case Windows1252, LyingXML, LyingHTTP:
		e = charmap.Windows1252
	case UTF16LE:
		e = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case UTF16BE:
		e = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	default:
		return text
	}
	b, err := encoding.HTMLEscapeUnsupported(e.NewEncoder()).Bytes(text)
	if err != nil { // the text is ours and valid
		return []byte(err.Error())
	}
	return b
}
