package charsets

import (
	"bytes"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

const utf8Name = "utf-8"

// byMark returns the charset of a byte order mark and the mark's length.
func byMark(body []byte) (name string, mark int) {
	for _, m := range [...]struct{ mark, name string }{
		{"\xff\xfe\x00\x00", "utf-32le"}, // before utf-16le, whose mark it begins with
		{"\x00\x00\xfe\xff", "utf-32be"},
		{"\xef\xbb\xbf", ""}, // what follows is looked at: not all that begins so is UTF-8
		{"\xff\xfe", "utf-16le"},
		{"\xfe\xff", "utf-16be"},
	} {
		if bytes.HasPrefix(body, []byte(m.mark)) {
			return m.name, len(m.mark)
		}
	}
	return "", 0
}

// byZeros knows UTF-16 and UTF-32 without a mark by the zeros beside the first
// sign.
func byZeros(body []byte) string {
	if len(body) < 4 {
		return ""
	}
	zeros := 0
	for _, c := range body[:4] {
		zeros = zeros<<1 | btoi(c == 0)
	}
	switch zeros {
	case 0b0111:
		return "utf-32le"
	case 0b1110:
		return "utf-32be"
	case 0b0101:
		return "utf-16le"
	case 0b1010:
		return "utf-16be"
	}
	return ""
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// labelled returns the charset that header or document name, "" where neither
// names one that the body can be in. A header that names Latin 1 or UTF-8, as
// servers do without having looked, does not outrank the document.
func labelled(body []byte, h Hints) string {
	header, own := usable(headerCharset(h.ContentType)), usable(declared(body, h.HTML))
	if own != "" && own != utf8Name && (header == "" || header == utf8Name || header == "windows-1252") {
		return own
	}
	if header != "" && header != utf8Name {
		return header
	}
	return own
}

// usable returns the usual name of a charset in which ASCII is ASCII, else "".
func usable(name string) string {
	e, known := named(name)
	if e == nil || known == "replacement" || strings.HasPrefix(known, "utf-16") {
		return ""
	}
	return known
}

func headerCharset(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return strings.Trim(params["charset"], ` "'`)
}

var declaration = regexp.MustCompile(`^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']\s*([\w.:+-]+)\s*["']`)

func declared(body []byte, html bool) string {
	if m := declaration.FindSubmatch(body[:min(len(body), 1024)]); m != nil {
		return string(m[1])
	}
	if !html {
		return ""
	}
	_, name, certain := charset.DetermineEncoding(body[:min(len(body), 4096)], "")
	if !certain && name == "windows-1252" { // what it says where nothing is said
		return ""
	}
	return name
}

// escapes reports the sign that begins other characters in charsets of seven
// bits, whose bytes are all valid UTF-8.
func escapes(body []byte) bool { return bytes.IndexByte(body, 0x1b) >= 0 }

func isEscaping(name string) bool { return strings.HasPrefix(name, "iso-2022") }

// convert reads body in the named charset; an unknown name, and "", leave it.
func convert(body []byte, name string) []byte {
	e := lookup(name)
	if e == nil {
		return body
	}
	if m, ok := e.(*charmap.Charmap); ok {
		return single(m, body)
	}
	text, err := e.NewDecoder().Bytes(body)
	if err != nil || !utf8.Valid(text) {
		return body
	}
	return text
}

// single reads a charset of one byte a character; what it does not have is
// windows-1252.
func single(m *charmap.Charmap, body []byte) []byte {
	out := make([]byte, 0, len(body)+len(body)/8)
	for _, c := range body {
		r := m.DecodeByte(c)
		if r == utf8.RuneError {
			r = charmap.Windows1252.DecodeByte(c)
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// lookup returns nil for UTF-8 and for names it does not know.
func lookup(name string) encoding.Encoding {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "":
		return nil
	case "utf-16le", "utf-16":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "utf-32le", "utf-32":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	}
	e, known := named(name)
	if known == utf8Name || known == "replacement" {
		return nil
	}
	return e
}

// named returns a charset of the WHATWG's list and its usual name there.
func named(label string) (encoding.Encoding, string) {
	e, err := htmlindex.Get(label)
	if err != nil {
		return nil, ""
	}
	name, _ := htmlindex.Name(e) // it came from the list
	return e, name
}

// Knows reports whether Override may name this charset.
func Knows(name string) bool {
	e, known := named(name)
	return lookup(name) != nil || e != nil && known == utf8Name
}
