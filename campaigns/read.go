package campaigns

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/campaigns/internal/values"
	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
	"github.com/vendemmia/vendemmia/internal/times"
)

// The readers below take a value out of a checked tree. What the table of keys
// refused was reported where it stands; here it reads as nothing.

func textAt(n *yamltree.Node, path ...string) string {
	v := n.Get(path...)
	if !v.IsScalar() {
		return ""
	}
	return strings.TrimSpace(v.Text)
}

func textsAt(n *yamltree.Node, path ...string) []string {
	v := n.Get(path...)
	if v.IsScalar() {
		return []string{v.Text}
	}
	if !v.IsList() {
		return nil
	}
	var out []string
	for _, item := range v.Items {
		if item.IsScalar() {
			out = append(out, item.Text)
		}
	}
	return out
}

func intAt(n *yamltree.Node, path ...string) int {
	i, err := strconv.Atoi(textAt(n, path...))
	if err != nil {
		return 0
	}
	return i
}

func durationAt(n *yamltree.Node, path ...string) time.Duration {
	d, err := times.ParseDuration(textAt(n, path...))
	if err != nil {
		return 0
	}
	return d
}

func countAt(n *yamltree.Node, path ...string) Count {
	i, share, err := values.Count(textAt(n, path...))
	if err != nil {
		return Count{}
	}
	return Count{N: i, Share: share}
}

// jsonAt returns a map as canonical JSON without its nulls, nothing for an
// empty or absent one.
func jsonAt(n *yamltree.Node, path ...string) json.RawMessage {
	v := n.Get(path...)
	if !v.IsMap() {
		return nil
	}
	v = &yamltree.Node{Pos: v.Pos, Kind: yamltree.Map, Members: withoutNulls(v.Members)}
	if len(v.Members) == 0 {
		return nil
	}
	raw, err := encodeJSON(v.Value())
	if err != nil {
		return nil
	}
	return raw
}

func withoutNulls(members []yamltree.Member) []yamltree.Member {
	var out []yamltree.Member
	for _, m := range members {
		if !m.Value.IsNull() {
			out = append(out, m)
		}
	}
	return out
}

func numberOf(n *yamltree.Node) float64 {
	if !n.IsScalar() {
		return 0
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		return 0
	}
	return f
}
