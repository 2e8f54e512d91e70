package lists

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// readCSV reads RFC 4180 with a header line. The separator is the one the
// header uses: comma, semicolon or tab. Blank rows are passed over.
func readCSV(data []byte) (List, []Error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = separator(data), -1, false
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return List{}, []Error{{0, "is empty; the first line names the columns"}}
	}
	if err != nil {
		return List{}, []Error{csvError(err)}
	}
	columns, errs := columnsOf(header)
	list := List{Columns: columns, Texts: true}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return list, errs
		}
		if err != nil {
			return list, append(errs, csvError(err))
		}
		line, _ := r.FieldPos(0)
		if row, text := rowOf(columns, record); text != "" {
			errs = append(errs, Error{line, text})
		} else if len(row) > 0 {
			list.Rows = append(list.Rows, Row{Line: line, Values: row})
		}
	}
}

func csvError(err error) Error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		return Error{e.StartLine, "not CSV: " + e.Err.Error()}
	}
	return Error{0, "not CSV: " + err.Error()}
}

func columnsOf(header []string) ([]string, []Error) {
	var errs []Error
	columns := make([]string, len(header))
	for i, name := range header {
		columns[i] = strings.TrimSpace(name)
		if columns[i] != "" && slices.Contains(columns[:i], columns[i]) {
			errs = append(errs, Error{1, fmt.Sprintf("column %s stands twice", columns[i])})
		}
	}
	return columns, errs
}

// rowOf pairs cells with columns; a text says what is wrong.
func rowOf(columns, cells []string) (map[string]any, string) {
	row := map[string]any{}
	for i, cell := range cells {
		cell = strings.TrimSpace(cell)
		switch {
		case cell == "":
		case i >= len(columns):
			return nil, fmt.Sprintf("%d cells, and the first line names %d columns; text that holds the separator must be in quotes", len(cells), len(columns))
		case columns[i] == "":
			return nil, fmt.Sprintf("cell %d stands in a column without a name", i+1)
		default:
			row[columns[i]] = cell
		}
	}
	return row, ""
}

// separator counts candidates in the header line, outside quotes.
func separator(data []byte) rune {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	best, most, quoted := ',', 0, false
	counts := map[rune]int{}
	for _, r := range string(line) {
		switch {
		case r == '"':
			quoted = !quoted
		case !quoted:
			counts[r]++
		}
	}
	for _, r := range []rune{',', ';', '\t'} {
		if counts[r] > most {
			best, most = r, counts[r]
		}
	}
	return best
}
