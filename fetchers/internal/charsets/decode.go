// Package charsets turns the bytes of a source into UTF-8: one reading of charsets
// for all fetchers.
package charsets

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Hints are what was said about the charset of a body.
type Hints struct {
	// Override is the user's word; it outranks everything else.
	Override string
	// ContentType is the header of that name, as it came.
	ContentType string
	// HTML says that a <meta> in the body may name the charset.
	HTML bool
}

// Decode returns body as UTF-8 without byte order mark and without C1 controls,
// which are windows-1252 that was taken for ISO-8859-1. It never fails. The
// bytes decide before the labels: a mark, the zeros of UTF-16 and UTF-32, valid
// UTF-8; then the header, then the document's own declaration. The result may
// share memory with body.
func Decode(body []byte, h Hints) []byte {
	name, mark := byMark(body)
	body = body[mark:]
	switch {
	case h.Override != "":
		return withoutC1(patch(convert(body, h.Override)))
	case name == "":
		name = byZeros(body)
	}
	if name != "" {
		return withoutC1(patch(convert(body, name)))
	}
	return withoutC1(decodeNarrow(body, h))
}

// decodeNarrow is for charsets in which ASCII is ASCII.
func decodeNarrow(body []byte, h Hints) []byte {
	if utf8.Valid(body) && !escapes(body) {
		return body
	}
	name := labelled(body, h)
	if isEscaping(name) || utf8.Valid(body) {
		return convert(body, name)
	}
	good, bad := sequences(body)
	switch {
	case good >= mostly*bad: // a label is wrong more often than so many sequences are right by accident
		return patch(body)
	case name != "" && name != utf8Name:
		return patch(convert(body, name))
	}
	return patch(body)
}

// mostly is how many sequences of one reading outweigh one of the other.
const mostly = 10

// sequences counts the sequences of several bytes that are valid UTF-8, and the
// bytes that belong to none. Neither is a sequence cut by the end of b, nor a
// guillemet, see quoted.
func sequences(b []byte) (good, bad int) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, n := utf8.DecodeRune(b[i:])
		switch {
		case quoted(b, i):
		case n > 1:
			good++
		case utf8.FullRune(b[i:]):
			bad++
		}
		i += n
	}
	return good, bad
}

// quoted reports what is a rare sign of Chinese in UTF-8, and in windows-1252 the
// end of a French quotation: a letter behind another one, a blank that does not
// break, and a guillemet, as in dou\xe9\xa0\xbb.
func quoted(b []byte, i int) bool {
	return i > 0 && i+2 < len(b) && b[i]&0xf0 == 0xe0 && b[i+1] == 0xa0 && (b[i+2] == 0xab || b[i+2] == 0xbb) &&
		(b[i-1] >= 'a' && b[i-1] <= 'z' || b[i-1] >= 'A' && b[i-1] <= 'Z')
}

// patch reads text of two charsets. Where most sequences are valid UTF-8 they
// stay, and one stray byte costs one letter. Where most are not, the text is
// windows-1252, but for what makes no sense there: Ã¨ is è.
func patch(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	good, bad := sequences(b)
	keep := func(r rune) bool { return bad <= good || bad < mostly*good && western(r) }
	out := make([]byte, 0, len(b)+len(b)/8)
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if n == 1 && r != utf8.RuneError || n > 1 && keep(r) && !quoted(b, i) {
			out, i = append(out, b[i:i+n]...), i+n
			continue
		}
		out, i = utf8.AppendRune(out, charmap.Windows1252.DecodeByte(b[i])), i+1
	}
	return out
}

// western reports the signs that windows-1252 has too.
func western(r rune) bool {
	_, ok := charmap.Windows1252.EncodeRune(r)
	return ok
}
