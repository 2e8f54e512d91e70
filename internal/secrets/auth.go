package secrets

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Auth returns the sign-in of a definition with values in place of references, and what
// is to be masked. nil stays nil. A value that no header can carry is a
// KindMisconfigured error that names its reference.
func (r Resolver) Auth(a *visit.Auth) (*visit.Auth, Found, error) {
	if a == nil {
		return nil, nil, nil
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return nil, nil, fmt.Errorf("resolve auth: %w", err)
	}
	raw, found, err := r.JSON(raw)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range found {
		if strings.ContainsFunc(s.Value, unicode.IsControl) {
			return nil, nil, harvest.Errorf(harvest.KindMisconfigured, "resolve secret", "", "%s has a line break or another control character, which no header can carry", s.Ref)
		}
	}
	out := &visit.Auth{}
	if err := json.Unmarshal(raw, out); err != nil {
		return nil, nil, fmt.Errorf("resolve auth: %w", err)
	}
	return out, append(found, sent(out)...), nil
}

// sent is what a source can repeat that is no value itself: its reference works inside
// Mask only.
func sent(a *visit.Auth) Found {
	pair := func(user, password string) Found {
		return Found{{Ref: "${secret:auth:basic}", Value: base64.StdEncoding.EncodeToString([]byte(user + ":" + password))}}
	}
	switch {
	case a.Basic != nil:
		return pair(a.Basic.User, a.Basic.Password)
	case a.OAuth2 != nil: // RFC 6749, 2.3.1
		return pair(url.QueryEscape(a.OAuth2.ClientID), url.QueryEscape(a.OAuth2.ClientSecret))
	default:
		return nil
	}
}
