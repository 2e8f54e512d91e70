package wire

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
)

// Clean turns a body as it came into UTF-8 of legal XML 1.0 characters (section
// 2.2), without byte order mark and with references a parser can resolve. A
// sound body comes back as it is, uncopied. override names the charset where the
// repository is wrong about it; "" lets body, declaration and windows-1252
// decide, in that order. Clean never fails: bytes that fit no charset are read
// as windows-1252, one by one.
func Clean(body []byte, override string) []byte {
	text := decode(body, override)
	if !legalText(text) {
		text = bytes.Map(func(r rune) rune {
			if !legal(r) {
				return -1
			}
			return r
		}, text)
	}
	return resolve(text)
}

// decode makes UTF-8. Valid UTF-8 is taken for what it is, whatever the
// declaration says: by accident it hardly ever is.
func decode(body []byte, override string) []byte {
	if override != "" {
		return repair(convert(body, override))
	}
	if text, ok := decodeUTF16(body); ok {
		return text
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	declared := declaredCharset(body)
	if utf8.Valid(body) && !strings.HasPrefix(declared, "iso-2022") {
		return body
	}
	return repair(convert(body, declared))
}

// decodeUTF16 knows UTF-16 by its mark, or by the zero beside the first "<".
func decodeUTF16(body []byte) ([]byte, bool) {
	if len(body) < 4 {
		return nil, false
	}
	var order binary.ByteOrder
	switch {
	case body[0] == 0xff && body[1] == 0xfe, body[0] == '<' && body[1] == 0 && body[2] != 0 && body[3] == 0:
		order = binary.LittleEndian
	case body[0] == 0xfe && body[1] == 0xff, body[0] == 0 && body[1] == '<' && body[2] == 0 && body[3] != 0:
		order = binary.BigEndian
	default:
		return nil, false
	}
	units := make([]uint16, 0, len(body)/2)
	for i := 0; i+1 < len(body); i += 2 {
		units = append(units, order.Uint16(body[i:]))
	}
	if units[0] == 0xfeff {
		units = units[1:]
	}
	text := make([]byte, 0, len(body))
	for _, r := range utf16.Decode(units) {
		text = utf8.AppendRune(text, r)
	}
	return text, true
}

const declarationPattern = `^\s*<\?xml\b[^>]{0,200}?\bencoding\s*=\s*["']\s*([\w.:+-]+)\s*["']`

func declaredCharset(body []byte) string {
	head := body[:min(len(body), 512)]
	if !bytes.Contains(head, []byte("encoding")) || bytes.Contains(head, []byte(`encoding="UTF-8"`)) {
		return ""
	}
	m := regexp.MustCompile(declarationPattern).FindSubmatch(head) // rare: not worth a global
	if m == nil {
		return ""
	}
	return strings.ToLower(string(m[1]))
}

// convert reads body in the named charset; an unknown one leaves it as it is.
func convert(body []byte, name string) []byte {
	e, known := charset.Lookup(name)
	if e == nil || known == "utf-8" || known == "replacement" {
		return bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	}
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return text
}

// KnowsCharset reports whether Clean can be told to read this charset.
func KnowsCharset(name string) bool {
	e, known := charset.Lookup(name)
	return e != nil && known != "replacement"
}

// repair reads what is no UTF-8 byte by byte as windows-1252, so that one stray
// byte costs one letter.
func repair(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 {
			out, b = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(b[0])), b[1:]
			continue
		}
		out, b = append(out, b[:n]...), b[n:]
	}
	return out
}

// legal reports a character of XML 1.0, section 2.2. Surrogates cannot come: the
// text is UTF-8.
func legal(r rune) bool {
	return r >= 0x20 && r != 0xfffe && r != 0xffff || r == '\t' || r == '\n' || r == '\r'
}

const (
	ones   = 0x0101010101010101
	sevens = 0x7f * ones
)

// zeros marks the bytes of x that are zero, exactly.
func zeros(x uint64) uint64 { return ^((x&sevens + sevens) | x | sevens) }

// legalText reports valid UTF-8 without characters that XML forbids, eight bytes
// at a time.
func legalText(b []byte) bool {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		low := zeros(x & (0xe0 * ones)) // below a blank
		if low != 0 && low&^(zeros(x^0x09*ones)|zeros(x^0x0a*ones)|zeros(x^0x0d*ones)) != 0 {
			return false
		}
	}
	for ; i < len(b); i++ {
		if b[i] < 0x20 && b[i] != '\t' && b[i] != '\n' && b[i] != '\r' {
			return false
		}
	}
	return !bytes.Contains(b, []byte("\xef\xbf\xbe")) && !bytes.Contains(b, []byte("\xef\xbf\xbf"))
}
