package gazzetta

import (
	"strings"
	"unicode"

	"github.com/vendemmia/vendemmia/fetchers/internal/charsets"
)

// decode makes text of what came. The site says UTF-8, and old pages are in
// ISO-8859-1 or both.
func decode(body []byte) string {
	return clean(string(charsets.Decode(body, charsets.Hints{HTML: true})))
}

// clean drops a byte order mark and the zeros that no JSON or store keeps.
func clean(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, "\ufeff"), "\x00", "")
}

// squeeze makes one line of text: runs of any space become one blank.
func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// paragraphs undoes the typesetting of a text of fixed width: lines of a
// paragraph are joined, runs of blanks become one, centred lines stand alone. A
// paragraph ends at an empty line, at a line whose last character is a blank,
// and before a line that is indented. Paragraphs are separated by a newline.
func paragraphs(text string) string {
	var out []string
	var open []string
	shut := func() {
		if len(open) > 0 {
			out, open = append(out, strings.Join(open, " ")), nil
		}
	}
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		words := squeeze(line)
		if words == "" || indented(line) {
			shut()
		}
		if words != "" {
			open = append(open, words)
		}
		if strings.HasSuffix(line, " ") || indent(line) >= centred {
			shut()
		}
	}
	shut()
	return strings.Join(out, "\n")
}

// centred is the indent from which a line is a heading of its own.
const centred = 8

func indented(line string) bool { return indent(line) >= 2 }

func indent(line string) int {
	return len(line) - len(strings.TrimLeftFunc(line, func(r rune) bool { return r < 0x80 && unicode.IsSpace(r) }))
}
