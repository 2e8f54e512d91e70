package campaigns

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// canonicalJSON sorts the keys of every object and writes every number in its
// shortest form, so that equal meaning is equal bytes.
func canonicalJSON(raw json.RawMessage) (json.RawMessage, error) {
	v, err := decodeJSON(raw)
	if err != nil {
		return nil, err
	}
	return encodeJSON(v)
}

// decodeJSON reads one JSON value; numbers are json.Number in their shortest
// form.
func decodeJSON(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return shorten(v), nil
}

// encodeJSON does not escape HTML characters.
func encodeJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func shorten(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			v[k] = shorten(member)
		}
	case []any:
		for i, member := range v {
			v[i] = shorten(member)
		}
	case json.Number:
		return shortNumber(v)
	}
	return v
}

// shortNumber keeps all digits of whole numbers, so that ids beyond 2^53 stay exact.
func shortNumber(n json.Number) json.Number {
	if !strings.ContainsAny(n.String(), ".eE") {
		if n == "-0" {
			return "0"
		}
		return n
	}
	f, err := n.Float64()
	if err != nil {
		return n
	}
	text, err := json.Marshal(f)
	if err != nil {
		return n
	}
	return json.Number(text)
}

// jsonObject reads a JSON object; no input is an empty one.
func jsonObject(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if len(bytes.TrimSpace(raw)) == 0 {
		return m, nil
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("params must be a map of names and values: %w", err)
	}
	return m, nil
}

// jsonText formats a scalar; "" for null and other values.
func jsonText(raw json.RawMessage) string {
	v, err := decodeJSON(raw)
	if err != nil {
		return ""
	}
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	default:
		return ""
	}
}
