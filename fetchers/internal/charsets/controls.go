package charsets

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// withoutC1 replaces U+0080 to U+009F in valid UTF-8 by what windows-1252 has in
// their places, and drops the five that it does not have.
func withoutC1(b []byte) []byte {
	if nextC1(b) < 0 {
		return b
	}
	out := make([]byte, 0, len(b)+len(b)/8)
	for i := nextC1(b); i >= 0; i = nextC1(b) {
		out = append(out, b[:i]...)
		if r := charmap.Windows1252.DecodeByte(b[i+1]); r != utf8.RuneError {
			out = utf8.AppendRune(out, r)
		}
		b = b[i+2:]
	}
	return append(out, b...)
}

// nextC1 returns where the next C1 control begins, -1 where there is none. In
// valid UTF-8 the byte 0xC2 is always the first of two.
func nextC1(b []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], 0xc2)
		if i < 0 || from+i+1 >= len(b) {
			return -1
		}
		if from += i; b[from+1] < 0xa0 {
			return from
		}
		from++
	}
}

// WithoutC1 does for one value what Decode does for a body: character references
// bring C1 controls back.
func WithoutC1(s string) string {
	if strings.IndexByte(s, 0xc2) < 0 || nextC1([]byte(s)) < 0 {
		return s
	}
	return string(withoutC1([]byte(s)))
}
