package campaigns

import (
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// Schema returns the JSON Schema (draft 2020-12) of a campaign file, with the
// params of these fetchers, for editors. What only shows over several files, or
// against a list, Load alone can tell.
func Schema(kinds []FetcherInfo) ([]byte, error) {
	shown := make([]keys.Kind, 0, len(kinds))
	for _, k := range kinds {
		shown = append(shown, keys.Kind{Names: append([]string{k.Name}, k.Aliases...), Summary: k.Summary, Params: paramSchemas(k.Params)})
	}
	raw, err := json.MarshalIndent(keys.Schema(shown), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema of campaign files: %w", err)
	}
	return append(raw, '\n'), nil
}

func paramSchemas(params any) map[string]any {
	out := map[string]any{}
	for _, f := range paramspec.Fields(params) {
		s := map[string]any{}
		if f.Type != "" && f.Type != "object" {
			s["type"] = f.Type
		}
		if f.Doc != "" {
			s["description"] = f.Doc
		}
		if f.Default != "" {
			s["default"] = f.Default
		}
		if f.Example != "" {
			s["examples"] = []string{f.Example}
		}
		if len(f.Enum) > 0 {
			// A reference to a secret stands for a word only the worker knows.
			delete(s, "type")
			s["anyOf"] = []any{map[string]any{"enum": f.Enum}, map[string]any{"type": "string", "pattern": `\$\{secret:`}}
		}
		out[f.Name] = s
	}
	return out
}
