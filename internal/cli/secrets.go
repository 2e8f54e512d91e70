package cli

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"strings"
)

// secretRef is a reference to a secret inside a text: ${secret:env:NAME} or
// ${secret:file:PATH}.
var secretRef = regexp.MustCompile(`\$\{secret:(env|file):([^}]+)\}`)

// resolveSecrets puts values in the place of references, for a fetch made by
// this very process. They are never printed.
func (p *program) resolveSecrets(_ context.Context, params json.RawMessage) (json.RawMessage, error) {
	if !strings.Contains(string(params), "${secret:") {
		return params, nil
	}
	var v any
	if err := json.Unmarshal(params, &v); err != nil {
		return nil, usage("params: %w", err)
	}
	resolved, err := p.resolve(v)
	if err != nil {
		return nil, err
	}
	return json.Marshal(resolved)
}

func (p *program) resolve(v any) (out any, err error) {
	switch v := v.(type) {
	case string:
		return p.resolveText(v)
	case []any:
		for i := range v {
			if v[i], err = p.resolve(v[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = p.resolve(v[k]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func (p *program) resolveText(text string) (string, error) {
	var failed error
	out := secretRef.ReplaceAllStringFunc(text, func(ref string) string {
		m := secretRef.FindStringSubmatch(ref)
		value, err := p.secret(m[1], m[2])
		if err != nil && failed == nil {
			failed = err
		}
		return value
	})
	if failed == nil && strings.Contains(out, "${secret:") && strings.Contains(text, "${secret:") && !secretRef.MatchString(text) {
		failed = usage("a secret is written ${secret:env:NAME} or ${secret:file:PATH}")
	}
	return out, failed
}

func (p *program) secret(from, name string) (string, error) {
	if from == "env" {
		if v := p.env.Getenv(name); v != "" {
			return v, nil
		}
		return "", usage("secret env:%s: the variable is not set here; export it and repeat", name)
	}
	b, err := os.ReadFile(p.path(name))
	if err != nil {
		return "", usage("secret file: %w", err)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}
