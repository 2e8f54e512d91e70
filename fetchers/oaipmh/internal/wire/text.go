package wire

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
)

// Text returns the text of an element's content on one line: references and
// CDATA decoded, comments and tags left out, white space folded and trimmed.
func Text(inner []byte) string { return string(text(inner)) }

// text is Text without a copy, where none is needed.
func text(inner []byte) []byte {
	if bytes.IndexByte(inner, '&') < 0 && bytes.IndexByte(inner, '<') < 0 {
		return fold(inner)
	}
	return fold(plain(inner))
}

// fold makes one line of b.
func fold(b []byte) []byte {
	b = bytes.TrimSpace(b)
	blank := false
	for i, c := range b {
		if c > ' ' && c < 0x80 {
			blank = false
			continue
		}
		if c < ' ' || c == ' ' && blank || c >= 0x80 && oddSpace(b[i:]) {
			return bytes.Join(bytes.Fields(b), []byte(" "))
		}
		blank = c == ' '
	}
	return b
}

// oddSpace reports white space beyond ASCII at the start of b.
func oddSpace(b []byte) bool {
	if b[0] != 0xc2 && b[0] != 0xe1 && b[0] != 0xe2 && b[0] != 0xe3 {
		return false
	}
	r, _ := utf8.DecodeRune(b)
	return unicode.IsSpace(r)
}

// plain decodes content that holds references or tags.
func plain(b []byte) []byte {
	out := make([]byte, 0, len(b))
	var skip skipper
	for len(b) > 0 {
		i := bytes.IndexAny(b, "&<")
		if i < 0 {
			break
		}
		out, b = append(out, b[:i]...), b[i:]
		if b[0] == '&' {
			n := max(1, reference(b))
			out, b = appendDecoded(out, b[:n]), b[n:]
			continue
		}
		n := skip.aside(b)
		if n > 12 && bytes.HasPrefix(b, []byte("<![CDATA[")) {
			out = append(out, b[9:n-3]...)
		}
		if n == 0 {
			s := scanner{b: b}
			n = max(1, s.next().to)
		}
		b = b[min(n, len(b)):]
	}
	return append(out, b...)
}

func appendDecoded(out, ref []byte) []byte {
	if len(ref) < 3 {
		return append(out, ref...)
	}
	name := ref[1 : len(ref)-1]
	switch string(name) {
	case "lt":
		return append(out, '<')
	case "gt":
		return append(out, '>')
	case "amp":
		return append(out, '&')
	case "quot":
		return append(out, '"')
	case "apos":
		return append(out, '\'')
	}
	if r, isNumber := number(name); isNumber && r >= 0 && legal(r) {
		return append(out, charsets.WithoutC1(string(r))...)
	}
	return append(out, ref...)
}
