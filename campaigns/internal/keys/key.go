package keys

import (
	"strings"

	"github.com/vendemmia/vendemmia/campaigns/internal/yamltree"
)

// Place is where a key is allowed, by its letter in the reference.
type Place string

// The places.
const (
	Campaign Place = "c"
	Entry    Place = "e"
	Item     Place = "i"
	Defaults Place = "D"
)

// Key is one key: its name, its places and its values.
type Key struct {
	Name string
	// In holds the letters of its places; empty: the same as its parent.
	In    string
	Value Value
	// Default is the built-in value, as YAML; empty: none.
	Default string
	Doc     string
	Example string
	// Later is the part that is not implemented yet; empty: all works.
	Later string
}

// Value describes the values of a key. Several members may be set: a schedule is a
// scalar, a list or a map.
type Value struct {
	Form *Form  // a scalar
	List *Value // a list of these
	Map  []Key  // a map with these keys
	Each *Each  // a map with names of the writer's choice
	Any  bool   // whatever YAML can say
}

// Each is a map with free keys of one form.
type Each struct {
	Key   Form
	Value Value
	Doc   string
}

// Form is a kind of scalar.
type Form struct {
	// Name is what the reference calls it, with its article: "a duration".
	Name    string
	Example string
	// Words are allowed beside, or instead of, what Check accepts.
	Words []string
	// Check says what is wrong with a scalar; nil: only Words are right.
	Check func(n *yamltree.Node) error
	// Schema is the JSON Schema of what Check accepts.
	Schema map[string]any
}

// at keeps the keys that may stand at a place, inside too.
func at(keys []Key, p Place) []Key {
	var out []Key
	for _, k := range keys {
		if k.In != "" && !strings.Contains(k.In, string(p)) {
			continue
		}
		if k.Value.Map != nil {
			k.Value.Map = at(k.Value.Map, p)
		}
		out = append(out, k)
	}
	return out
}

// names lists the names of keys.
func names(keys []Key) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.Name
	}
	return out
}

func find(keys []Key, name string) (Key, bool) {
	for _, k := range keys {
		if k.Name == name {
			return k, true
		}
	}
	return Key{}, false
}
