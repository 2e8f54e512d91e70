package feed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxBody is a cap of our own, for clients that have none.
	maxBody = 64 << 20
	// maxErrorBody is what is read of an error's page to see what it is.
	maxErrorBody = 64 << 10
)

const accept = "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, " +
	"application/xml;q=0.9, text/xml;q=0.9, application/json;q=0.8, */*;q=0.5"

// answer is one document as it came.
type answer struct {
	body         []byte
	contentType  string
	etag         string
	lastModified string
	notModified  bool
	// final is where the body came from; moved is where permanent redirects
	// alone led, "" when there were none.
	final *url.URL
	moved string
	// short: the body broke off before its end.
	short bool
}

// get asks for one document. Statuses of 400 and above, challenge pages and
// empty bodies are errors.
func (f *Fetcher) get(ctx context.Context, address, etag, lastModified string) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return answer{}, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "get", On: address, Err: errors.New("it is no address")}
	}
	req.Header.Set("Accept", accept)
	setUnlessEmpty(req.Header, "If-None-Match", etag)
	setUnlessEmpty(req.Header, "If-Modified-Since", lastModified)
	resp, err := f.client.Do(req)
	if err != nil {
		return answer{}, harvest.TransportError("get", address, err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	a := answer{
		contentType: resp.Header.Get("Content-Type"), etag: resp.Header.Get("ETag"),
		lastModified: resp.Header.Get("Last-Modified"), final: resp.Request.URL, moved: movedTo(resp),
	}
	if resp.StatusCode == http.StatusNotModified && etag+lastModified != "" {
		a.notModified = true
		return a, nil
	}
	if err := checkStatus(resp, address); err != nil {
		return answer{}, err
	}
	err = a.read(resp.Body, address)
	return a, err
}

func setUnlessEmpty(h http.Header, key, value string) {
	if value != "" {
		h.Set(key, value)
	}
}

// read takes the body. One that is cut short is an error beside what came.
func (a *answer) read(body io.Reader, address string) error {
	var err error
	a.body, err = io.ReadAll(io.LimitReader(body, maxBody+1))
	switch {
	case err != nil:
		a.short = true
		return harvest.TransportError("read feed", address, err)
	case len(a.body) > maxBody:
		return harvest.Errorf(harvest.KindBroken, "read feed", address, "it is longer than %d MiB", maxBody>>20)
	case len(bytes.TrimSpace(a.body)) == 0:
		return &harvest.Error{
			Kind: harvest.KindBroken, Op: "read feed", On: address, Err: errors.New("the answer is empty"),
			Advice: "a feed without entries would still have its frame; look at the address in a browser",
		}
	}
	return nil
}

// checkStatus turns what is no 200 into an error, with what a person can do.
func checkStatus(resp *http.Response, address string) error {
	status := resp.StatusCode
	if status == http.StatusOK || status == http.StatusNonAuthoritativeInfo {
		return nil
	}
	if status < 400 {
		return &harvest.Error{Kind: harvest.KindBroken, Op: "get", On: address, Status: status, Err: errors.New("HTTP status " + resp.Status)}
	}
	page, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody)) // only looked at: what came is enough
	e := harvest.AsError(harvest.StatusError("get", address, status, resp.Header.Get("Retry-After"), time.Now()))
	switch {
	case status == http.StatusGone:
		e.Advice = "the source says the feed is gone for good: remove it, or give its new address"
	case status == http.StatusNotFound:
		e.Advice = "starter probe on the site's front page finds the feeds it names"
	case e.Kind == harvest.KindBlocked, status == http.StatusServiceUnavailable && isChallenge(page):
		e.Kind, e.Advice, e.Evidence = harvest.KindBlocked, adviceBlocked, page
	}
	return e
}

const adviceBlocked = "the site does not want programs here: ask its owner, or look for another address of the feed"

// movedTo returns where the permanent redirects before the first other one led.
func movedTo(resp *http.Response) string {
	var hops []*http.Request
	for r := resp.Request; r != nil; r = before(r) {
		hops = append(hops, r)
	}
	moved := ""
	for i := len(hops) - 2; i >= 0; i-- { // hops[len-1] is what we asked
		code := hops[i].Response.StatusCode
		if code != http.StatusMovedPermanently && code != http.StatusPermanentRedirect {
			break
		}
		moved = hops[i].URL.String()
	}
	return moved
}

// before returns the request that was redirected to r.
func before(r *http.Request) *http.Request {
	if r.Response == nil {
		return nil
	}
	return r.Response.Request
}
