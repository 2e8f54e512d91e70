package takeover

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// itemColumn names the item in a list of positions; every other column is a
// part of its position, under the name that the fetcher gives it.
const itemColumn = "item"

// MaxPositions bounds what a list of positions may hold, in bytes.
const MaxPositions = 64 << 20

// Position is where an item goes on, in the words of its fetcher.
type Position struct {
	Item string            `json:"item"` // a key, or campaign / entry / key
	At   map[string]string `json:"at"`   // "from": "2026-05-01"
	Line int               `json:"-"`
}

// LineError is a mistake in a line of a file.
type LineError struct {
	Line int
	Text string
}

func (e *LineError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Text) }

// ReadPositions reads a CSV file (comma, semicolon or tab) with a header: item,
// and a column for each part of a position. Empty cells say nothing. Errors are
// *LineError; then nothing is returned.
func ReadPositions(text []byte) ([]Position, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	c := csv.NewReader(bytes.NewReader(text))
	c.Comma, c.FieldsPerRecord = separator(text), -1
	header, err := c.Read()
	if err != nil {
		return nil, &LineError{1, "no header; the first line is: item,from"}
	}
	if err := checkHeader(header); err != nil {
		return nil, err
	}
	return readRows(c, header)
}

func separator(text []byte) rune {
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for _, sep := range []rune{';', '\t'} {
		if bytes.ContainsRune(first, sep) && !bytes.ContainsRune(first, ',') {
			return sep
		}
	}
	return ','
}

func checkHeader(header []string) error {
	seen := map[string]bool{}
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
		if header[i] == "" || seen[header[i]] {
			return &LineError{1, fmt.Sprintf("column %d of the header has no name of its own", i+1)}
		}
		seen[header[i]] = true
	}
	if !seen[itemColumn] || len(header) < 2 {
		return &LineError{1, "the header needs item and what its position is made of: item,from"}
	}
	return nil
}

func readRows(c *csv.Reader, header []string) ([]Position, error) {
	var out []Position
	lines := map[string]int{}
	for {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			wrong := &LineError{Text: err.Error()}
			if parse, ok := errors.AsType[*csv.ParseError](err); ok {
				wrong.Line, wrong.Text = parse.Line, parse.Err.Error()
			}
			return nil, wrong
		}
		line, _ := c.FieldPos(0)
		p, err := position(header, cells, line)
		if err != nil {
			return nil, err
		}
		if first, twice := lines[p.Item]; twice {
			return nil, &LineError{line, fmt.Sprintf("item %s is also on line %d", p.Item, first)}
		}
		lines[p.Item] = line
		out = append(out, p)
	}
}

func position(header, cells []string, line int) (Position, error) {
	p := Position{At: map[string]string{}, Line: line}
	if len(cells) > len(header) {
		return p, &LineError{line, fmt.Sprintf("%d cells, and the header has %d", len(cells), len(header))}
	}
	for i, cell := range cells {
		switch cell = strings.TrimSpace(cell); {
		case header[i] == itemColumn:
			p.Item = cell
		case cell != "":
			p.At[header[i]] = cell
		}
	}
	if p.Item == "" {
		return p, &LineError{line, "no item"}
	}
	if len(p.At) == 0 {
		return p, &LineError{line, "item " + p.Item + " has no position; leave it out and it begins at its beginning"}
	}
	return p, nil
}

// WritePositions writes what ReadPositions reads.
func WritePositions(w io.Writer, list []Position) error {
	names := map[string]bool{"from": true}
	for _, p := range list {
		for name := range p.At {
			names[name] = true
		}
	}
	columns := slices.Sorted(maps.Keys(names))
	c := csv.NewWriter(w)
	c.Write(append([]string{itemColumn}, columns...)) // Error tells it
	for _, p := range list {
		row := []string{p.Item}
		for _, name := range columns {
			row = append(row, p.At[name])
		}
		c.Write(row) // as above
	}
	c.Flush()
	return c.Error()
}
