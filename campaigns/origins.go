package campaigns

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/references"
)

// masked stands where a secret would.
const masked = "********"

// origins lists every effective value of the campaign and its entries in the
// order of the reference. An entry of a list has its name before its keys; a
// single one in short form has not.
func (b *build) origins() []Origin {
	var out []Origin
	for _, k := range b.keys.Campaign {
		if k.Name == "schedule" && b.out.Campaign.Schedule == nil {
			continue
		}
		listed := len(b.ports) != 1 || b.ports[0].prefix != ""
		if !isOwn(k.Name) && (listed || !b.inherited(k.Name)) {
			out = appendOrigins(out, k.Name, b.merged.Get(k.Name), nil)
		}
	}
	for _, p := range b.ports {
		for _, k := range b.keys.Entry {
			if k.Name == "was" || k.Name == "budget" && p.prefix == "" {
				continue
			}
			out = appendOrigins(out, p.prefix+k.Name, p.tree.Get(k.Name), p.hidden(k.Name))
		}
	}
	return out
}

// hidden names the members of a key that are masked.
func (p port) hidden(key string) []string {
	if key != "params" {
		return nil
	}
	return p.secrets
}

func appendOrigins(out []Origin, path string, n *yamltree.Node, hidden []string) []Origin {
	if n.IsNull() {
		return out
	}
	if !n.IsMap() {
		return append(out, originOf(path, n))
	}
	for _, m := range n.Members {
		before := len(out)
		out = appendOrigins(out, path+"."+m.Key, m.Value, nil)
		if slices.Contains(hidden, m.Key) {
			for i := range out[before:] {
				if !references.Has(out[before+i].Value) { // a reference gives nothing away
					out[before+i].Value = masked
				}
			}
		}
	}
	return out
}

func originOf(path string, n *yamltree.Node) Origin {
	o := Origin{Path: path, Value: shown(n), File: n.File, Line: n.Line}
	if n.File == "" {
		o.Line = 0
	}
	return o
}

// maxShown keeps an inline list of items to one line.
const maxShown = 5

func shown(n *yamltree.Node) string {
	switch {
	case n.IsNull():
		return ""
	case n.IsMap():
		parts := make([]string, 0, len(n.Members))
		for _, m := range n.Members {
			parts = append(parts, m.Key+": "+shown(m.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case n.IsList():
		parts := make([]string, 0, len(n.Items))
		for _, item := range n.Items[:min(maxShown, len(n.Items))] {
			parts = append(parts, shown(item))
		}
		if more := len(n.Items) - maxShown; more > 0 {
			parts = append(parts, fmt.Sprintf("and %d more", more))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		return n.Text
	}
}
