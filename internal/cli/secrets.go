package cli

import (
	"encoding/json"
	"os"

	"github.com/vendemmia/vendemmia/internal/secrets"
)

// resolveSecrets puts values in the place of references, for a fetch that this
// very process makes. The values are returned so that they can be masked.
func (p *program) resolveSecrets(params json.RawMessage) (json.RawMessage, []string, error) {
	r := secrets.Resolver{Getenv: p.env.Getenv, ReadFile: func(name string) ([]byte, error) { return os.ReadFile(p.path(name)) }}
	out, values, err := r.JSON(params)
	if err != nil {
		return nil, nil, usage("%w", err)
	}
	return out, values, nil
}
