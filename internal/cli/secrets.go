package cli

import (
	"encoding/json"
	"slices"

	"github.com/vendemmia/vendemmia/internal/secrets"
)

// resolveSecrets puts values in the place of references, for a fetch that this
// very process makes: those that a worker with the same settings would resolve.
// What was found is returned so that it can be masked.
func (p *program) resolveSecrets(params json.RawMessage) (json.RawMessage, secrets.Found, error) {
	s, err := p.settings()
	if err != nil {
		return nil, nil, err
	}
	r := secrets.Resolver{Getenv: p.env.Getenv, Env: s.SecretEnv, Dirs: slices.Clone(s.SecretDirs)}
	for i, dir := range r.Dirs {
		r.Dirs[i] = p.path(dir)
	}
	out, found, err := r.JSON(params)
	if err != nil {
		return nil, nil, usage("%w", err)
	}
	return out, found, nil
}
