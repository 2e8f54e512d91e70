package takeover

import (
	"fmt"
	"strings"
)

// setting is one line of a settings file; a list is several with one name.
type setting struct {
	name  string
	value string
	line  int
}

// off reports a value by which nothing is asked for: the words that PHP reads
// as false, and nothing.
func (s setting) off() bool {
	switch strings.ToLower(s.value) {
	case "", "0", "false", "off", "no", "none", "null":
		return true
	default:
		return false
	}
}

// section is a named part of a settings file.
type section struct {
	name     string
	line     int
	settings []setting
}

// parseINI reads settings as PHP does: sections, name = value, name[] = value,
// comments behind a semicolon, quotes over several lines. What it cannot read
// it passes over and tells of through wrong.
func parseINI(text string, wrong func(line int, text string)) []section {
	r := &iniReader{lines: strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n"), wrong: wrong}
	for r.at < len(r.lines) {
		r.next()
	}
	return r.out
}

type iniReader struct {
	lines []string
	at    int
	out   []section
	wrong func(int, string)
}

func (r *iniReader) next() {
	line := r.at + 1
	text := strings.TrimSpace(r.lines[r.at])
	r.at++
	switch {
	case text == "" || text[0] == ';' || text[0] == '#':
	case text[0] == '[':
		name, rest, closed := strings.Cut(text[1:], "]")
		if rest = strings.TrimSpace(rest); !closed || rest != "" && rest[0] != ';' {
			r.wrong(line, "not the name of a section")
			return
		}
		r.out = append(r.out, section{name: strings.TrimSpace(name), line: line})
	default:
		r.setting(text, line)
	}
}

func (r *iniReader) setting(text string, line int) {
	name, value, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		r.wrong(line, "neither a section nor a setting")
		return
	}
	value = r.value(strings.TrimSpace(value), line)
	if len(r.out) == 0 {
		r.wrong(line, name+" stands before the first section")
		return
	}
	last := &r.out[len(r.out)-1]
	last.settings = append(last.settings, setting{name: name, value: value, line: line})
}

// value takes off quotes and comments; a quote that is not closed on its line
// goes on on the next.
func (r *iniReader) value(text string, line int) string {
	if text == "" || text[0] != '"' && text[0] != '\'' {
		text, _, _ = strings.Cut(text, ";")
		return strings.TrimSpace(text)
	}
	quote, rest := text[0], text[1:]
	var b strings.Builder
	for from := r.at; ; {
		inside, closed := upTo(rest, quote)
		b.WriteString(inside)
		if closed {
			return b.String()
		}
		if r.at >= len(r.lines) {
			r.at = from
			r.wrong(line, fmt.Sprintf("a quote %c that is never closed", quote))
			return strings.TrimSpace(text[1:])
		}
		b.WriteByte('\n')
		rest = strings.TrimSuffix(r.lines[r.at], "\r")
		r.at++
	}
}

// upTo returns the text before the closing quote. In double quotes a backslash
// makes a quote or a backslash mean itself.
func upTo(text string, quote byte) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\' && i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\\'):
			i++
			b.WriteByte(text[i])
		case text[i] == quote:
			return b.String(), true
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String(), false
}
