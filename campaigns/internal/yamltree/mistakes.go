package yamltree

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// mistake is where the parser stopped, with the lines of the file. The parser's
// messages are about its grammar, ours about the correction.
type mistake struct {
	lines []string
	// line counts from 0; column from 1, in characters.
	line, column int
	message      string
}

// explain returns the place to correct and the mistake; false if the parser's message
// is the best there is.
func (m mistake) explain() (line, column int, text string, ok bool) {
	if m.line < 0 || m.line >= len(m.lines) {
		return 0, 0, "", false
	}
	for _, look := range []func() (int, int, string){
		m.tab, m.quote, m.bracket, m.noBlank, m.tooDeep, m.mixed, m.tooShallow, m.noKey,
	} {
		if line, column, text = look(); text != "" {
			return line, column, text, true
		}
	}
	return 0, 0, "", false
}

func (m mistake) says(part string) bool { return strings.Contains(m.message, part) }

func (m mistake) tab() (int, int, string) {
	text := m.lines[m.line]
	blank := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	if i := strings.IndexByte(blank, '\t'); i >= 0 {
		return m.line, i + 1, "is indented with a tab; indent with blanks, two for each step"
	}
	return 0, 0, ""
}

func (m mistake) quote() (int, int, string) {
	if m.says("could not find end character") {
		q := map[bool]string{true: `"`, false: "'"}[m.says("double")]
		return m.line, m.column, fmt.Sprintf("the quote %s that begins here is not closed; put another %s behind the text", q, q)
	}
	runes := []rune(m.lines[m.line])
	before := strings.TrimRight(string(runes[:max(0, min(m.column-1, len(runes)))]), " \t")
	switch {
	case !m.says("pre-defined"):
	case strings.HasSuffix(before, `"`):
		return m.line, m.column, `text goes on behind the closing quote "; within " … " write a quote as \"`
	case strings.HasSuffix(before, "'"):
		return m.line, m.column, "text goes on behind the closing quote '; within ' … ' write a quote twice: ''"
	}
	return 0, 0, ""
}

func (m mistake) bracket() (int, int, string) {
	for _, pair := range []string{"[]", "{}"} {
		opened, closed := pair[:1], pair[1:]
		switch {
		case m.says("'" + closed + "' must be specified"):
			line, column := m.open(opened[0], closed[0])
			return line, column, fmt.Sprintf("the %s here is not closed; put a %s behind its last element", opened, closed)
		case m.says("could not find '" + opened + "'"):
			return m.line, m.column, fmt.Sprintf("a %s closes nothing; text that begins with it must be in quotes", closed)
		}
	}
	return 0, 0, ""
}

// open finds the unclosed bracket before the place.
func (m mistake) open(opened, closed byte) (line, column int) {
	depth := 0
	for i := m.line; i >= 0; i-- {
		text := m.lines[i]
		if i == m.line {
			text = string([]rune(text)[:min(m.column-1, len([]rune(text)))])
		}
		for j := len(text) - 1; j >= 0; j-- {
			switch text[j] {
			case closed:
				depth++
			case opened:
				if depth--; depth < 0 {
					return i, len([]rune(text[:j])) + 1
				}
			}
		}
	}
	return m.line, m.column
}

// noBlank explains fetcher:feed, which YAML reads as one word.
func (m mistake) noBlank() (int, int, string) {
	text := strings.TrimLeft(m.lines[m.line], "- ")
	key, value, ok := WithoutBlank(text)
	if !ok || !m.says("non-map value") && !m.says("unexpected key name") {
		return 0, 0, ""
	}
	column := len(m.lines[m.line]) - len(text) + 1
	return m.line, column, "a blank is missing behind the colon; write " + key + ": " + value
}

var withoutBlank = regexp.MustCompile(`^([A-Za-z_][\w.-]*):([^\s:][^\n]*)$`)

// WithoutBlank takes text such as fetcher:feed for the key and the value that
// were meant.
func WithoutBlank(text string) (key, value string, ok bool) {
	found := withoutBlank.FindStringSubmatch(strings.TrimSpace(text))
	if found == nil {
		return "", "", false
	}
	value, _, _ = strings.Cut(found[2], " #")
	return found[1], value, true
}

// tooDeep explains a key below the value of another one, where the parser stops at that
// value.
func (m mistake) tooDeep() (int, int, string) {
	if m.says("pre-defined") {
		return m.deeper(m.before(m.line), m.line)
	}
	if !m.says("mapping value is not allowed") {
		return 0, 0, ""
	}
	if line, column, text := m.deeper(m.line, m.after(m.line)); text != "" {
		return line, column, text
	}
	return m.line, m.column, `text that holds ": " must be in quotes`
}

// deeper explains a key that is indented below one that already has a value.
func (m mistake) deeper(above, line int) (int, int, string) {
	if above < 0 || line < 0 || indent(m.lines[line]) <= indent(m.lines[above]) || keyOf(m.lines[line]) == "" {
		return 0, 0, ""
	}
	key := keyOf(m.lines[above])
	_, value, _ := strings.Cut(m.lines[above], ":")
	if key == "" || strings.TrimSpace(value) == "" || strings.Contains(value, ": ") {
		return 0, 0, ""
	}
	at := indent(m.lines[line])
	return line, at + 1, fmt.Sprintf("is indented by %s, but %s on line %d by %d and has its value on that line; indent both alike",
		blanks(at), key, above+1, indent(m.lines[above]))
}

// mixed explains list elements beside keys.
func (m mistake) mixed() (int, int, string) {
	at, above := indent(m.lines[m.line]), m.before(m.line)
	for above >= 0 && indent(m.lines[above]) > at {
		above = m.before(above)
	}
	if above < 0 || indent(m.lines[above]) != at || isElement(m.lines[above]) == isElement(m.lines[m.line]) {
		return 0, 0, ""
	}
	if isElement(m.lines[m.line]) {
		return m.line, at + 1, "a list begins (- …) beside keys; give it a key of its own, on the line before"
	}
	return m.line, at + 1, "a key stands beside the elements of a list; begin the line with a dash, or indent it as the list's own key"
}

// tooShallow explains a line between two levels of indentation.
func (m mistake) tooShallow() (int, int, string) {
	if !m.says("value is not allowed") && !m.says("non-map value") {
		return 0, 0, ""
	}
	at, steps := indent(m.lines[m.line]), m.steps()
	if slices.Contains(steps, at) || len(steps) < 2 || at > steps[len(steps)-1] {
		return 0, 0, ""
	}
	words := make([]string, 0, len(steps))
	for _, s := range steps {
		words = append(words, fmt.Sprint(s))
	}
	there := strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
	return m.line, at + 1, fmt.Sprintf("is indented by %s, and no line above that it could belong to is; there are %s", blanks(at), there)
}

// steps are the indentations that are open above the place, outermost first.
func (m mistake) steps() []int {
	var out []int
	for i := m.before(m.line); i >= 0; i = m.before(i) {
		at := indent(m.lines[i])
		if len(out) > 0 && at >= out[len(out)-1] {
			continue
		}
		if rest := m.lines[i][at:]; isElement(m.lines[i]) {
			if in := at + len(rest) - len(strings.TrimLeft(rest, "- ")); keyOf(rest) != "" && (len(out) == 0 || in < out[len(out)-1]) {
				out = append(out, in)
			}
		}
		out = append(out, at)
	}
	slices.Reverse(out)
	return out
}

func (m mistake) noKey() (int, int, string) {
	if !m.says("non-map value") || keyOf(m.lines[m.line]) != "" {
		return 0, 0, ""
	}
	return m.line, indent(m.lines[m.line]) + 1, "is neither key: value nor part of what stands above it; a key ends with a colon, more text of a value is indented"
}

// before and after find the next line that holds more than a comment; -1: none.
func (m mistake) before(i int) int { return m.step(i, -1) }

func (m mistake) after(i int) int { return m.step(i, 1) }

func (m mistake) step(i, by int) int {
	for i += by; i >= 0 && i < len(m.lines); i += by {
		if text := strings.TrimSpace(m.lines[i]); text != "" && text[0] != '#' {
			return i
		}
	}
	return -1
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func isElement(line string) bool {
	line = strings.TrimSpace(line)
	return line == "-" || strings.HasPrefix(line, "- ")
}

// keyOf returns the key that a line begins with, behind its dashes.
func keyOf(line string) string {
	key, rest, found := strings.Cut(strings.TrimLeft(line, "- "), ":")
	if !found || rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\r' {
		return ""
	}
	return key
}

func blanks(n int) string {
	if n == 1 {
		return "1 blank"
	}
	return fmt.Sprintf("%d blanks", n)
}
