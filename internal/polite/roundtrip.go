package polite

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// roundTripper sends the requests of one visitor. All shared state is the Client's.
type roundTripper struct {
	client    *Client
	visitor   visit.Visitor
	agent     string
	forRobots bool         // asks for robots.txt itself
	begun     *atomic.Bool // a request was sent
	signIn    *signIn
	// skipsRobots: robots.txt is not for what it asks.
	skipsRobots bool
}

// terms returns the terms of the next request. Only the first request yields: a later
// one would leave a fetch half done.
func (r *roundTripper) terms() terms {
	return terms{priority: r.visitor.Priority, yields: r.visitor.Yields && !r.forRobots && !r.begun.Load()}
}

// RoundTrip checks robots.txt, waits for the rate limit, sends the request, and returns a
// response whose body is limited in size and time, decoded and recorded.
func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkRequest(req); err != nil {
		return nil, unsent(req, err)
	}
	resp, sent, err := r.exchange(req)
	if err != nil || !r.signIn.expired(req, resp, sent) {
		return resp, err
	}
	resp.Body.Close() // the token has expired, and the answer only says so
	again, err := repeat(req)
	if err != nil {
		return nil, err
	}
	resp, _, err = r.exchange(again)
	return resp, err
}

// exchange sends the request once, signed in if it may be, and returns the credential.
func (r *roundTripper) exchange(req *http.Request) (*http.Response, credential, error) {
	cred, err := r.signIn.of(r, req) // before the wait: it may need a request of its own
	if err != nil {
		return nil, cred, unsent(req, err)
	}
	permit, verdict, err := r.wait(req)
	if err != nil {
		return nil, cred, unsent(req, err)
	}
	x := r.begin(req, permit, verdict)
	resp, err := x.send(r.agent, cred)
	if err != nil {
		return nil, cred, x.fail(x.explain(err))
	}
	resp, err = x.answer(resp)
	return resp, cred, err
}

// wait checks robots.txt and waits for the rate limit.
func (r *roundTripper) wait(req *http.Request) (t *permit, verdict string, err error) {
	r.visitor.Waits(true)
	defer r.visitor.Waits(false)
	if verdict, err = r.pass(req); err != nil {
		return nil, "", err
	}
	if t, err = r.client.limiter.enter(req.Context(), Host(req.URL), r.terms()); err != nil {
		return nil, "", refused(req, err)
	}
	if err = r.spend(req); err != nil {
		t.end()
		return nil, "", err
	}
	r.begun.Store(true)
	return t, verdict, nil
}

// spend asks the visitor whether it may make one more request.
func (r *roundTripper) spend(req *http.Request) error {
	if r.visitor.Spend == nil || r.forRobots {
		return nil
	}
	err := r.visitor.Spend(req.Context())
	if e, ok := errors.AsType[*harvest.Error](err); ok {
		return &harvest.Error{Kind: e.Kind, Op: verb(req), On: req.URL.String(), Err: err, RetryAfter: e.RetryAfter}
	}
	return err
}

// CloseIdleConnections makes http.Client.CloseIdleConnections work like Client.Close.
func (r *roundTripper) CloseIdleConnections() { r.client.Close() }

// checkRequest refuses requests that no server could receive. If a redirect led to the
// address, the source is at fault, otherwise the campaign file.
func checkRequest(req *http.Request) error {
	kind := harvest.KindMisconfigured
	if req.Response != nil {
		kind = harvest.KindBroken
	}
	switch {
	case req.URL.Scheme != "http" && req.URL.Scheme != "https":
		return harvest.Errorf(kind, verb(req), req.URL.String(), "scheme %q is not http or https", req.URL.Scheme)
	case req.URL.Hostname() == "":
		return harvest.Errorf(kind, verb(req), req.URL.String(), "the address has no host")
	default:
		return nil
	}
}

// unsent closes the body of a request that was not sent, as RoundTrip must.
func unsent(req *http.Request, err error) error {
	if req.Body != nil {
		req.Body.Close() // nothing was sent
	}
	return err
}

// refused explains why a request did not get its permit.
func refused(req *http.Request, err error) error {
	e := &harvest.Error{Kind: harvest.KindThrottled, Op: verb(req), On: req.URL.String(), Err: err}
	if r, ok := errors.AsType[*refusal](err); ok {
		e.RetryAfter, e.Deferred = r.rest, r.deferred
		if r.all {
			e.Resting = Host(req.URL)
		}
		return e
	}
	e.Kind, e.Err = stopped(req.Context())
	e.Err = fmt.Errorf("while waiting for the rate limit of the host: %w", e.Err)
	return e
}

// badLocation reports a redirect without a usable address, or nil.
func badLocation(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		return fmt.Errorf("a redirect (%d) without an address", resp.StatusCode)
	}
	if _, err := url.Parse(location); err != nil {
		return fmt.Errorf("a redirect (%d) to an invalid address", resp.StatusCode)
	}
	return nil
}
