package yamltree

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

var plain = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./-]*( [A-Za-z0-9][A-Za-z0-9_./-]*)*$`)

// Write returns a tree as YAML in block style. What Parse reads from it is
// equal: text that YAML could take for something else is quoted.
func Write(n *Node) []byte {
	w := writer{}
	w.value(n, 0)
	return bytes.TrimLeft(w.Bytes(), "\n ")
}

type writer struct {
	bytes.Buffer
}

// value writes what stands behind a colon or a dash.
func (w *writer) value(n *Node, depth int) {
	indent := "\n" + strings.Repeat("  ", depth)
	switch {
	case n.IsNull():
		w.WriteString(" null\n")
	case n.IsMap() && len(n.Members) == 0:
		w.WriteString(" {}\n")
	case n.IsList() && len(n.Items) == 0:
		w.WriteString(" []\n")
	case n.IsMap():
		for _, m := range n.Members {
			w.newline(indent)
			w.WriteString(w.text(m.Key) + ":")
			w.value(m.Value, depth+1)
		}
	case n.IsList():
		for _, item := range n.Items {
			w.newline(indent)
			w.WriteString("-")
			w.item(item, depth+1)
		}
	case n.Kind == Text:
		w.WriteString(" " + w.text(n.Text) + "\n")
	default:
		w.WriteString(" " + n.Text + "\n")
	}
}

// item writes an element of a list; the first key of a map stands behind the
// dash.
func (w *writer) item(n *Node, depth int) {
	if !n.IsMap() || len(n.Members) == 0 {
		w.value(n, depth)
		return
	}
	for i, m := range n.Members {
		if i == 0 {
			w.WriteString(" ")
		} else {
			w.newline("\n" + strings.Repeat("  ", depth))
		}
		w.WriteString(w.text(m.Key) + ":")
		w.value(m.Value, depth+1)
	}
}

// newline begins a line unless one has just begun.
func (w *writer) newline(indent string) {
	if bytes.HasSuffix(w.Bytes(), []byte("\n")) {
		indent = indent[1:]
	}
	w.WriteString(indent)
}

// text quotes as JSON does, which YAML reads alike.
func (w *writer) text(s string) string {
	words := []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}
	if plain.MatchString(s) && !slices.Contains(words, strings.ToLower(s)) {
		return s
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	// DEL and the like pass JSON as they are, and YAML not.
	var out strings.Builder
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		if r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0xfeff {
			out.WriteString(escape(r))
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

func escape(r rune) string {
	const hex = "0123456789abcdef"
	return `\u` + string([]byte{hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15]})
}

// FromJSON makes a tree of what decoding JSON gave; maps are in the order of
// their keys.
func FromJSON(v any) *Node {
	switch v := v.(type) {
	case bool:
		if v {
			return &Node{Kind: Bool, Text: "true"}
		}
		return &Node{Kind: Bool, Text: "false"}
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return &Node{Kind: Float, Text: v.String()}
		}
		return &Node{Kind: Int, Text: v.String()}
	case string:
		return &Node{Kind: Text, Text: v}
	case []any:
		out := &Node{Kind: List}
		for _, item := range v {
			out.Items = append(out.Items, FromJSON(item))
		}
		return out
	case map[string]any:
		out := &Node{Kind: Map}
		for name, member := range v {
			out.Members = append(out.Members, Member{Key: name, Value: FromJSON(member)})
		}
		slices.SortFunc(out.Members, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
		return out
	default:
		return &Node{Kind: Null}
	}
}
