package polite

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/polite/robots"
)

// ask reads an origin's robots.txt. When none can be had, the last good one
// serves for some days; without one, nothing may be asked (section 2.3.1.4). The
// error is of a request that did not leave, which says nothing about the file.
func (r *roundTripper) ask(at *url.URL, last *posted) (*posted, error) {
	now, host, address := time.Now(), Host(at), fileOf(at)
	usable := last != nil && last.failure == nil && now.Sub(last.read) < robotsPatience
	rules, err := r.readRobots(address)
	if err == nil {
		return &posted{host: host, rules: rules, read: now, until: now.Add(robotsFor)}, nil
	}
	e := harvest.AsError(err)
	again := now.Add(max(robotsAgain, min(e.RetryAfter, robotsFor)))
	switch {
	case usable:
		return &posted{host: host, rules: last.rules, read: last.read, until: again}, nil
	case !left(e):
		return nil, e
	default:
		return &posted{host: host, until: again, failure: &harvest.Error{
			Kind: e.Kind, Op: "get", On: address.String(), Status: e.Status, RetryAfter: again.Sub(now),
			Err: fmt.Errorf("while it cannot be had nothing else may be asked: %w", e.Err), Advice: e.Advice,
		}}, nil
	}
}

// left: the host was asked; else it is paused, or rests, and the next request will
// see when that is over.
func left(e *harvest.Error) bool {
	return !e.Deferred && (e.Kind != harvest.KindThrottled || e.Status != 0)
}

// readRobots asks as the visitor would. Statuses mean what section 2.3.1 says;
// 429 is a server in trouble, not an absent file.
func (r *roundTripper) readRobots(address *url.URL) (robots.Rules, error) {
	resp, err := r.robotsClient().Do(&http.Request{Method: http.MethodGet, URL: address, Host: address.Host, Header: http.Header{}})
	if err != nil {
		return robots.Rules{}, err
	}
	defer resp.Body.Close() // what matters of it was read
	switch status := resp.StatusCode; {
	case status == http.StatusTooManyRequests || status >= 500:
		return robots.Rules{}, harvest.StatusError("get", address.String(), status, resp.Header.Get("Retry-After"), time.Now())
	case status < 200 || status > 299:
		return robots.Rules{}, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, min(robots.MaxSize+1, r.client.settings.MaxBody)))
	if err != nil {
		return robots.Rules{}, err
	}
	return robots.Parse(body).For(r.client.settings.Product), nil
}

// fileOf is where an origin's robots.txt is. It is made of parts and never parsed:
// not every address that can be parsed can be written so that it can be again.
func fileOf(at *url.URL) *url.URL {
	return &url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/robots.txt"}
}

// robotsClient is the visitor's own, which passes the gate itself.
func (r *roundTripper) robotsClient() *http.Client {
	own := *r
	own.forRobots = true
	own.visitor.Timeout = min(own.visitor.Timeout, robotsTimeout)
	own.visitor.Waits = func(bool) {} // who asked waits all along
	return &http.Client{Transport: &own, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > robotsRedirects || circular(req, via) {
			return http.ErrUseLastResponse
		}
		return checkRedirect(req, via)
	}}
}
