package harvest

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// References to secrets stand in campaign files: ${secret:env:NAME} and
// ${secret:file:PATH}. A doubled dollar makes text of it: $${secret:env:NAME} is
// the text ${secret:env:NAME}. Text from anywhere else is escaped when it is
// laid over what the file says (EscapeReferences), so it never refers to anything.

// referenceMark begins a reference, behind one dollar; more of them make text.
const referenceMark = "{secret:"

func marks() *regexp.Regexp { return regexp.MustCompile(`\$+\{secret:`) }

// ReplaceReferences returns a text of a campaign file as it is meant: f stands for
// each reference, which begins at a place of the text and reaches to its closing
// brace, or to the end of the text where that is missing.
func ReplaceReferences(text string, f func(at int, ref string) string) string {
	if !strings.Contains(text, referenceMark) {
		return text
	}
	var out strings.Builder
	whole := len(text)
	for marks := marks(); ; {
		at := marks.FindStringIndex(text)
		switch {
		case at == nil:
			return out.String() + text
		case at[1]-at[0] > len("$"+referenceMark):
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

// HasReference reports whether text of a campaign file refers to a secret.
func HasReference(text string) bool { return FirstReference(text) != "" }

// FirstReference returns the first reference to a secret in a text of a campaign
// file, closed or not; "" where there is none.
func FirstReference(text string) string {
	first := ""
	ReplaceReferences(text, func(_ int, ref string) string {
		if first == "" {
			first = ref
		}
		return ref
	})
	return first
}

// EscapeReferences returns text in which nothing refers to a secret, and which
// means what text is letter by letter.
func EscapeReferences(text string) string {
	if !strings.Contains(text, referenceMark) {
		return text
	}
	return marks().ReplaceAllString(text, "$$$0")
}

// ReferenceIn is FirstReference for all strings of a JSON value; names of members
// do not count. What is no JSON has none.
func ReferenceIn(raw json.RawMessage) string {
	found := ""
	if _, err := MapStrings(raw, func(text string) string {
		if found == "" {
			found = FirstReference(text)
		}
		return text
	}); err != nil {
		return ""
	}
	return found
}

// EscapeReferencesIn is EscapeReferences for all strings of a JSON value.
func EscapeReferencesIn(raw json.RawMessage) (json.RawMessage, error) {
	return MapStrings(raw, EscapeReferences)
}

// MapStrings returns a JSON value with f done to every string in it where one may
// hold "{secret:"; names of members stay. Where none may, raw comes back as it is.
// Numbers keep their digits.
func MapStrings(raw json.RawMessage, f func(string) string) (json.RawMessage, error) {
	// An escape may hide any letter of the mark.
	if !bytes.Contains(raw, []byte(referenceMark)) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw, nil
	}
	return mapJSON(raw, func(v any) any { return mapStrings(v, f, same) })
}

// MapAllStrings is MapStrings for every string there is, names of members
// included.
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

// mapStrings does f to the strings of a value, and names to those that name members.
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

// MapFields is MapAllStrings for the fields of a document.
func MapFields(fields map[string]any, f func(string) string) map[string]any {
	out, _ := mapStrings(fields, f, f).(map[string]any)
	return out
}
