package robots

import (
	"slices"
	"strings"
)

// pattern is a path of a rule: pieces of text with any text between them.
type pattern struct {
	pieces []string
	whole  bool // "$" at the end: nothing may follow
	length int  // in octets: the longest pattern decides
	// inQuery are the pieces where all but the first stand in a query, if that makes
	// a difference and the pattern does not say where they stand.
	inQuery []string
}

func newPattern(text string) pattern {
	p := pattern{}
	if strings.HasSuffix(text, "$") {
		text, p.whole = strings.TrimSuffix(text, "$"), true
	}
	said := strings.Split(text, "*")
	query := false
	for _, piece := range said {
		p.pieces, query = appendNormal(p.pieces, piece, query)
		p.length += len(p.pieces[len(p.pieces)-1])
	}
	p.length += len(said) - 1
	if p.whole {
		p.length++
	}
	if !query && len(said) > 1 {
		p.inQuery, _ = appendNormal(nil, said[0], false)
		for _, piece := range said[1:] {
			p.inQuery, _ = appendNormal(p.inQuery, piece, true)
		}
		if slices.Equal(p.inQuery, p.pieces) {
			p.inQuery = nil
		}
	}
	return p
}

func appendNormal(pieces []string, piece string, query bool) ([]string, bool) {
	var b strings.Builder
	query = writeNormal(&b, piece, query)
	return append(pieces, b.String()), query
}

// matches reports whether the pattern covers a path, see covers.
func (p pattern) matches(path string) bool {
	return p.covers(p.pieces, path) || p.inQuery != nil && p.covers(p.inQuery, path)
}

// covers reports whether the pattern covers the beginning of a path, or all of
// it when the pattern ends with "$". Each piece is taken at its first place; only
// the last one of a whole match must stand at the end.
func (p pattern) covers(pieces []string, path string) bool {
	first, rest := pieces[0], pieces[1:]
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

// writeNormal writes text as it is compared (RFC 9309, section 2.2.2): octets that
// are encoded without need are decoded, and those that need it are encoded, with
// capital digits. Reserved characters (RFC 3986, section 2.2) are the same in both
// ways of writing where they separate nothing: ":" everywhere, "/" and "?" in a
// query. It returns whether the text ended in a query.
func writeNormal(b *strings.Builder, text string, query bool) bool {
	for i := 0; i < len(text); i++ {
		c, encoded := text[i], false
		if c == '%' && i+2 < len(text) && isHex(text[i+1]) && isHex(text[i+2]) {
			c, encoded = unhex(text[i+1])<<4|unhex(text[i+2]), true
			i += 2
		}
		switch {
		case c <= ' ' || c >= 0x7f || encoded && keepsEncoded(c, query):
			writeOctet(b, c)
		default:
			b.WriteByte(c)
		}
		query = query || c == '?' && !encoded
	}
	return query
}

// keepsEncoded: a character that separates something is another one when it is
// encoded.
func keepsEncoded(c byte, query bool) bool {
	switch c {
	case '/', '?':
		return !query
	case '&', '=':
		return query
	}
	return !unreserved(c) && strings.IndexByte(":@!'(),;+[]*$&=", c) < 0
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
