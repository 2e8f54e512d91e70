package program

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/userfile"
)

// MaxParams bounds a file of params.
const MaxParams = 16 << 20

// Params puts together what --params says, in order: JSON objects, @FILE with
// one, and key=value pairs, whose values take the types of fields. No fields:
// values that read as JSON numbers, booleans, lists or maps are those.
func (p *Program) Params(given []string, fields []paramspec.Field) (json.RawMessage, error) {
	if len(given) == 0 {
		return nil, nil
	}
	all := map[string]json.RawMessage{}
	for _, g := range given {
		part, err := p.paramsPart(strings.TrimSpace(g), fields)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, part)
	}
	return json.Marshal(all)
}

// Overrides are params that go to a worker, or over those of a campaign file: they
// refer to no secret.
func (p *Program) Overrides(given []string, fields []paramspec.Field) (json.RawMessage, error) {
	out, err := p.Params(given, fields)
	if err != nil {
		return nil, err
	}
	if ref := references.FirstInJSON(out); ref != "" {
		return nil, Usage("--params: %s: references to secrets are resolved only where they stand in a campaign file; write it under params there", ref)
	}
	if good := references.AddressWithPassword(out); good != "" {
		return nil, Usage("--params: a password has no place in the history of a run; write %s in a campaign file", good)
	}
	return out, nil
}

func (p *Program) paramsPart(text string, fields []paramspec.Field) (map[string]json.RawMessage, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		b, err := userfile.Read(p.Path(name), MaxParams)
		if err != nil {
			return nil, Usage("--params: %w", err)
		}
		return paramsObject(strings.TrimSpace(string(b)), "in "+name)
	}
	if strings.HasPrefix(text, "{") {
		return paramsObject(text, "as JSON")
	}
	key, value, ok := strings.Cut(text, "=")
	if !ok || key == "" {
		return nil, Usage("--params %q: write key=value, a JSON object, or @FILE", text)
	}
	v, err := typed(value, fieldType(fields, key))
	if err != nil {
		return nil, Usage("--params %s: %w", key, err)
	}
	return map[string]json.RawMessage{key: v}, nil
}

func paramsObject(text, where string) (map[string]json.RawMessage, error) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &m); err != nil || m == nil {
		return nil, Usage("--params %s: not a JSON object: %v", where, err)
	}
	return m, nil
}

func fieldType(fields []paramspec.Field, name string) string {
	for _, f := range fields {
		if f.Name == name {
			return f.Type
		}
	}
	if fields == nil {
		return "any"
	}
	return "string"
}

// typed writes a word as JSON of a type.
func typed(value, kind string) (json.RawMessage, error) {
	quoted, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "string":
		return quoted, nil
	case "boolean":
		b, err := strconv.ParseBool(value)
		if err != nil {
			return nil, fmt.Errorf("%q is neither true nor false", value)
		}
		return json.Marshal(b)
	case "array":
		if strings.HasPrefix(value, "[") {
			return asJSON(value, "a list")
		}
		return json.Marshal(strings.Split(value, ","))
	case "integer", "number":
		return asJSON(value, "a number")
	case "object":
		return asJSON(value, "a map")
	default:
		if json.Valid([]byte(value)) && value != "" {
			return json.RawMessage(value), nil
		}
		return quoted, nil
	}
}

func asJSON(value, what string) (json.RawMessage, error) {
	if !json.Valid([]byte(value)) {
		return nil, fmt.Errorf("%q is not %s", value, what)
	}
	return json.RawMessage(value), nil
}

// Path makes a path of the user absolute: relative ones are of the working
// folder.
func (p *Program) Path(name string) string {
	if filepath.IsAbs(name) || p.Env.Dir == "" {
		return name
	}
	return filepath.Join(p.Env.Dir, name)
}
