package keys

import (
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
)

// Long expands single elements to lists of one wherever the table allows both, so that
// layers can be merged. It leaves schedules alone, which have forms of their own, and
// drops unknown keys, which Check has reported.
func Long(n *yamltree.Node, keys []Key) *yamltree.Node {
	if !n.IsMap() {
		return n
	}
	out := &yamltree.Node{Pos: n.Pos, Kind: yamltree.Map}
	for _, m := range n.Members {
		if k, found := find(keys, m.Key); found {
			m.Value = longValue(m.Value, k.Value)
			out.Members = append(out.Members, m)
		}
	}
	return out
}

func longValue(n *yamltree.Node, v Value) *yamltree.Node {
	switch {
	case n.IsMap() && v.Map != nil:
		return Long(n, v.Map)
	case n.IsList() && v.List != nil:
		out := &yamltree.Node{Pos: n.Pos, Kind: yamltree.List}
		for _, item := range n.Items {
			out.Items = append(out.Items, longValue(item, *v.List))
		}
		return out
	case n.IsScalar() && v.List != nil && v.Form != nil && v.Map == nil:
		return &yamltree.Node{Pos: n.Pos, Kind: yamltree.List, Items: []*yamltree.Node{n}}
	default:
		return n
	}
}

// Builtin is the weakest layer: the defaults of the table. It fails only if the table
// is wrong.
func Builtin() (*yamltree.Node, error) { return builtin(at(all(), Defaults)) }

func builtin(keys []Key) (*yamltree.Node, error) {
	out := &yamltree.Node{Kind: yamltree.Map}
	for _, k := range keys {
		var value *yamltree.Node
		switch {
		case k.Default != "":
			parsed, errs := yamltree.Parse("", []byte(k.Default))
			if len(errs) > 0 {
				return nil, fmt.Errorf("the built-in %s: %s", k.Name, errs[0].Text)
			}
			value = parsed
		case k.Value.Map != nil:
			below, err := builtin(k.Value.Map)
			if err != nil {
				return nil, err
			}
			value = below
		default:
			continue
		}
		if !value.IsMap() || len(value.Members) > 0 {
			out.Members = append(out.Members, yamltree.Member{Key: k.Name, Value: value})
		}
	}
	return out, nil
}

// Later reports the parts of a tree that are accepted but not implemented yet.
func Later(n *yamltree.Node, keys []Key, path string, report Report) {
	if !n.IsMap() {
		return
	}
	for _, m := range n.Members {
		k, found := find(keys, m.Key)
		if !found || m.At.File == "" || m.Value.IsNull() {
			continue
		}
		below := join(path, m.Key)
		if k.Later != "" && (k.Default == "" || m.Value.Text != k.Default) {
			report(m.At, below, "not yet: "+k.Later)
			continue
		}
		Later(m.Value, k.Value.Map, below, report)
		if m.Value.IsList() && k.Value.List != nil {
			for _, item := range m.Value.Items {
				Later(item, k.Value.List.Map, below, report)
			}
		}
	}
}
