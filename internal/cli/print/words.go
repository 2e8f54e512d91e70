package print

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Some lists the first words of many.
func Some(words []string) string {
	if len(words) > 8 {
		return strings.Join(words[:8], ", ") + fmt.Sprintf(" and %d more", len(words)-8)
	}
	return strings.Join(words, ", ")
}

// Preview is the beginning of bytes, made safe for a terminal.
func Preview(raw []byte) string {
	const most = 1200
	if !utf8.Valid(raw[:validCut(raw, most)]) {
		return fmt.Sprintf("(not text; %s --body writes it)", "starter failures show")
	}
	text := string(raw[:validCut(raw, most)])
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, End(Clean(strings.TrimRight(l, "\r\n")), Width))
	}
	if len(raw) > most {
		lines = append(lines, "…")
	}
	return strings.Join(lines, "\n")
}

// validCut shortens bytes to at most n without cutting a letter.
func validCut(raw []byte, n int) int {
	if len(raw) <= n {
		return len(raw)
	}
	for n > 0 && !utf8.RuneStart(raw[n]) {
		n--
	}
	return n
}

// Pad fills s with blanks up to n letters, one at least.
func Pad(s string, n int) string {
	return s + strings.Repeat(" ", max(1, n-len([]rune(s))))
}

func Parens(text string, show bool) string {
	if !show {
		return ""
	}
	return "(" + text + ")"
}

func OrWord(word, otherwise string) string {
	if word == "" {
		return otherwise
	}
	return word
}

// Place writes "main.yaml:20".
func Place(file string, line int) string {
	if file == "" {
		return ""
	}
	if line == 0 {
		return filepath.Base(file)
	}
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}
