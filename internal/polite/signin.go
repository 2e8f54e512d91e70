package polite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// signIn adds the visit.Auth of a visitor to its requests. A nil signIn adds nothing.
// The header is set on the copy that is sent, so that net/http never carries it along a
// redirect.
type signIn struct {
	auth visit.Auth
	to   []*url.URL

	mu    sync.Mutex
	token *oauth2.Token // of client credentials; it lives as long as the visitor
}

func newSignIn(a *visit.Auth) *signIn {
	if a == nil {
		return nil
	}
	s := &signIn{auth: *a}
	for _, origin := range a.To {
		if u, err := url.Parse(origin); err == nil {
			s.to = append(s.to, u)
		}
	}
	return s
}

// credential is a header that signs a request in; the zero one signs nothing in.
type credential struct{ name, value string }

// of returns the credential for a request of r, after a request for a token where that
// is needed.
func (s *signIn) of(r *roundTripper, req *http.Request) (credential, error) {
	if s == nil || !s.may(req) {
		return credential{}, nil
	}
	const usual = "Authorization"
	switch a := s.auth; {
	case a.Basic != nil:
		basic := http.Request{Header: http.Header{}}
		basic.SetBasicAuth(a.Basic.User, a.Basic.Password)
		return credential{usual, basic.Header.Get(usual)}, nil
	case a.Bearer != "":
		return credential{usual, "Bearer " + a.Bearer}, nil
	case a.Header != nil:
		return credential{a.Header.Name, a.Header.Value}, nil
	case a.OAuth2 != nil:
		token, err := s.grant(r, req)
		return credential{usual, "Bearer " + token}, err
	default:
		return credential{}, nil
	}
}

// may reports whether a request may be signed in: it goes to one of the origins, as did
// all requests whose redirects led to it, and none of them was encrypted if it is not.
func (s *signIn) may(req *http.Request) bool {
	for r := req; ; r = r.Response.Request {
		if !slices.ContainsFunc(s.to, func(o *url.URL) bool { return sameOrigin(o, r.URL) }) || req.URL.Scheme == "http" && r.URL.Scheme == "https" {
			return false
		}
		if r.Response == nil || r.Response.Request == nil {
			return true
		}
	}
}

// grant returns a token that is valid as far as is known.
func (s *signIn) grant(r *roundTripper, req *http.Request) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token.Valid() {
		return s.token.AccessToken, nil
	}
	o := s.auth.OAuth2
	c := clientcredentials.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, TokenURL: o.AccessTokenURL, Scopes: o.Scopes, EndpointParams: url.Values{}}
	for name, value := range o.EndpointParams {
		c.EndpointParams.Set(name, value)
	}
	token, err := c.Token(context.WithValue(req.Context(), oauth2.HTTPClient, r.tokenClient()))
	if err != nil {
		return "", denied(o.AccessTokenURL, err)
	}
	if r.visitor.Granted != nil {
		r.visitor.Granted(token.AccessToken)
	}
	s.token = token
	return token.AccessToken, nil
}

// tokenClient is the visitor's client without the sign-in, and without robots.txt, which
// is not for an interface.
func (r *roundTripper) tokenClient() *http.Client {
	own := *r
	own.signIn, own.skipsRobots = nil, true
	own.visitor.Waits = func(bool) {} // the caller counts as waiting already
	return &http.Client{Transport: &own, CheckRedirect: checkRedirect}
}

// expired forgets a token that was refused and reports whether the request can be sent
// again with another one.
func (s *signIn) expired(req *http.Request, resp *http.Response, sent credential) bool {
	if s == nil || s.auth.OAuth2 == nil || resp.StatusCode != http.StatusUnauthorized || sent == (credential{}) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.token != nil && "Bearer "+s.token.AccessToken == sent.value {
		s.token = nil
	}
	return req.Body == nil || req.Body == http.NoBody || req.GetBody != nil
}

// repeat returns the request with its body once more.
func repeat(req *http.Request) (*http.Request, error) {
	if req.GetBody == nil {
		return req, nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil, fmt.Errorf("send the request again: %w", err)
	}
	again := *req
	again.Body = body
	return &again, nil
}

// denied gives the error of a grant its kind. What the server wrote is not repeated: it
// may contain what was sent.
func denied(at string, err error) error {
	const op = visit.GetToken
	if e, ok := errors.AsType[*harvest.Error](err); ok {
		return e
	}
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || refused.Response == nil || refused.Response.StatusCode < 400 {
		return harvest.Errorf(harvest.KindBroken, op, at, "the answer has no token")
	}
	status := refused.Response.StatusCode
	e := harvest.AsError(harvest.StatusError(op, at, status, refused.Response.Header.Get("Retry-After"), time.Now()))
	if e.Status = 0; status == 400 || status == 401 || status == 403 { // 0: it is not that of the source
		e.Kind = harvest.KindMisconfigured
	}
	return e
}
