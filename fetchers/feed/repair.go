package feed

import (
	"bytes"
	"errors"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

var (
	byteOrderMarks = []struct {
		mark []byte
		name string
	}{
		{[]byte{0xff, 0xfe, 0, 0}, "utf-32le"}, // before utf-16le, whose mark it begins with
		{[]byte{0, 0, 0xfe, 0xff}, "utf-32be"},
		{[]byte{0xef, 0xbb, 0xbf}, "utf-8"},
		{[]byte{0xff, 0xfe}, "utf-16le"},
		{[]byte{0xfe, 0xff}, "utf-16be"},
	}
	// firstSigns are "<" followed by anything, or "{", without a mark.
	firstSigns = []struct {
		mask []byte // 1: some sign, 0: a zero byte
		name string
	}{
		{[]byte{1, 0, 0, 0}, "utf-32le"},
		{[]byte{0, 0, 0, 1}, "utf-32be"},
		{[]byte{1, 0, 1, 0}, "utf-16le"},
		{[]byte{0, 1, 0, 1}, "utf-16be"},
	}
	// illegalReference is a reference to a character that is forbidden itself.
	illegalReference = regexp.MustCompile(`&#(?:0*(?:[0-8]|1[1245678]|19|2[0-9]|3[01])|[xX]0*(?:[0-8bBcCeEfF]|1[0-9a-fA-F]|[fF]{3}[eEfF]));`)
	declaration      = regexp.MustCompile(`^<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']\s*([\w.:+-]+)\s*["'][^>]{0,200}>`)
)

// repair turns a body as it came into text a parser can read: UTF-8 without
// byte order mark, XML declaration, leading junk and characters XML forbids. It
// never fails: bytes that fit no charset are read as windows-1252.
func repair(body []byte, contentType, override string) []byte {
	name, mark := chooseCharset(body, contentType, override)
	text := decode(body[mark:], name)
	text = strip(text)
	if bytes.Contains(text, []byte("&#")) {
		text = illegalReference.ReplaceAll(text, nil)
	}
	return trimJunk(text)
}

// chooseCharset says how to read body, and how many bytes its mark has. The
// user's word comes first, then the bytes themselves (a mark, zeros of UTF-16
// and 32), then what was said about them (RFC 7303, section 3: the header
// before the declaration).
func chooseCharset(body []byte, contentType, override string) (name string, mark int) {
	for _, m := range byteOrderMarks {
		if bytes.HasPrefix(body, m.mark) {
			return firstOf(override, m.name), len(m.mark)
		}
	}
	if override != "" {
		return override, 0
	}
	for _, s := range firstSigns {
		if hasZeros(body, s.mask) {
			return s.name, 0
		}
	}
	header, declared := headerCharset(contentType), declaredCharset(body)
	if latin(header) && !latin(declared) && utf8.Valid(body) {
		return "utf-8", 0 // a server's default, against document and bytes
	}
	for _, said := range []string{header, declared} {
		if narrow(said) {
			return said, 0
		}
	}
	return "utf-8", 0
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func hasZeros(body, mask []byte) bool {
	if len(body) < len(mask) {
		return false
	}
	for i, m := range mask {
		if (body[i] == 0) != (m == 0) {
			return false
		}
	}
	return true
}

func headerCharset(contentType string) string {
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.Trim(params["charset"], ` "'`))
}

func declaredCharset(body []byte) string {
	m := declaration.FindSubmatch(bytes.TrimLeft(body[:min(len(body), 1024)], " \t\r\n"))
	if m == nil {
		return ""
	}
	return strings.ToLower(string(m[1]))
}

// latin reports the charsets that servers name without having looked.
func latin(name string) bool {
	switch name {
	case "iso-8859-1", "latin1", "us-ascii", "ascii", "windows-1252":
		return true
	}
	return false
}

// narrow reports a known charset in which ASCII is ASCII; a body that began
// with zeros is not here any more, so UTF-16 cannot be true.
func narrow(name string) bool {
	if name == "" || strings.HasPrefix(name, "utf-16") || strings.HasPrefix(name, "utf-32") || strings.HasPrefix(name, "ucs-") {
		return false
	}
	e, known := charset.Lookup(name)
	return e != nil && known != "replacement" && known != "utf-16le" && known != "utf-16be"
}

func checkEncoding(name string) error {
	if name == "" || lookup(name) != nil || strings.EqualFold(name, "utf-8") {
		return nil
	}
	return errors.New("encoding " + name + " is not known; one such as utf-8, windows-1252, iso-8859-15, utf-16le")
}

func lookup(name string) encoding.Encoding {
	switch strings.ToLower(name) {
	case "utf-8", "utf8":
		return nil
	case "utf-16le":
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "utf-32le":
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case "utf-32be":
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	}
	e, known := charset.Lookup(name)
	if known == "utf-8" || known == "replacement" {
		return nil
	}
	return e
}

// decode reads b in the named charset; whatever is no UTF-8 after that is read
// byte by byte as windows-1252, so that one stray byte costs one letter.
func decode(b []byte, name string) []byte {
	if e := lookup(name); e != nil {
		if text, err := e.NewDecoder().Bytes(b); err == nil {
			b = text
		}
	}
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			r = charmap.Windows1252.DecodeByte(b[0])
			out, b = utf8.AppendRune(out, r), b[1:]
			continue
		}
		out, b = append(out, b[:n]...), b[n:]
	}
	return out
}

// legal reports a character of XML 1.0, section 2.2.
func legal(r rune) bool {
	return r >= 0x20 && r != 0xfffe && r != 0xffff || r == '\t' || r == '\n' || r == '\r'
}

// suspect reports bytes that may be part of a forbidden character: controls,
// and what U+FFFE and U+FFFF begin with.
func suspect[T string | []byte](text T) bool {
	for i := range len(text) {
		if b := text[i]; b < 0x20 && b != '\t' && b != '\n' && b != '\r' || b == 0xef && i+1 < len(text) && text[i+1] == 0xbf {
			return true
		}
	}
	return false
}

// strip removes the characters XML forbids from valid UTF-8.
func strip(text []byte) []byte {
	if !suspect(text) {
		return text
	}
	return bytes.Map(func(r rune) rune {
		if !legal(r) {
			return -1
		}
		return r
	}, text)
}

// trimJunk drops what stands before the first "<" or "{", if it is not long
// enough to be a text of its own, and the XML declaration: it names a charset
// that is not the text's any more, and a version 1.1 the parser refuses.
func trimJunk(text []byte) []byte {
	text = bytes.TrimLeft(text, " \t\r\n\ufeff")
	if i := bytes.IndexAny(text[:min(len(text), maxJunk)], "<{"); i > 0 {
		text = text[i:]
	}
	for bytes.HasPrefix(text, []byte("<?xml")) {
		end := bytes.Index(text, []byte("?>"))
		if end < 0 {
			break
		}
		text = bytes.TrimLeft(text[end+2:], " \t\r\n\ufeff")
	}
	return text
}

const maxJunk = 64 << 10
