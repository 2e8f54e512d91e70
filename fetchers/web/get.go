package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxBody is a cap of our own, for clients that have none.
	maxBody = 64 << 20
	// maxErrorBody is what is read of an error's page to see what it is.
	maxErrorBody = 64 << 10
	// maxEvidence of an answer is kept for people to look at.
	maxEvidence = 64 << 10
)

const accept = "text/html, application/xhtml+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"

// validators are what a page is asked for again by.
type validators struct{ etag, lastModified string }

// answer is one body as it came.
type answer struct {
	validators
	body        []byte
	lent        *bytes.Buffer // what body is in; see free
	contentType string
	notModified bool
	// final is where the body came from.
	final *url.URL
}

// get asks for one page. Statuses of 400 and above and empty bodies are errors.
func (f *Fetcher) get(ctx context.Context, address string, known validators) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return answer{}, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "get", On: address, Err: errors.New("it is no address")}
	}
	req.Header.Set("Accept", accept)
	if known.etag != "" {
		req.Header.Set("If-None-Match", known.etag)
	}
	if known.lastModified != "" {
		req.Header.Set("If-Modified-Since", known.lastModified)
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return answer{}, harvest.TransportError("get", address, err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	a := answer{
		validators:  validators{resp.Header.Get("ETag"), resp.Header.Get("Last-Modified")},
		contentType: resp.Header.Get("Content-Type"), final: resp.Request.URL,
	}
	if resp.Header.Get(mitigated) == "challenge" {
		return answer{}, challenged(resp, address)
	}
	if resp.StatusCode == http.StatusNotModified && known != (validators{}) {
		a.notModified = true
		return a, nil
	}
	if err := checkStatus(resp, address); err != nil {
		return answer{}, err
	}
	return a, a.read(resp, address)
}

func (a *answer) read(resp *http.Response, address string) error {
	b, _ := bodies.Get().(*bytes.Buffer)
	b.Grow(int(min(max(resp.ContentLength, 4<<10), maxLent)) + bytes.MinRead)
	_, err := b.ReadFrom(io.LimitReader(resp.Body, maxBody+1))
	a.body, a.lent = b.Bytes(), b
	switch {
	case err != nil:
		return harvest.TransportError("read page", address, err)
	case len(a.body) > maxBody:
		return harvest.Errorf(harvest.KindBroken, "read page", address, "it is longer than %d MiB", maxBody>>20)
	case len(bytes.TrimSpace(a.body)) == 0:
		return &harvest.Error{
			Kind: harvest.KindBroken, Op: "read page", On: address, Err: errors.New("the answer is empty"),
			Advice: "look at the address in a browser",
		}
	}
	return nil
}

// bodies are lent to one answer at a time; maxLent of memory is taken back.
//
//nolint:gochecknoglobals // memory to be used again, without any meaning
var bodies = sync.Pool{New: func() any { return &bytes.Buffer{} }}

const maxLent = 1 << 20

// free gives the body back: neither it nor a text that shares its memory may be
// used after it. An answer that is not freed keeps its own.
func (a *answer) free() {
	if a.lent != nil && a.lent.Cap() <= maxLent {
		a.lent.Reset()
		bodies.Put(a.lent)
	}
	a.body, a.lent = nil, nil
}

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
	if e.Kind == harvest.KindBlocked || status == http.StatusServiceUnavailable && e.RetryAfter == 0 && challenge(string(page)) != "" {
		e.Kind, e.Advice, e.Evidence = harvest.KindBlocked, adviceBlocked, page
	}
	return e
}

// mitigated is the header by which Cloudflare says that a challenge came, whatever
// the status.
const mitigated = "Cf-Mitigated"

func challenged(resp *http.Response, address string) error {
	page, _ := io.ReadAll(io.LimitReader(resp.Body, maxEvidence)) // only looked at: what came is enough
	return &harvest.Error{
		Kind: harvest.KindBlocked, Op: "get", On: address, Status: resp.StatusCode, Err: errorText("a challenge page came in place of the page"),
		Advice: adviceBlocked, Evidence: page,
	}
}

const adviceBlocked = "the site does not want programs here: ask its owner for access, or for an address meant for programs"

// mediaType is the bare type of a body, "" where nothing is said.
func (a *answer) mediaType() string {
	t, _, err := mime.ParseMediaType(a.contentType)
	if err != nil {
		t, _, _ = strings.Cut(a.contentType, ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}

// isPage reports what is to be read as HTML; the bytes decide where nothing is
// said.
func (a *answer) isPage() bool {
	switch t := a.mediaType(); {
	case t == "", t == "text/plain", t == "application/octet-stream":
		return bytes.HasPrefix(bytes.TrimSpace(a.body[:min(len(a.body), 512)]), []byte("<"))
	default:
		return strings.Contains(t, "html") || strings.Contains(t, "xml")
	}
}

func (a *answer) evidence() []byte { return bytes.Clone(a.body[:min(len(a.body), maxEvidence)]) }
