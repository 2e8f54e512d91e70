package takeover

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
)

// grouped collects what is wrong with the lines of files: each reason once a
// file, with all its lines.
type grouped struct {
	file  string // of add
	order []reason
	lines map[reason][]int
}

type reason struct{ file, text string }

// add notes a line of the file.
func (g *grouped) add(line int, text string) { g.in(g.file, line, text) }

// in notes a line of another file; 0 is the file as a whole.
func (g *grouped) in(file string, line int, text string) {
	if g.lines == nil {
		g.lines = map[reason][]int{}
	}
	r := reason{file, text}
	if g.lines[r] == nil {
		g.order = append(g.order, r)
	}
	g.lines[r] = append(g.lines[r], line)
}

func (g *grouped) problems() []campaigns.Problem {
	var out []campaigns.Problem
	for _, r := range g.order {
		lines := g.lines[r]
		p := campaigns.Problem{File: r.file, Line: lines[0], Text: r.text}
		if len(lines) > 1 && lines[0] > 0 {
			p.Text = fmt.Sprintf("%s (%d lines: %s)", r.text, len(lines), spans(lines))
		}
		out = append(out, p)
	}
	return out
}

// spans writes ascending numbers as "1-4, 7".
func spans(lines []int) string {
	var out []string
	for i := 0; i < len(lines); {
		end := i
		for end+1 < len(lines) && lines[end+1] == lines[end]+1 {
			end++
		}
		text := strconv.Itoa(lines[i])
		if end > i {
			text += "-" + strconv.Itoa(lines[end])
		}
		out = append(out, text)
		i = end + 1
	}
	return strings.Join(out, ", ")
}
