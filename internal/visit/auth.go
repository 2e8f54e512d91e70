package visit

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/challenge"
	"github.com/vendemmia/vendemmia/internal/references"
)

// Auth is how a source is signed in to: one of Basic, Bearer, Header and OAuth2. In a
// definition its secrets are references; only the process that asks has their values.
type Auth struct {
	Basic  *Basic  `json:"basic,omitempty"`
	Bearer string  `json:"bearer,omitempty"`
	Header *Header `json:"header,omitempty"`
	OAuth2 *OAuth2 `json:"oauth2,omitempty"`
	// To lists the origins (https://host, with the port if it is not the usual one) that
	// may receive it. No other ever does.
	To []string `json:"to,omitempty"`
}

// Basic is a user and a password (RFC 7617).
type Basic struct {
	User     string `json:"user"`
	Password string `json:"password"`
}

// Header is a header of the source's own.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// OAuth2 is a grant of client credentials (RFC 6749, section 4.4).
type OAuth2 struct {
	AccessTokenURL string            `json:"access_token_url"`
	ClientID       string            `json:"client_id"`
	ClientSecret   string            `json:"client_secret"`
	Scopes         []string          `json:"scopes,omitempty"`
	EndpointParams map[string]string `json:"endpoint_params,omitempty"`
}

// GetToken is the Op of errors of a request for a token.
const GetToken = "get token"

// References lists the references to secrets of a definition's Auth.
func (a *Auth) References() (list []string) {
	if a == nil {
		return nil
	}
	texts := []string{a.Bearer}
	if a.Basic != nil {
		texts = append(texts, a.Basic.User, a.Basic.Password)
	}
	if a.Header != nil {
		texts = append(texts, a.Header.Value)
	}
	if a.OAuth2 != nil {
		texts = append(texts, a.OAuth2.ClientID, a.OAuth2.ClientSecret)
	}
	for _, text := range texts {
		references.Replace(text, func(_ int, ref string) string { list = append(list, ref); return "" })
	}
	return list
}

// Explain makes a refusal of the source (401, and 403 without a challenge page) a
// KindMisconfigured error that names the references of a definition's Auth. Other errors
// are returned unchanged, and all errors if a is nil.
func (a *Auth) Explain(err error) error {
	e, ok := errors.AsType[*harvest.Error](err)
	if a == nil || !ok || !refuses(e) {
		return err
	}
	out := *e
	out.Kind = harvest.KindMisconfigured
	out.Advice = fmt.Sprintf("the source does not accept what %s refers to (auth, sent to %s): it is wrong, has expired, or lacks a right",
		strings.Join(a.References(), " and "), strings.Join(a.To, ", "))
	return &out
}

func refuses(e *harvest.Error) bool {
	switch {
	case e.Op == GetToken:
		return e.Kind == harvest.KindMisconfigured
	case e.Status == 401:
		return e.Kind == harvest.KindBlocked || e.Kind == harvest.KindMisconfigured
	case e.Status == 403:
		return e.Kind == harvest.KindBlocked && !challenge.Is(e.Evidence)
	default:
		return false
	}
}

// Origin writes the origin of an http address as Auth.To does; "" for other texts.
func Origin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return ""
	}
	usual := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	host := strings.ToLower(u.Host)
	return u.Scheme + "://" + strings.TrimSuffix(host, ":"+usual)
}

// WithOrigins returns a copy that only the origins of these addresses receive.
func (a *Auth) WithOrigins(addresses []string) *Auth {
	if a == nil {
		return nil
	}
	out := *a
	out.To = nil
	for _, address := range addresses {
		if o := Origin(address); o != "" && !slices.Contains(out.To, o) {
			out.To = append(out.To, o)
		}
	}
	slices.Sort(out.To)
	return &out
}
