package api

import (
	"context"
	"errors"
	"net/url"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/vendemmia/vendemmia/harvest"
)

// token is what a grant gave; it lives as long as the fetch.
type token struct {
	text  string
	valid func() bool
}

// renew gets a token where there is none that is valid.
func (r *reading) renew() error {
	if r.token != nil && r.token.valid() {
		return nil
	}
	o := r.plan.OAuth2
	c := clientcredentials.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, TokenURL: o.AccessTokenURL, Scopes: o.Scopes, EndpointParams: url.Values{}}
	for name, value := range o.Endpoint {
		c.EndpointParams.Set(name, value)
	}
	t, err := c.Token(context.WithValue(r.ctx, oauth2.HTTPClient, r.client))
	if err != nil {
		return r.denied(err)
	}
	r.token = &token{text: t.AccessToken, valid: t.Valid}
	return nil
}

// denied gives the error of a grant its kind. What the server wrote is not repeated: it
// may hold what was sent.
func (r *reading) denied(err error) error {
	const op = "get token"
	at := r.plan.OAuth2.AccessTokenURL
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case !ok:
		return harvest.TransportError(op, at, unwrap(err))
	case refused.Response == nil:
		return harvest.Errorf(harvest.KindBroken, op, at, "the answer has no token")
	}
	status := refused.Response.StatusCode
	e := harvest.AsError(harvest.StatusError(op, at, status, refused.Response.Header.Get("Retry-After"), r.now()))
	if e == nil {
		return harvest.Errorf(harvest.KindBroken, op, at, "the answer has no token")
	}
	if status == 400 || status == 401 || status == 403 {
		e.Kind = harvest.KindMisconfigured
		e.Advice = "the server does not accept what oauth2.client_id and oauth2.client_secret refer to"
	}
	return e
}

// unwrap takes off an *url.Error, whose kind harvest knows.
func unwrap(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u
	}
	return harvest.Errorf(harvest.KindBroken, "get token", "", "%w", err)
}
