package robots

import (
	"strings"
)

// pattern is a path of a rule: pieces of text with any text between them.
type pattern struct {
	pieces []string
	whole  bool // "$" at the end: nothing may follow
	length int  // in octets: the longest pattern decides
}

func newPattern(text string) pattern {
	p := pattern{}
	if strings.HasSuffix(text, "$") {
		text, p.whole = strings.TrimSuffix(text, "$"), true
	}
	query := false
	for i, piece := range strings.Split(text, "*") {
		var b strings.Builder
		query = writeNormal(&b, piece, query)
		p.pieces = append(p.pieces, b.String())
		p.length += b.Len()
		if i > 0 {
			p.length++
		}
	}
	if p.whole {
		p.length++
	}
	return p
}

// matches reports whether the pattern covers the beginning of a path, or all of
// it when the pattern ends with "$". Each piece is taken at its first place; only
// the last one of a whole match must stand at the end.
func (p pattern) matches(path string) bool {
	first, rest := p.pieces[0], p.pieces[1:]
	if !strings.HasPrefix(path, first) {
		return false
	}
	path = path[len(first):]
	if len(rest) == 0 {
		return !p.whole || path == ""
	}
	last := rest[len(rest)-1]
	for _, piece := range rest[:len(rest)-1] {
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		path = path[i+len(piece):]
	}
	if p.whole {
		return strings.HasSuffix(path, last)
	}
	return strings.Contains(path, last)
}

// normal is a path and query as it is compared.
func normal(target string) string {
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	target, _, _ = strings.Cut(target, "#")
	var b strings.Builder
	b.Grow(len(target) + 16)
	writeNormal(&b, target, false)
	return b.String()
}

// writeNormal writes text as RFC 9309, section 2.2.2, compares it: octets that
// are encoded without need are decoded, and those that need it are encoded, with
// capital digits. After the first "?" reserved characters need it too, but for
// what separates fields. It returns whether the text ended in a query.
func writeNormal(b *strings.Builder, text string, query bool) bool {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			if c = unhex(text[i+1])<<4 | unhex(text[i+2]); unreserved(c) {
				b.WriteByte(c)
			} else {
				writeOctet(b, c)
			}
			i += 2
			continue
		}
		switch {
		case c == '?' && !query:
			query = true
			b.WriteByte(c)
		case needsEncoding(c, query):
			writeOctet(b, c)
		default:
			b.WriteByte(c)
		}
	}
	return query
}

// needsEncoding: what is no ASCII text, what would be taken for a sign of a
// pattern, and the reserved characters (RFC 3986, section 2.2) in a query.
func needsEncoding(c byte, query bool) bool {
	if c <= ' ' || c >= 0x7f || c == '*' || c == '$' {
		return true
	}
	return query && strings.IndexByte(":/?#[]@!'(),;+", c) >= 0
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func writeOctet(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(digits[c>>4])
	b.WriteByte(digits[c&15])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	default:
		return c - '0'
	}
}
