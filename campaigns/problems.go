package campaigns

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/internal/wording"
)

// Problem is one thing wrong with a file (or, in NotYet, one thing that is
// right and not built yet). Line and Column count from 1; 0 is unknown.
type Problem struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Text   string `json:"text"`
}

// String returns "file:line:column  text".
func (p Problem) String() string { return p.at() + "  " + p.Text }

func (p Problem) at() string {
	at := p.File
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			at += ":" + strconv.Itoa(n)
		}
	}
	return at
}

// screenWidth is where the printer wraps; the text keeps at least minText
// columns when a path is very long.
const (
	screenWidth = 80
	minText     = 30
)

// PrintProblems writes problems in their order, places in one column and the
// text wrapped beside them, and ends with how many there are in how many files.
// No problem, no output.
func PrintProblems(w io.Writer, problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	files := map[string]bool{}
	for _, p := range problems {
		files[p.File] = true
	}
	if err := PrintPlaces(w, problems); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s in %s. Nothing was changed.\n", wording.Count(len(problems), "error"), wording.Count(len(files), "file"))
	return err
}

// PrintPlaces is PrintProblems without the closing line: for what is "not yet".
func PrintPlaces(w io.Writer, problems []Problem) error {
	indent := 0
	for _, p := range problems {
		indent = max(indent, utf8.RuneCountInString(p.at())+2)
	}
	var b strings.Builder
	for _, p := range problems {
		at := p.at()
		pad := strings.Repeat(" ", indent-utf8.RuneCountInString(at))
		lines := wrap(p.Text, max(minText, screenWidth-indent))
		b.WriteString(at + pad + strings.Join(lines, "\n"+strings.Repeat(" ", indent)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wrap breaks text at blanks into lines of at most width characters; several
// blanks between two words of a line stay.
func wrap(text string, width int) []string {
	var lines []string
	line, blanks := "", ""
	for word := range strings.SplitSeq(text, " ") {
		switch {
		case word == "":
			blanks += " "
			continue
		case line == "":
			line = word
		case utf8.RuneCountInString(line+blanks+word)+1 > width:
			lines, line = append(lines, line), word
		default:
			line += " " + blanks + word
		}
		blanks = ""
	}
	return append(lines, line)
}

// byPlace orders problems of one file.
func byPlace(a, b Problem) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Text, b.Text))
}
