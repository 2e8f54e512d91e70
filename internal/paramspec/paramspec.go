// Package paramspec reads the struct tags of params structs: it lists their fields,
// and checks and decodes params against them.
package paramspec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// Field describes one param, read from the struct tags of a params struct:
//
//	URL string `json:"url" doc:"address of the feed" required:"true" example:"https://…"`
//
// with also default:"…", enum:"a,b,c", secret:"true" (masked wherever it would be
// printed) and address:"true" (whose host is asked, so that `auth` is sent there).
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

// Extraction returns the names of the params tagged extraction:"true". They shape what
// is extracted from a source: after a change, the next run reads everything again.
func Extraction(params any) map[string]bool {
	names := map[string]bool{}
	for f := range tagged(params, "extraction") {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}

// Addresses returns the values of the params tagged address:"true", texts or lists of
// them, with defaults for those that raw leaves out.
func Addresses(raw json.RawMessage, params any) (list []string) {
	values, err := Object(raw)
	if err != nil {
		return nil
	}
	for f := range tagged(params, "address") {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		list = append(list, textsOf(values[name], f.Tag.Get("default"))...)
	}
	return list
}

// textsOf returns a text or a list of texts; otherwise, if there is one, for no value.
func textsOf(raw json.RawMessage, otherwise string) (list []string) {
	one := ""
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		return list
	}
	if json.Unmarshal(raw, &one) != nil || one == "" {
		one = otherwise
	}
	if one == "" {
		return nil
	}
	return []string{one}
}

func tagged(params any, tag string) func(func(reflect.StructField) bool) {
	t := reflect.TypeOf(params)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return func(yield func(reflect.StructField) bool) {
		if t == nil {
			return
		}
		for f := range structFields(t) {
			if f.Tag.Get(tag) == "true" && !yield(f) {
				return
			}
		}
	}
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

// Problem is one problem of params. Field is the param's name, or "" for the params as
// a whole.
type Problem struct {
	Field string
	Text  string
}

// Check returns all problems of raw params for the params struct: unknown keys with the
// nearest valid name, missing required params, wrong types, values outside an enum, and
// the error of the struct's own Validate method. A value with a reference to a secret is
// not checked against an enum: only the worker knows the value.
func Check(raw json.RawMessage, params any) []Problem {
	return Decode(raw, reflect.New(indirect(params)).Interface())
}

// Decode decodes raw into a pointer to a params struct, and returns the problems that
// Check returns. After problems, the struct is not to be used.
func Decode(raw json.RawMessage, into any) []Problem {
	values, err := Object(raw)
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
	if v, ok := into.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return []Problem{{Text: err.Error()}}
		}
	}
	return nil
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

// Object decodes params into a map; empty params are an empty map.
func Object(raw json.RawMessage) (map[string]json.RawMessage, error) {
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
	if near := wording.Nearest(name, names); near != "" {
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
	if len(f.Enum) == 0 || json.Unmarshal(raw, &s) != nil || references.Has(s) {
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
