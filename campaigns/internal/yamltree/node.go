package yamltree

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Kind is what a node is.
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Text
	List
	Map
)

// String returns the kind as people say it: "a whole number".
func (k Kind) String() string {
	return [...]string{"nothing", "true or false", "a whole number", "a number", "text", "a list", "a map"}[k]
}

// Pos is a place in a file, counted from 1. The zero Pos is no file: built in.
type Pos struct {
	File         string
	Line, Column int
}

// Node is a value and where it stands. Nodes are shared (aliases, merged trees)
// and never changed once made.
type Node struct {
	Pos
	Kind Kind
	// Text is a scalar as it was written; whole numbers are in decimal.
	Text    string
	Items   []*Node  // of a List
	Members []Member // of a Map, in order, each key once
}

// Member is one key of a map with its value.
type Member struct {
	Key   string
	At    Pos // of the key
	Value *Node
}

// Error is a mistake at a place.
type Error struct {
	Pos
	Text string
}

// IsMap, IsList and IsNull may be asked of a nil node, which is null.
func (n *Node) IsMap() bool { return n != nil && n.Kind == Map }

// IsList reports whether n is a list.
func (n *Node) IsList() bool { return n != nil && n.Kind == List }

// IsNull reports whether n is absent or null.
func (n *Node) IsNull() bool { return n == nil || n.Kind == Null }

// IsScalar reports whether n is a single value that is not null.
func (n *Node) IsScalar() bool { return n != nil && n.Kind >= Bool && n.Kind <= Text }

// Member finds a key of a map.
func (n *Node) Member(key string) (Member, bool) {
	if !n.IsMap() {
		return Member{}, false
	}
	i := slices.IndexFunc(n.Members, func(m Member) bool { return m.Key == key })
	if i < 0 {
		return Member{}, false
	}
	return n.Members[i], true
}

// Get follows keys through maps; nil when one is absent.
func (n *Node) Get(keys ...string) *Node {
	for _, key := range keys {
		m, ok := n.Member(key)
		if !ok {
			return nil
		}
		n = m.Value
	}
	return n
}

// Has reports whether a map has the key, also with a null value.
func (n *Node) Has(key string) bool {
	_, ok := n.Member(key)
	return ok
}

// With returns a map with the key set, in its old place or at the end.
func (n *Node) With(m Member) *Node {
	out := &Node{Pos: n.Pos, Kind: Map, Members: slices.Clone(n.Members)}
	i := slices.IndexFunc(out.Members, func(old Member) bool { return old.Key == m.Key })
	if i < 0 {
		out.Members = append(out.Members, m)
	} else {
		out.Members[i] = m
	}
	return out
}

// Only returns a map with just the keys for which keep is true.
func (n *Node) Only(keep func(key string) bool) *Node {
	if !n.IsMap() {
		return n
	}
	out := &Node{Pos: n.Pos, Kind: Map}
	for _, m := range n.Members {
		if keep(m.Key) {
			out.Members = append(out.Members, m)
		}
	}
	return out
}

// Merge lays over over under: maps merge key by key, anything else replaces; a
// null that was written replaces too. Either may be nil.
func Merge(under, over *Node) *Node {
	switch {
	case over == nil:
		return under
	case !under.IsMap() || !over.IsMap():
		return over
	}
	out := &Node{Pos: over.Pos, Kind: Map, Members: slices.Clone(under.Members)}
	for _, m := range over.Members {
		i := slices.IndexFunc(out.Members, func(old Member) bool { return old.Key == m.Key })
		if i < 0 {
			out.Members = append(out.Members, m)
			continue
		}
		out.Members[i] = Member{Key: m.Key, At: m.At, Value: Merge(out.Members[i].Value, m.Value)}
	}
	return out
}

// Value returns the node as JSON has it: nil, bool, json.Number, string, []any,
// map[string]any.
func (n *Node) Value() any {
	if n.IsNull() {
		return nil
	}
	switch n.Kind {
	case Bool:
		return strings.EqualFold(n.Text, "true")
	case Int:
		return json.Number(n.Text)
	case Float:
		return n.number()
	case List:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.Value()
		}
		return items
	case Map:
		members := make(map[string]any, len(n.Members))
		for _, m := range n.Members {
			members[m.Key] = m.Value.Value()
		}
		return members
	default:
		return n.Text
	}
}

func (n *Node) number() any {
	f, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	if err != nil {
		return n.Text
	}
	text, err := json.Marshal(f)
	if err != nil {
		return n.Text
	}
	return json.Number(text)
}

// decimal writes a whole number of any base in decimal; "" when it is none.
func decimal(text string) string {
	var z big.Int
	if _, ok := z.SetString(text, 0); !ok {
		return ""
	}
	return z.String()
}
