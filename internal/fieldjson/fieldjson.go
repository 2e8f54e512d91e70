// Package fieldjson writes the fields of documents as JSON.
package fieldjson

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// Append appends fields to b as JSON with sorted keys. The bytes and errors are those
// of json.Marshal; strings and lists of strings, which nearly all fields are, take a
// fraction of the time.
func Append(b []byte, fields map[string]any) ([]byte, error) {
	return appendMap(b, fields, 0)
}

// maxNested is the depth below which package json takes over: it detects cycles.
const maxNested = 100

func appendMap(b []byte, fields map[string]any, nested int) ([]byte, error) {
	keys := make([]string, 0, len(fields))
	for key := range fields {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	b = append(b, '{')
	var err error
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendString(b, key), ':')
		if b, err = appendValue(b, fields[key], nested+1); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

func appendValue(b []byte, value any, nested int) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return appendString(b, v), nil
	case []string:
		if v == nil {
			break
		}
		b = append(b, '[')
		for i, text := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, text)
		}
		return append(b, ']'), nil
	case []any:
		if nested < maxNested {
			return appendList(b, v, nested)
		}
	case map[string]any:
		if v != nil && nested < maxNested {
			return appendMap(b, v, nested)
		}
	}
	text, err := json.Marshal(value)
	return append(b, text...), err
}

func appendList(b []byte, list []any, nested int) ([]byte, error) {
	if list == nil {
		return append(b, "null"...), nil
	}
	b = append(b, '[')
	var err error
	for i, value := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, value, nested+1); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

// appendString writes what needs no escape itself, and leaves the rest to
// package json.
func appendString(b []byte, text string) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
				return escaped(b, text)
			}
			i += size
			continue
		}
		if c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f {
			return escaped(b, text)
		}
		i++
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}

func escaped(b []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a string never fails
	return append(b, quoted...)
}
