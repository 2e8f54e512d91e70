package harvest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Field describes one param, read from the struct tags of a params struct:
//
//	URL string `json:"url" doc:"address of the feed" required:"true" example:"https://…"`
//
// with also default:"…", enum:"a,b,c" and secret:"true" (masked wherever it
// would be printed).
type Field struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // string, integer, number, boolean, array, object
	Doc      string   `json:"doc,omitempty"`
	Required bool     `json:"required,omitempty"`
	Enum     []string `json:"enum,omitempty"`
	Default  string   `json:"default,omitempty"`
	Example  string   `json:"example,omitempty"`
	Secret   bool     `json:"secret,omitempty"`
}

// Fields lists the fields of a params struct (or of a pointer to one) in order.
func Fields(params any) []Field {
	t := reflect.TypeOf(params)
	if t == nil {
		return nil
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var fields []Field
	for f := range structFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || name == "" {
			continue
		}
		fields = append(fields, Field{
			Name: name, Type: jsonType(f.Type), Doc: f.Tag.Get("doc"), Required: f.Tag.Get("required") == "true",
			Enum: list(f.Tag.Get("enum")), Default: f.Tag.Get("default"), Example: f.Tag.Get("example"),
			Secret: f.Tag.Get("secret") == "true",
		})
	}
	return fields
}

// ExtractionParams names the params whose field is tagged extraction:"true": they
// shape what is taken from a source, so a change of one makes the next run read
// again.
func ExtractionParams(params any) map[string]bool {
	names := map[string]bool{}
	t := reflect.TypeOf(params)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil {
		return names
	}
	for f := range structFields(t) {
		if f.Tag.Get("extraction") == "true" {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			names[name] = true
		}
	}
	return names
}

func structFields(t reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if f := t.Field(i); f.IsExported() && !yield(f) {
				return
			}
		}
	}
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return "integer"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Map, reflect.Struct:
		return "object"
	case reflect.Pointer:
		return jsonType(t.Elem())
	default:
		return "string"
	}
}

// Problem is one thing wrong with params. Field is the param's name, or ""
// for the params as a whole.
type Problem struct {
	Field string
	Text  string
}

// Validator is a params struct with rules of its own beyond the tags.
type Validator interface {
	Validate() error
}

// CheckParams returns everything wrong with raw params against the params
// struct: unknown keys with the nearest right name, what is required and
// absent, wrong types, values outside an enum, and the struct's own Validate.
// A value holding a reference to a secret stands for text that only the worker knows: it is
// not checked against an enum.
func CheckParams(raw json.RawMessage, params any) []Problem {
	return decode(raw, reflect.New(indirect(params)).Interface())
}

// decode decodes raw into a pointer to a params struct, and returns what is
// wrong.
func decode(raw json.RawMessage, into any) []Problem {
	values, err := object(raw)
	if err != nil {
		return []Problem{{Text: err.Error()}}
	}
	problems := checkFields(values, Fields(into))
	if len(problems) > 0 {
		return problems
	}
	if err := json.Unmarshal(orEmpty(raw), into); err != nil {
		return []Problem{decodeProblem(err)}
	}
	if v, ok := into.(Validator); ok {
		if err := v.Validate(); err != nil {
			return []Problem{{Text: err.Error()}}
		}
	}
	return nil
}

// DecodeParams decodes raw params strictly into P. Any problem is a
// KindMisconfigured error that names the first one.
func DecodeParams[P any](raw json.RawMessage) (P, error) {
	var p, none P
	if problems := decode(raw, &p); len(problems) > 0 {
		return none, Errorf(KindMisconfigured, "read params", problems[0].Field, "%s", problems[0].Text)
	}
	return p, nil
}

func indirect(v any) reflect.Type {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(orEmpty(raw), &m); err != nil {
		return nil, fmt.Errorf("must be a map of names and values")
	}
	return m, nil
}

func checkFields(values map[string]json.RawMessage, fields []Field) []Problem {
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		names = append(names, f.Name)
	}
	var problems []Problem
	for _, name := range sortedKeys(values) {
		if !slices.Contains(names, name) {
			problems = append(problems, Problem{Field: name, Text: unknown(name, names)})
		}
	}
	for _, f := range fields {
		if text := f.check(values[f.Name]); text != "" {
			problems = append(problems, Problem{Field: f.Name, Text: text})
		}
	}
	return problems
}

func unknown(name string, names []string) string {
	if near := Nearest(name, names); near != "" {
		return "no such param; did you mean " + near + "?"
	}
	return "no such param; there are " + strings.Join(names, ", ")
}

func sortedKeys(m map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func (f Field) check(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		if f.Required {
			return "is required"
		}
		return ""
	}
	var s string
	if len(f.Enum) == 0 || json.Unmarshal(raw, &s) != nil || HasReference(s) {
		return ""
	}
	if !slices.Contains(f.Enum, s) {
		return fmt.Sprintf("%q: one of %s", s, strings.Join(f.Enum, ", "))
	}
	return ""
}

func decodeProblem(err error) Problem {
	if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return Problem{Field: t.Field, Text: "must be " + article(jsonType(t.Type)) + ", not " + article(t.Value)}
	}
	return Problem{Text: err.Error()}
}

func article(noun string) string {
	if noun != "" && strings.ContainsRune("aeio", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
