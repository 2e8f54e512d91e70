package source

import (
	"encoding/json"
	"slices"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/secrets"
)

// ResolveSecrets puts values in the place of references, for a fetch that this
// very process makes: those that a worker with the same settings would resolve.
// What was found is returned so that it can be masked.
func ResolveSecrets(p *program.Program, params json.RawMessage) (json.RawMessage, secrets.Found, error) {
	s, err := p.Settings()
	if err != nil {
		return nil, nil, err
	}
	r := secrets.Resolver{Getenv: p.Env.Getenv, Env: s.SecretEnv, Dirs: slices.Clone(s.SecretDirs)}
	for i, dir := range r.Dirs {
		r.Dirs[i] = p.Path(dir)
	}
	out, found, err := r.JSON(params)
	if err != nil {
		return nil, nil, program.Usage("%w", err)
	}
	return out, found, nil
}
