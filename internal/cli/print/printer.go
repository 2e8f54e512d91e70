package print

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/internal/terminal"
)

// Format is what a command writes on standard output.
type Format string

// The formats: text for people; one JSON value; JSON values, one per line.
const (
	Text  Format = "text"
	JSON  Format = "json"
	JSONL Format = "jsonl"
)

// Formats returns all formats, the default first.
func Formats() []string { return []string{string(Text), string(JSON), string(JSONL)} }

// ParseFormat reads a format's name.
func ParseFormat(s string) (Format, error) {
	if !slices.Contains(Formats(), s) {
		return "", fmt.Errorf("output format %q: one of %s", s, strings.Join(Formats(), ", "))
	}
	return Format(s), nil
}

// Printer writes in one format. Sentences are silent for programs, values are
// silent for people. The first write error is kept and returned by Err. Not
// safe for use at once.
type Printer struct {
	out    io.Writer
	format Format
	err    error
	width  int
	colour bool
}

// Terminal makes tables as wide as the terminal that is written to, and colours
// outcomes.
func (p *Printer) Terminal(width int, colour bool) {
	p.width, p.colour = width, colour
}

// New returns a printer onto w.
func New(w io.Writer, f Format) *Printer { return &Printer{out: w, format: f} }

// People reports whether text is written.
func (p *Printer) People() bool { return p.format == Text }

// Err returns the first error of writing, or nil.
func (p *Printer) Err() error { return p.err }

// Printf writes text for people.
func (p *Printer) Printf(format string, args ...any) {
	if p.People() {
		p.write(fmt.Sprintf(format, args...))
	}
}

// Value writes v for programs: indented in the json format, one line in jsonl.
func (p *Printer) Value(v any) {
	if !p.People() {
		p.encode(v)
	}
}

// Table writes a table for people.
func (p *Printer) Table(t *Table) {
	if !p.People() {
		return
	}
	if p.width > 0 && t.width == Width {
		t.Within(p.width)
	}
	t.colour = p.colour
	if p.err == nil {
		p.keep(terminal.Own(p.out, t.String())) // its cells are clean, its colours ours
	}
}

// List starts a list of values for programs: an array in the json format, lines
// in jsonl. End must be called, also when there were none.
func (p *Printer) List() *List { return &List{p: p} }

func (p *Printer) encode(v any) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if p.format == JSON {
		e.SetIndent("", "  ")
	}
	if err := e.Encode(v); err != nil {
		p.keep(err)
		return
	}
	p.write(b.String())
}

func (p *Printer) write(s string) {
	if p.err == nil {
		_, err := io.WriteString(p.out, s)
		p.keep(err)
	}
}

func (p *Printer) keep(err error) {
	if p.err == nil {
		p.err = err
	}
}

// List is a list of values in the making, written as it grows.
type List struct {
	p *Printer
	n int
}

// Add appends a value.
func (l *List) Add(v any) {
	switch l.p.format {
	case JSONL:
		l.p.encode(v)
	case JSON:
		b, err := marshal(v)
		if err != nil {
			l.p.keep(err)
			return
		}
		l.p.write(map[bool]string{true: "[\n  ", false: ",\n  "}[l.n == 0] + b)
	}
	l.n++
}

// Len returns how many values were added.
func (l *List) Len() int { return l.n }

// End closes the list.
func (l *List) End() {
	if l.p.format != JSON {
		return
	}
	if l.n == 0 {
		l.p.write("[]\n")
		return
	}
	l.p.write("\n]\n")
}

func marshal(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("  ", "  ")
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}
