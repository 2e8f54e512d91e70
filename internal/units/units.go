// Package units holds the identity of items, the units of work, and their checkpoints.
package units

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/references"
)

// Item identifies a unit of work across runs: one fetcher with one set of params. The
// key never depends on the item's position in a file or list.
type Item struct {
	Campaign string `json:"campaign"`
	Entry    string `json:"entry"`
	Key      string `json:"key"`
}

// String returns "campaign / entry / key", the checkpoint's name.
func (i Item) String() string { return i.Campaign + " / " + i.Entry + " / " + i.Key }

// Checkpoint is the position an item continues from, with its version.
type Checkpoint struct {
	// Value is the fetcher's own JSON.
	Value json.RawMessage `json:"value"`
	// Version grows by one with every page. A commit states the version it read.
	Version int64 `json:"version"`
	// Params is the fingerprint of the params, Extraction that of the params that
	// shape extraction. If Extraction changes, the next run reads everything again.
	Params     string `json:"params,omitempty"`
	Extraction string `json:"extraction,omitempty"`
}

// Key returns an item's key: the values of the identity params, joined by a space, or
// a hash of all params if identity is empty or its first param is absent. The other
// identity params may be absent. Keys name checkpoints: a change here loses them.
func Key(params json.RawMessage, identity []string) (string, error) {
	var m map[string]any
	if len(params) > 0 {
		if err := json.Unmarshal(params, &m); err != nil {
			return "", fmt.Errorf("params are not a JSON object: %w", err)
		}
	}
	values := make([]string, 0, len(identity))
	for _, name := range identity {
		if v, ok := m[name]; ok && v != nil && v != "" {
			values = append(values, plain(v))
		}
	}
	if len(values) > 0 && m[identity[0]] != nil && m[identity[0]] != "" {
		return strings.Join(values, " "), nil
	}
	if m == nil {
		m = map[string]any{}
	}
	return harvest.Fingerprint(m)
}

// plain formats a value without an exponent and without a literal password.
func plain(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return references.ReplacePassword(fmt.Sprint(v), "")
}
