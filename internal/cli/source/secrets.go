package source

import (
	"encoding/json"

	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// ResolveSecrets puts values in the place of references, for a fetch that this
// very process makes: those that a worker with the same settings would resolve.
// What was found is returned so that it can be masked.
func ResolveSecrets(p *program.Program, params json.RawMessage) (json.RawMessage, secrets.Found, error) {
	r, err := resolver(p)
	if err != nil {
		return nil, nil, err
	}
	out, found, err := r.JSON(params)
	if err != nil {
		return nil, nil, program.Usage("%w", err)
	}
	return out, found, nil
}

// ResolveAuth is ResolveSecrets for a sign-in.
func ResolveAuth(p *program.Program, a *visit.Auth) (*visit.Auth, secrets.Found, error) {
	r, err := resolver(p)
	if err != nil {
		return nil, nil, err
	}
	out, found, err := r.Auth(a)
	if err != nil {
		return nil, nil, program.Usage("%w", err)
	}
	return out, found, nil
}

// resolver resolves what a worker with the same settings would.
func resolver(p *program.Program) (secrets.Resolver, error) {
	s, err := p.Settings()
	if err != nil {
		return secrets.Resolver{}, err
	}
	return p.Secrets(s), nil
}
