package wire

import (
	"bytes"
	"html"
	"strconv"
	"unicode/utf8"
)

// resolve makes references a parser can resolve: those to forbidden characters
// go, HTML's named characters are written out, an ampersand that begins no
// reference is escaped. Sound text comes back as it is.
func resolve(text []byte) []byte {
	if soundReferences(text) {
		return text
	}
	out := make([]byte, 0, len(text)+len(text)/16)
	var skip skipper
	for len(text) > 0 {
		i := bytes.IndexAny(text, "&<")
		if i < 0 {
			break
		}
		out, text = append(out, text[:i]...), text[i:]
		if text[0] == '<' {
			n := max(1, skip.aside(text))
			out, text = append(out, text[:n]...), text[n:]
			continue
		}
		n := reference(text)
		out, text = appendReference(out, text[:max(1, n)]), text[max(1, n):]
	}
	return append(out, text...)
}

func soundReferences(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '&')
		if i < 0 {
			return true
		}
		text = text[i:]
		n := reference(text)
		if n == 0 || !soundReference(text[1:n-1]) {
			return false
		}
		text = text[n:]
	}
}

// maxReference is longer than any name of HTML.
const maxReference = 40

// reference is the length of what looks like a reference at the start of b, 0
// when it is none.
func reference(b []byte) int {
	for i := 1; i < min(len(b), maxReference); i++ {
		switch c := b[i]; {
		case c == ';' && i > 1:
			return i + 1
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '#' && i == 1:
		default:
			return 0
		}
	}
	return 0
}

// soundReference reports one of XML's five, or a number of a legal character.
func soundReference(name []byte) bool {
	switch string(name) {
	case "lt", "gt", "amp", "quot", "apos":
		return true
	}
	r, isNumber := number(name)
	return isNumber && r >= 0 && legal(r)
}

// number reads #38 or #x26; r is -1 where that is no character.
func number(name []byte) (r rune, isNumber bool) {
	if len(name) < 2 || name[0] != '#' {
		return -1, false
	}
	digits, base := name[1:], 10
	if digits[0] == 'x' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n > utf8.MaxRune || !utf8.ValidRune(rune(n)) {
		return -1, len(digits) > 0
	}
	return rune(n), true
}

// appendReference writes ref, or what it should have been.
func appendReference(out, ref []byte) []byte {
	if len(ref) < 3 {
		return append(out, "&amp;"...)
	}
	name := ref[1 : len(ref)-1]
	if soundReference(name) {
		return append(out, ref...)
	}
	if name[0] == '#' {
		if r, _ := number(bytes.ToLower(name)); r >= 0 && legal(r) { // &#X41;
			return append(append(append(out, '&'), bytes.ToLower(name)...), ';')
		}
		return out
	}
	if s := html.UnescapeString(string(ref)); s != string(ref) {
		for _, r := range s {
			if legal(r) && r != '&' && r != '<' {
				out = utf8.AppendRune(out, r)
			}
		}
		return out
	}
	return append(append(out, "&amp;"...), ref[1:]...)
}
