package keys

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// Report takes one problem: where, the dotted path of keys, and what is wrong.
type Report func(at yamltree.Pos, path, text string)

// Check reports everything in a tree that the table does not allow. Null is always
// allowed: it removes the value of a weaker layer.
func Check(n *yamltree.Node, v Value, path string, report Report) {
	switch {
	case n.IsNull() || v.Any:
	case n.IsMap() && v.Map != nil:
		checkMap(n, v.Map, path, report)
	case n.IsMap() && v.Each != nil:
		checkEach(n, v.Each, path, report)
	case n.IsList() && v.List != nil:
		for _, item := range n.Items {
			checkItem(item, *v.List, path, report)
		}
	case n.IsScalar() && v.Form != nil:
		if text := v.Form.wrong(n); text != "" {
			report(n.Pos, path, text)
		}
	default:
		text := "must be " + v.expected() + ", not " + n.Kind.String()
		if key, value, ok := yamltree.WithoutBlank(n.Text); ok && n.Kind == yamltree.Text {
			text += ": a blank is missing behind the colon; write " + key + ": " + value
		}
		report(n.Pos, path, text)
	}
}

// checkItem is Check for an element of a list, where null is not allowed.
func checkItem(n *yamltree.Node, v Value, path string, report Report) {
	if n.IsNull() {
		report(n.Pos, path, "an element with nothing in it")
		return
	}
	Check(n, v, path, report)
}

func checkMap(n *yamltree.Node, keys []Key, path string, report Report) {
	for _, m := range n.Members {
		if k, found := find(keys, m.Key); found {
			Check(m.Value, k.Value, join(path, m.Key), report)
			continue
		}
		report(m.At, join(path, m.Key), unknown(m.Key, keys))
	}
}

// unknown suggests the nearest valid key, also one that belongs elsewhere.
func unknown(key string, keys []Key) string {
	here := names(keys)
	if near := wording.Nearest(key, here); near != "" {
		return "no such key; did you mean " + near + "?"
	}
	if k, found := find(all(), key); found {
		return "does not stand here, but at " + k.Places()
	}
	return "no such key; there are " + strings.Join(here, ", ")
}

// Places lists where a key is allowed, in words.
func (k Key) Places() string {
	var where []string
	for _, p := range []struct{ letter, name string }{
		{"c", "a campaign"}, {"e", "a fetchers entry"}, {"i", "an item"}, {"D", "defaults"},
	} {
		if strings.Contains(k.In, p.letter) {
			where = append(where, p.name)
		}
	}
	return strings.Join(where, " or ")
}

func checkEach(n *yamltree.Node, e *Each, path string, report Report) {
	for _, m := range n.Members {
		at := &yamltree.Node{Pos: m.At, Kind: yamltree.Text, Text: m.Key}
		if text := e.Key.wrong(at); text != "" {
			report(m.At, path, text)
			continue
		}
		Check(m.Value, e.Value, join(path, m.Key), report)
	}
}

func (f *Form) wrong(n *yamltree.Node) string {
	if slices.Contains(f.Words, n.Text) {
		return ""
	}
	if f.Check == nil {
		if near := wording.Nearest(n.Text, f.Words); near != "" {
			return fmt.Sprintf("%q: no such word; did you mean %s?", n.Text, near)
		}
		return fmt.Sprintf("%q: one of %s", n.Text, strings.Join(f.Words, ", "))
	}
	err := f.Check(n)
	switch {
	case err == nil:
		return ""
	case len(f.Words) > 0:
		return err.Error() + ", or " + strings.Join(f.Words, ", ")
	default:
		return err.Error()
	}
}

// expected describes the valid values: "a duration such as 30s, or a list".
func (v Value) expected() string {
	var parts []string
	if v.Form != nil {
		parts = append(parts, v.Form.describe())
	}
	if v.List != nil {
		parts = append(parts, "a list")
	}
	if v.Map != nil || v.Each != nil {
		parts = append(parts, "a map")
	}
	return strings.Join(parts, " or ")
}

func (f *Form) describe() string {
	if f.Check == nil {
		return "one of " + strings.Join(f.Words, ", ")
	}
	out := f.Name
	if f.Example != "" {
		out += " such as " + f.Example
	}
	if len(f.Words) > 0 {
		out += " or " + strings.Join(f.Words, ", ")
	}
	return out
}

func join(path, key string) string {
	if path == "" || path == "campaigns" {
		return key
	}
	return path + "." + key
}
