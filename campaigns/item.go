package campaigns

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/references"
	"github.com/vendemmia/vendemmia/internal/units"
)

// ItemParams returns the params of an item as canonical JSON: the entry's, the
// row's over them, over's (what trigger gave) over both, top-level key by key.
// References to secrets are those of the entry and of rows written in the
// campaign file; what comes from elsewhere is escaped.
func (e Entry) ItemParams(r Row, over json.RawMessage) (json.RawMessage, error) {
	merged := map[string]json.RawMessage{}
	for i, layer := range []json.RawMessage{e.Params, r.Params, over} {
		values, err := layerOf(layer, i == 0 || i == 1 && (r.Written || r.Kept))
		if err != nil {
			return nil, fmt.Errorf("item %q of %s: %w", r.Key, e.Name, err)
		}
		for name, value := range values {
			merged[name] = value
		}
	}
	raw, err := encodeJSON(merged)
	if err != nil {
		return nil, fmt.Errorf("item %q of %s: %w", r.Key, e.Name, err)
	}
	return canonicalJSON(raw)
}

// layerOf reads a layer of params. One from outside the campaign file may not refer to
// secrets.
func layerOf(raw json.RawMessage, written bool) (map[string]json.RawMessage, error) {
	values, err := jsonObject(raw)
	if written {
		return values, err
	}
	for name, value := range values {
		if values[name], err = references.EscapeJSON(value); err != nil {
			return nil, err
		}
	}
	return values, err
}

// OwnParams are the params of an item that has no others, see ItemParams.
func (r Row) OwnParams() (json.RawMessage, error) {
	if r.Written || r.Kept {
		return r.Params, nil
	}
	return references.EscapeJSON(r.Params)
}

// ItemKey returns an item's key: the row's own, else the param that split.key
// names, else by the fetcher's identity (see units.Key). params are the
// item's whole ones.
func (e Entry) ItemKey(params json.RawMessage, identity []string, r Row) (string, error) {
	key, err := e.itemKey(params, identity, r)
	return boundKey(key), err
}

// boundKey shortens a key to what every store accepts. A long key keeps its beginning
// and gets a digest to stay unique.
func boundKey(key string) string {
	key = strings.ReplaceAll(strings.ToValidUTF8(key, "\uFFFD"), "\x00", "\uFFFD")
	if len(key) <= maxKey {
		return key
	}
	const digits = 16
	digest := harvest.Digest([]byte(key))
	return strings.ToValidUTF8(key[:maxKey-digits-1], "") + "~" + digest[len(digest)-digits:]
}

func (e Entry) itemKey(params json.RawMessage, identity []string, r Row) (string, error) {
	if r.Key != "" {
		return r.Key, nil
	}
	if e.Split == nil || e.Split.Key == "" {
		return units.Key(params, identity)
	}
	values, err := jsonObject(params)
	if err != nil {
		return "", fmt.Errorf("key of an item of %s: %w", e.Name, err)
	}
	if key := jsonText(values[e.Split.Key]); key != "" {
		return key, nil
	}
	return "", fmt.Errorf("key of an item of %s: split.key names %q, and the item has no such value", e.Name, e.Split.Key)
}

// Keep reports whether an item with this key is wanted: it matches one of Include, if
// there are any, and none of Exclude. A nil Split keeps everything.
func (s *Split) Keep(key string) bool {
	if s == nil {
		return true
	}
	fits := func(glob string) bool { return globMatch(glob, key) }
	return (len(s.Include) == 0 || slices.ContainsFunc(s.Include, fits)) && !slices.ContainsFunc(s.Exclude, fits)
}

// globMatch supports * (any text, also slashes, because keys are often addresses) and ?
// (one character).
func globMatch(glob, text string) bool {
	g, t := []rune(glob), []rune(text)
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(g) && g[i] == '*':
			star, mark = i, j
			i++
		case i < len(g) && (g[i] == '?' || g[i] == t[j]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(g) && g[i] == '*' {
		i++
	}
	return i == len(g)
}
