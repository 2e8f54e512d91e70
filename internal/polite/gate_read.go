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

// ask reads the robots.txt of an origin. If that fails, the last good one stays in
// force for some days; without one, the origin must not be asked (section 2.3.1.4). The
// error is of a request that was not sent, so it says nothing about the file.
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
			Err: fmt.Errorf("robots.txt cannot be read, so the site must not be asked: %w", e.Err), Advice: e.Advice,
		}}, nil
	}
}

// left reports whether the request was sent. If not, the host is paused or resting, and
// the next request finds out when that ends.
func left(e *harvest.Error) bool {
	return !e.Deferred && (e.Kind != harvest.KindThrottled || e.Status != 0)
}

// readRobots sends the request with the visitor's settings. Statuses mean what section
// 2.3.1 says; 429 is an error of the server, not a missing file.
func (r *roundTripper) readRobots(address *url.URL) (robots.Rules, error) {
	resp, err := r.robotsClient().Do(&http.Request{Method: http.MethodGet, URL: address, Host: address.Host, Header: http.Header{}})
	if err != nil {
		return robots.Rules{}, err
	}
	defer resp.Body.Close() // everything of interest was read
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

// fileOf returns the address of an origin's robots.txt. It is built from parts, because
// some URLs that parse do not parse again once printed.
func fileOf(at *url.URL) *url.URL {
	return &url.URL{Scheme: at.Scheme, Host: at.Host, Path: "/robots.txt"}
}

// robotsClient is the visitor's client without the check of robots.txt.
func (r *roundTripper) robotsClient() *http.Client {
	own := *r
	own.forRobots = true
	own.visitor.Timeout = min(own.visitor.Timeout, robotsTimeout)
	own.visitor.Waits = func(bool) {} // the caller counts as waiting already
	return &http.Client{Transport: &own, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if len(via) > robotsRedirects || circular(req, via) {
			return http.ErrUseLastResponse
		}
		return checkRedirect(req, via)
	}}
}
