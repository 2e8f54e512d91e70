package polite

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"

	"github.com/vendemmia/vendemmia/harvest"
)

// roundTripper is one visitor's way out; all state is the Client's.
type roundTripper struct {
	client    *Client
	visitor   harvest.Visitor
	agent     string
	forRobots bool         // asks for robots.txt itself
	begun     *atomic.Bool // a request has left
}

// visit is the next request's; only the first one yields: later ones would leave
// what is begun undone.
func (r *roundTripper) visit() visit {
	return visit{priority: r.visitor.Priority, yields: r.visitor.Yields && !r.forRobots && !r.begun.Load()}
}

// RoundTrip sees what robots.txt says, waits for the host's turn, asks, and returns an answer whose body
// is capped, decoded, timed and booked.
func (r *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkRequest(req); err != nil {
		return nil, unsent(req, err)
	}
	turn, verdict, err := r.wait(req)
	if err != nil {
		return nil, unsent(req, err)
	}
	x := r.begin(req, turn, verdict)
	resp, err := r.client.transport.RoundTrip(x.outgoing(r.agent))
	if err != nil {
		return nil, x.fail(x.explain(err))
	}
	return x.answer(resp)
}

// wait sees what robots.txt says and waits for the host's turn.
func (r *roundTripper) wait(req *http.Request) (t *turn, verdict string, err error) {
	r.visitor.Waits(true)
	defer r.visitor.Waits(false)
	if verdict, err = r.pass(req); err != nil {
		return nil, "", err
	}
	if t, err = r.client.turns.enter(req.Context(), Host(req.URL), r.visit()); err != nil {
		return nil, "", refused(req, err)
	}
	r.begun.Store(true)
	return t, verdict, nil
}

// CloseIdleConnections lets http.Client do what Client.Close does.
func (r *roundTripper) CloseIdleConnections() { r.client.Close() }

// checkRequest refuses what no server could be asked. An address that a
// redirect led to is the source's fault, any other the file's.
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

// unsent closes the body of a request that never left, as RoundTrip must.
func unsent(req *http.Request, err error) error {
	if req.Body != nil {
		req.Body.Close() //nolint:errcheck // nothing was sent
	}
	return err
}

// refused explains why the host's turn was not had.
func refused(req *http.Request, err error) error {
	e := &harvest.Error{Kind: harvest.KindThrottled, Op: verb(req), On: req.URL.String(), Err: err}
	if r, ok := errors.AsType[*refusal](err); ok {
		e.RetryAfter, e.Held = r.rest, r.held
		return e
	}
	e.Kind, e.Err = stopped(req.Context())
	e.Err = fmt.Errorf("while waiting for the host's turn: %w", e.Err)
	return e
}

// badLocation reports a redirect that leads nowhere, or nil.
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
		return fmt.Errorf("a redirect (%d) to something that is no address", resp.StatusCode)
	}
	return nil
}
