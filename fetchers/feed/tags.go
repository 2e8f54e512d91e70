package feed

import (
	"bytes"
	"strings"
)

// aside returns the length of a comment, CDATA section, instruction or
// declaration at the start of b, 0 if there is none; one without end goes on to
// the end of b.
func aside(b []byte) int {
	for _, a := range asides() {
		if bytes.HasPrefix(b, []byte(a.start)) {
			return through(b, a.end)
		}
	}
	if bytes.HasPrefix(b, []byte("<!")) {
		return doctype(b)
	}
	return 0
}

type pair struct{ start, end string }

func asides() [3]pair {
	return [3]pair{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}
}

// skipper passes over asides. One without end is no aside, and is not looked
// for again: a document of nothing else would cost the square of its length.
type skipper struct{ endless [3]bool }

func (s *skipper) skip(b []byte) int {
	for i, a := range asides() {
		if s.endless[i] || !bytes.HasPrefix(b, []byte(a.start)) {
			continue
		}
		end := bytes.Index(b, []byte(a.end))
		if s.endless[i] = end < 0; end >= 0 {
			return end + len(a.end)
		}
	}
	return 0
}

func through(b []byte, end string) int {
	i := bytes.Index(b, []byte(end))
	if i < 0 {
		return len(b)
	}
	return i + len(end)
}

// doctype skips an internal subset too: <!DOCTYPE a [ <!ENTITY b "c"> ]>.
func doctype(b []byte) int {
	end := through(b, ">")
	open := bytes.IndexByte(b[:end], '[')
	if open < 0 {
		return end
	}
	subset := through(b[open:], "]")
	return open + subset + through(b[open+subset:], ">")
}

func tagName(b []byte) string {
	n := 0
	for n < len(b) && n < 64 && (b[n] >= 'a' && b[n] <= 'z' || b[n] >= 'A' && b[n] <= 'Z' || b[n] >= '0' && b[n] <= '9' ||
		b[n] == ':' || b[n] == '_' || b[n] == '-' || b[n] == '.' || b[n] >= 0x80) {
		n++
	}
	return string(b[:n])
}

// tagLength returns the length of the start tag b begins with. A quote that has
// no end within reason is none.
func tagLength(b []byte) int {
	quote := byte(0)
	for i := 1; i < min(len(b), maxTag); i++ {
		switch c := b[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '>':
			return i + 1
		}
	}
	return through(b[:min(len(b), maxTag)], ">")
}

const maxTag = 16 << 10

func local(name string) string {
	if _, after, ok := strings.Cut(name, ":"); ok {
		return after
	}
	return name
}

func prefix(name string) string {
	before, _, ok := strings.Cut(name, ":")
	if !ok {
		return ""
	}
	return before
}
