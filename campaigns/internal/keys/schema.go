package keys

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Kind is a fetcher in the schema.
type Kind struct {
	Names   []string // its name and its aliases
	Summary string
	// Params maps a param to its JSON Schema; Required is only true of items
	// that are not split.
	Params map[string]any
}

type schema = map[string]any

// Schema returns the JSON Schema (draft 2020-12) of a campaign file.
func Schema(kinds []Kind) map[string]any {
	file := schemaOf(Value{Map: File()})
	campaign := schemaOf(Value{Map: At(Campaign)})
	entry := campaign["properties"].(schema)["fetchers"].(schema)["items"].(schema)
	defaults := schemaOf(Value{Map: At(Defaults)})
	for _, s := range []schema{campaign, entry} {
		s["allOf"] = paramsOf(kinds)
	}
	for _, s := range []schema{campaign, entry, defaults} {
		s["properties"].(schema)["fetcher"] = fetcherSchema(kinds)
	}
	campaign["properties"].(schema)["fetchers"].(schema)["items"] = schema{"$ref": "#/$defs/entry"}
	campaign["not"] = schema{"required": []string{"fetcher", "fetchers"}}
	properties := file["properties"].(schema)
	properties["defaults"] = schema{"$ref": "#/$defs/defaults"}
	properties["campaigns"].(schema)["additionalProperties"] = schema{"$ref": "#/$defs/campaign"}
	file["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	file["title"] = "Vendemmia campaign file"
	file["$defs"] = schema{"campaign": orNull(campaign), "entry": entry, "defaults": orNull(defaults)}
	return file
}

// orNull allows a key without a value.
func orNull(s schema) schema {
	s["type"] = []string{"object", "null"}
	return s
}

func fetcherSchema(kinds []Kind) schema {
	out := schema{"type": "string", "description": "which fetcher"}
	var names []string
	for _, k := range kinds {
		names = append(names, k.Names...)
	}
	if len(names) > 0 {
		slices.Sort(names)
		out["enum"] = names
	}
	return out
}

// paramsOf ties the params to the fetcher's name: a map of them, or with split
// a list of maps.
func paramsOf(kinds []Kind) []any {
	out := []any{}
	for _, k := range kinds {
		params := schema{"type": "object", "description": k.Summary, "properties": k.Params, "additionalProperties": false}
		item := schema{"type": "object", "properties": k.Params}
		out = append(out, schema{
			"if":   schema{"properties": schema{"fetcher": schema{"enum": k.Names}}, "required": []string{"fetcher"}},
			"then": schema{"properties": schema{"params": schema{"anyOf": []any{params, schema{"type": "array", "items": item}}}}},
		})
	}
	return out
}

// schemaOf writes what a value may be.
func schemaOf(v Value) schema {
	var some []schema
	if v.Form != nil {
		some = append(some, v.Form.schema()...)
	}
	if v.List != nil {
		some = append(some, schema{"type": "array", "items": schemaOf(*v.List)})
	}
	if v.Map != nil {
		some = append(some, mapSchema(v.Map))
	}
	if v.Each != nil {
		some = append(some, schema{"type": "object", "additionalProperties": schemaOf(v.Each.Value)})
		if p, ok := v.Each.Key.Schema["pattern"]; ok {
			some[len(some)-1]["propertyNames"] = schema{"pattern": p}
		}
	}
	switch len(some) {
	case 0:
		return schema{}
	case 1:
		return some[0]
	default:
		return schema{"anyOf": some}
	}
}

func mapSchema(keys []Key) schema {
	properties := schema{}
	for _, k := range keys {
		s := schemaOf(k.Value)
		s["description"] = plainText(k.describe())
		if scalarDefault(k) {
			s["default"] = k.Default
		}
		properties[k.Name] = s
	}
	return schema{"type": "object", "properties": properties, "additionalProperties": false}
}

func (k Key) describe() string {
	if k.Later != "" {
		return k.Doc + " (not yet: " + k.Later + ")"
	}
	return k.Doc
}

func scalarDefault(k Key) bool { return k.Default != "" && !strings.Contains(k.Default, "\n") }

var marks = regexp.MustCompile("[`*]")

// plainText drops the marks of Markdown.
func plainText(s string) string { return marks.ReplaceAllString(s, "") }

func (f *Form) schema() []schema {
	var out []schema
	if len(f.Words) > 0 {
		out = append(out, schema{"type": "string", "enum": f.Words})
	}
	if f.Schema != nil {
		out = append(out, maps.Clone(f.Schema))
	}
	return out
}
