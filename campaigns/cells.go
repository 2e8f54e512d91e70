package campaigns

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/keys"
	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/times"
)

// typed converts a cell to the type of the fetcher's param, and reports a cell that
// does not fit. Values of JSON and YAML are typed already.
func (r *rowBuilder) typed(at yamltree.Pos, column string, v any) (any, bool) {
	s, isText := v.(string)
	if ref := referenceIn(v); ref != "" && !r.written {
		r.report.add(at, column, ref+" is not resolved in a list; write the reference under params in the campaign file, for all items or in split.items")
		return v, false
	}
	if good := references.AddressWithPassword(mustJSON(v)); good != "" && !r.written {
		r.report.add(at, column, "a password has no place in a list; write the item under split.items in the campaign file, with "+good)
		return v, false
	}
	i := slices.IndexFunc(r.fields, func(f paramspec.Field) bool { return f.Name == column })
	if i < 0 {
		return v, true
	}
	if r.fields[i].Secret && isText && !references.Has(s) {
		r.report.add(at, column, "a secret has no place in a list; write ${secret:env:VENDEMMIA_SECRET_"+envName(column)+"} under params in the campaign file")
	}
	if !r.texts || !isText {
		return v, true
	}
	out, err := cell(s, r.fields[i])
	if err != nil {
		r.report.add(at, column, err.Error())
		return v, false
	}
	return out, true
}

// referenceIn returns the first reference to a secret in a JSON value.
func referenceIn(v any) string { return references.FirstInJSON(mustJSON(v)) }

func cell(s string, f paramspec.Field) (any, error) {
	switch f.Type {
	case "integer":
		if _, err := strconv.ParseInt(s, 10, 64); err != nil {
			return nil, fmt.Errorf("%q: a whole number, for example %s", s, orWord(f.Example, "20"))
		}
		return json.Number(strings.TrimLeft(s, "+")), nil
	case "number":
		n, err := strconv.ParseFloat(s, 64)
		text, jsonErr := json.Marshal(n)
		if err != nil || jsonErr != nil {
			return nil, fmt.Errorf("%q: a number with a point, for example %s", s, orWord(f.Example, "44.4072"))
		}
		return json.Number(text), nil
	case "boolean":
		switch strings.ToLower(s) {
		case "true", "yes", "1":
			return true, nil
		case "false", "no", "0":
			return false, nil
		}
		return nil, fmt.Errorf("%q: true or false", s)
	case "array":
		return array(s), nil
	case "object":
		v, err := decodeJSON([]byte(s))
		if _, isMap := v.(map[string]any); err != nil || !isMap {
			return nil, fmt.Errorf(`%q: a JSON object, for example {"a": 1}`, s)
		}
		return v, nil
	default:
		return s, nil
	}
}

// array reads "a, b, c", or a JSON array.
func array(s string) any {
	if strings.HasPrefix(s, "[") {
		if v, err := decodeJSON([]byte(s)); err == nil {
			return v
		}
	}
	var out []any
	for part := range strings.SplitSeq(s, ",") {
		out = append(out, strings.TrimSpace(part))
	}
	return out
}

// policies reads the columns about the item itself: paused and dotted policies.
func (r *rowBuilder) policies(at yamltree.Pos, row *Row, cells map[string]any) {
	expect, tolerate := r.entry.Expect, r.entry.Tolerate
	for _, k := range r.keys.Columns {
		v, set := cells[k.Name]
		if !set || r.isParam(k.Name) && r.known {
			continue
		}
		n := cellNode(at, v)
		good := true
		keys.Check(n, k.Value, k.Name, func(at yamltree.Pos, path, text string) {
			good = false
			r.report.add(at, path, text)
		})
		if !good || n.Kind == yamltree.Bool {
			continue
		}
		d, _ := times.ParseDuration(n.Text)
		i, share, _ := values.Count(n.Text)
		switch k.Name {
		case "paused":
			row.Paused = n.Text
		case "was":
			row.Was = n.Text
		case "expect.min_documents":
			expect.MinDocuments, row.Expect = i, &expect
		case "expect.fresh_within":
			expect.FreshWithin, row.Expect = d, &expect
		case "expect.else":
			expect.Fail, row.Expect = n.Text == "fail", &expect
		case "tolerate.records":
			tolerate, row.Tolerate = Count{N: i, Share: share}, &tolerate
		}
	}
}

// cellNode is a cell as a YAML scalar, so that one table checks both.
func cellNode(at yamltree.Pos, v any) *yamltree.Node {
	n := &yamltree.Node{Pos: at, Kind: yamltree.Text, Text: text(v)}
	switch v.(type) {
	case map[string]any:
		n.Kind = yamltree.Map
	case []any:
		n.Kind = yamltree.List
	}
	if _, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
		n.Kind = yamltree.Int
	}
	if low := strings.ToLower(n.Text); low == "false" || low == "true" {
		n.Kind = yamltree.Bool
	}
	return n
}

// text is a scalar of JSON as people write it; "" for anything else.
func text(v any) string {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v)
	case json.Number:
		return shortNumber(v).String()
	case bool:
		return strconv.FormatBool(v)
	default:
		return ""
	}
}

func sortedNames(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// mustJSON encodes values that came from JSON or YAML, which cannot fail.
func mustJSON(v any) json.RawMessage {
	raw, err := encodeJSON(v)
	if err != nil {
		return json.RawMessage("{}")
	}
	canonical, err := canonicalJSON(raw)
	if err != nil {
		return raw
	}
	return canonical
}
