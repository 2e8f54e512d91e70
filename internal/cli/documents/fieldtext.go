package documents

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
)

// fieldText is a field for people: text as it is, lists with commas, anything
// else as JSON, in which a number is never shortened.
func fieldText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, fieldText(e))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, name+" "+fieldText(v[name]))
		}
		return strings.Join(parts, " ")
	default:
		b, _ := json.Marshal(v) // it came from JSON
		return string(b)
	}
}

// fieldLines is a field with one line for each element of a list, so that two
// versions of it compare.
func fieldLines(v any) (lines []string) {
	list, ok := v.([]any)
	if !ok {
		return []string{fieldText(v)}
	}
	for _, e := range list {
		lines = append(lines, fieldText(e))
	}
	return lines
}

// FieldOf is one field, whole; a list has one line for each element.
func FieldOf(d rows.Document, name string) (string, error) {
	if value, ok := d.Line.Fields[name]; ok {
		return strings.Join(fieldLines(value), "\n") + "\n", nil
	}
	there := strings.Join(slices.Sorted(maps.Keys(d.Line.Fields)), ", ")
	return "", fmt.Errorf("document %s has no field %q; there are: %s", d.Line.ID, name, print.Dash(there))
}

// cutLong shortens a long field, and says how to get the whole.
func cutLong(text, name string) string {
	const most = 600
	if len([]rune(text)) <= most {
		return text
	}
	return string([]rune(text)[:most]) + "…\n--field " + name + " writes all of it"
}

// paragraphs wraps text whose lines are paragraphs behind a name of so many
// letters.
func paragraphs(text string, indent int) string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, print.Wrap(line, indent, indent))
	}
	return strings.Join(out, "\n"+strings.Repeat(" ", indent))
}
