package references

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// mark begins a reference, behind one dollar; more dollars make it text.
const mark = "{secret:"

var marks = regexp.MustCompile(`\$+\{secret:`)

// Replace returns text, from a campaign file, with each reference replaced by f's
// result and each escaped reference unescaped. f gets the reference and its byte
// offset. A reference ends at its closing brace, or at the end of the text when the
// brace is missing.
func Replace(text string, f func(at int, ref string) string) string {
	if !strings.Contains(text, mark) {
		return text
	}
	var out strings.Builder
	whole := len(text)
	for {
		at := marks.FindStringIndex(text)
		switch {
		case at == nil:
			return out.String() + text
		case at[1]-at[0] > len("$"+mark):
			out.WriteString(text[:at[0]] + text[at[0]+1:at[1]])
			text = text[at[1]:]
			continue
		}
		out.WriteString(text[:at[0]])
		rest, begin := strings.IndexByte(text[at[1]:], '}'), whole-len(text)+at[0]
		if rest < 0 {
			return out.String() + f(begin, text[at[0]:])
		}
		out.WriteString(f(begin, text[at[0]:at[1]+rest+1]))
		text = text[at[1]+rest+1:]
	}
}

// Has reports whether text contains a reference.
func Has(text string) bool { return First(text) != "" }

// First returns the first reference in text, also an unclosed one; "" if text has
// none.
func First(text string) string {
	first := ""
	Replace(text, func(_ int, ref string) string {
		if first == "" {
			first = ref
		}
		return ref
	})
	return first
}

// Escape returns text with every reference escaped: Replace turns the result back
// into text, literally.
func Escape(text string) string {
	if !strings.Contains(text, mark) {
		return text
	}
	return marks.ReplaceAllString(text, "$$$0")
}

// FirstInJSON is First for all string values of a JSON value; member names are not
// searched. It returns "" for invalid JSON.
func FirstInJSON(raw json.RawMessage) string {
	found := ""
	if _, err := MapStrings(raw, func(text string) string {
		if found == "" {
			found = First(text)
		}
		return text
	}); err != nil {
		return ""
	}
	return found
}

// EscapeJSON applies Escape to all string values of a JSON value.
func EscapeJSON(raw json.RawMessage) (json.RawMessage, error) {
	return MapStrings(raw, Escape)
}

// MapStrings returns a JSON value with f applied to every string value, if any of
// them may hold "{secret:"; otherwise it returns raw unchanged. Member names stay as
// they are, and numbers keep their digits.
func MapStrings(raw json.RawMessage, f func(string) string) (json.RawMessage, error) {
	// A JSON escape can stand for any letter of the mark.
	if !bytes.Contains(raw, []byte(mark)) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw, nil
	}
	return mapJSON(raw, func(v any) any { return mapStrings(v, f, same) })
}

// MapAllStrings returns a JSON value with f applied to every string in it, member
// names included. Numbers keep their digits.
func MapAllStrings(raw json.RawMessage, f func(string) string) (json.RawMessage, error) {
	return mapJSON(raw, func(v any) any { return mapStrings(v, f, f) })
}

func same(s string) string { return s }

func mapJSON(raw json.RawMessage, f func(any) any) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(f(v)); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// mapStrings applies f to string values and names to member names.
func mapStrings(v any, f, names func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = mapStrings(v[i], f, names)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[names(name)] = mapStrings(v[name], f, names)
		}
		return out
	}
	return v
}

// MapFields is MapAllStrings for a document's fields.
func MapFields(fields map[string]any, f func(string) string) map[string]any {
	out, _ := mapStrings(fields, f, f).(map[string]any)
	return out
}
