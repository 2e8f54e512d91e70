package lists

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// readJSONL reads one object per line; blank lines are passed over.
func readJSONL(data []byte) (List, []Error) {
	var list List
	var errs []Error
	line := 0
	for text := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		row, err := object(text)
		if err != nil {
			errs = append(errs, Error{line, err.Error()})
			continue
		}
		list.Rows = append(list.Rows, Row{Line: line, Values: row})
	}
	return list, errs
}

// readJSON reads an array of objects.
func readJSON(data []byte) (List, []Error) {
	var list List
	var errs []Error
	d := json.NewDecoder(bytes.NewReader(data))
	line, seen := 1, 0
	// here counts lines up to the value that comes next.
	here := func(offset int64) int {
		at := int(offset)
		for at < len(data) && bytes.IndexByte([]byte(" \t\r\n,["), data[at]) >= 0 {
			at++
		}
		line += bytes.Count(data[seen:at], []byte("\n"))
		seen = at
		return line
	}
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return list, []Error{{1, "not a JSON array of objects: [ {…}, {…} ]"}}
	}
	for d.More() {
		at := here(max(d.InputOffset(), int64(seen)))
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return list, append(errs, Error{at, "not JSON: " + err.Error()})
		}
		row, err := object(raw)
		if err != nil {
			errs = append(errs, Error{at, err.Error()})
			continue
		}
		list.Rows = append(list.Rows, Row{Line: at, Values: row})
	}
	if _, err := d.Token(); err != nil {
		return list, append(errs, Error{line, "not JSON: the array does not end"})
	}
	return list, errs
}

func object(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var row map[string]any
	if err := d.Decode(&row); err != nil || row == nil {
		return nil, errors.New("not a JSON object such as {\"url\": \"https://…\"}")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object; one object per row")
	}
	for name, v := range row {
		if v == nil {
			delete(row, name)
		}
	}
	return row, nil
}
