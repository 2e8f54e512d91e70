package harvest

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// Imply returns params merged over those that name implies (Implied), key by key: a former
// name may stand for a fetcher with some params. If name implies nothing, params are
// returned unchanged.
func (d Description) Imply(name string, params json.RawMessage) (json.RawMessage, error) {
	implied, ok := d.Implied[name]
	if !ok {
		return params, nil
	}
	merged := map[string]json.RawMessage{}
	if err := json.Unmarshal(implied, &merged); err != nil {
		return nil, Errorf(KindInternal, "read what the name implies", name, "%w", err)
	}
	over, err := paramspec.Object(params)
	if err != nil {
		return nil, fmt.Errorf("params %w", err)
	}
	maps.Copy(merged, over)
	return json.Marshal(merged)
}
