package web

import (
	"bytes"
	"errors"
	"mime"
	"strings"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// decode turns a body as it came into UTF-8 without a mark. The user's word comes
// first, then a mark, then the bytes themselves, then what header and meta say;
// it never fails: a byte that fits nothing is read as windows-1252. The text may
// share memory with the body, which must not change any more.
func decode(body []byte, contentType, override string) string {
	name, mark := byMark(body)
	body = body[mark:]
	if override != "" {
		name = override
	}
	if name == "" {
		if utf8.Valid(body) && bytes.IndexByte(body, escape) < 0 {
			return shared(body)
		}
		name = byWord(body, contentType)
	}
	if e := lookup(name); e != nil {
		if text, err := e.NewDecoder().Bytes(body); err == nil {
			body = text
		}
	}
	if utf8.Valid(body) {
		return shared(body)
	}
	return patch(body)
}

// shared is body as text, without half of the memory of a page.
func shared(body []byte) string { return unsafe.String(unsafe.SliceData(body), len(body)) }

func byMark(body []byte) (name string, mark int) {
	switch {
	case bytes.HasPrefix(body, []byte{0xef, 0xbb, 0xbf}):
		return "utf-8", 3
	case bytes.HasPrefix(body, []byte{0xff, 0xfe}):
		return "utf-16le", 2
	case bytes.HasPrefix(body, []byte{0xfe, 0xff}):
		return "utf-16be", 2
	case len(body) > 3 && body[0] == '<' && body[1] == 0:
		return "utf-16le", 0
	case len(body) > 3 && body[0] == 0 && body[1] == '<':
		return "utf-16be", 0
	}
	return "", 0
}

// escape begins the other characters of a charset of seven bits: without one,
// valid UTF-8 is UTF-8 whatever is said about it.
const escape = 0x1b

// byWord is what header or meta say.
func byWord(body []byte, contentType string) string {
	name := ""
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		name = strings.ToLower(strings.Trim(params["charset"], ` "'`))
	}
	if lookup(name) == nil || strings.HasPrefix(name, "utf-") {
		_, name, _ = charset.DetermineEncoding(body[:min(len(body), 4096)], "")
	}
	if name != "iso-2022-jp" && utf8.Valid(body) || strings.HasPrefix(name, "utf-16") {
		return "utf-8"
	}
	return name
}

// lookup returns nil for UTF-8 and for names it does not know.
func lookup(name string) encoding.Encoding {
	switch name = strings.ToLower(name); name {
	case "", "utf-8", "utf8":
		return nil
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	e, known := charset.Lookup(name)
	if known == "utf-8" || known == "replacement" {
		return nil
	}
	return e
}

func checkEncoding(name string) error {
	if name == "" || lookup(name) != nil || strings.EqualFold(name, "utf-8") {
		return nil
	}
	return errors.New("encoding " + name + " is not known; one such as utf-8, windows-1252, iso-8859-15, shift_jis")
}

// patch keeps what is UTF-8 and reads the other bytes one by one.
func patch(b []byte) string {
	var out strings.Builder
	out.Grow(len(b) + len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			r = charmap.Windows1252.DecodeByte(b[0])
		}
		out.WriteRune(r)
		b = b[n:]
	}
	return out.String()
}

// isText reports what can be a page: no zero bytes at its beginning.
func isText(text string) bool { return strings.IndexByte(text[:min(len(text), 1024)], 0) < 0 }
