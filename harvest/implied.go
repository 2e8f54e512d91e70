package harvest

import (
	"encoding/json"
	"fmt"
	"maps"
)

// Imply returns params with those laid under them, key by key, that a fetcher's
// name stands for: a former name may have meant more than the fetcher. params
// come back as they are where the name implies nothing.
func (d Description) Imply(name string, params json.RawMessage) (json.RawMessage, error) {
	implied, ok := d.Implied[name]
	if !ok {
		return params, nil
	}
	merged := map[string]json.RawMessage{}
	if err := json.Unmarshal(implied, &merged); err != nil {
		return nil, Errorf(KindInternal, "read what the name implies", name, "%w", err)
	}
	over, err := object(params)
	if err != nil {
		return nil, fmt.Errorf("params %w", err)
	}
	maps.Copy(merged, over)
	return json.Marshal(merged)
}
