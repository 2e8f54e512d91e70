package planner

import (
	"strings"
	"unicode/utf8"
)

// screen collects lines of at most width columns.
type screen struct{ strings.Builder }

func (s *screen) line(text string) { s.WriteString(strings.TrimRight(text, " ") + "\n") }

// width is how many columns a plan takes.
const width = 80

// field writes a label and its text, wrapped under itself.
func (s *screen) field(name, text string) {
	s.wrapped(strings.Repeat(" ", indent)+pad(name, label), text, indent+label)
}

// wrapped writes words behind a beginning; further lines begin at a column.
func (s *screen) wrapped(begin, text string, column int) {
	at := begin
	if utf8.RuneCountInString(begin) > column {
		at += "  "
	}
	empty := true
	for _, word := range strings.Fields(text) {
		if !empty && utf8.RuneCountInString(at)+1+utf8.RuneCountInString(word) > width {
			s.line(at)
			at, empty = strings.Repeat(" ", column), true
		}
		if !empty {
			at += " "
		}
		at, empty = at+word, false
	}
	s.line(at)
}

func pad(text string, n int) string {
	return text + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(text)))
}

// sides writes left and right to the two ends of a line.
func (s *screen) sides(left, right string) {
	gap := width - 2 - utf8.RuneCountInString(left) - utf8.RuneCountInString(right)
	s.line(left + strings.Repeat(" ", max(2, gap)) + right)
}

func orNone(text string) string {
	if text == "" {
		return "(none)"
	}
	return text
}
