package web

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// maxBody is a cap of our own, for clients that have none.
const maxBody = 64 << 20

const accept = "text/html, application/xhtml+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"

// fetched is what came from an address.
type fetched struct {
	answer.Answer
	lent bool // see free
}

// get asks for one page. Statuses of 400 and above, challenges and empty bodies are
// errors.
func (f *Fetcher) get(ctx context.Context, address string, known answer.Validators) (fetched, error) {
	into, _ := bodies.Get().(*[]byte)
	a, err := answer.Get(ctx, f.client, answer.Ask{
		Verb: "get", What: "page", Address: address, Header: http.Header{"Accept": {accept}}, Known: known, Most: maxBody, Into: *into,
	})
	switch {
	case a.Header.Get(mitigated) == "challenge":
		return fetched{}, challenged(&a, address)
	case err != nil:
		return fetched{}, err
	}
	if e := a.Refusal(); e != nil {
		if e.Kind == harvest.KindBlocked {
			e.Advice = adviceBlocked
		}
		return fetched{}, e
	}
	b := fetched{Answer: a, lent: true}
	switch {
	case a.NotModified:
		b.free()
	case a.Blank():
		return fetched{}, &harvest.Error{
			Kind: harvest.KindBroken, Op: "read page", On: address, Err: errors.New("the response is empty"), Advice: "open the address in a browser",
		}
	}
	return b, nil
}

// bodies holds buffers for bodies; each serves one response at a time. A buffer larger
// than maxLent is not reused.
var bodies = sync.Pool{New: func() any { return &[]byte{} }}

const maxLent = 1 << 20

// free gives the memory back: neither it nor a text that shares it may be used
// after it. One that is not freed keeps its own.
func (b *fetched) free() {
	if b.lent && cap(b.Body) <= maxLent {
		memory := b.Body[:0]
		bodies.Put(&memory)
	}
	b.Body, b.lent = nil, false
}

// mitigated is the header by which Cloudflare says that a challenge came, whatever
// the status.
const mitigated = "Cf-Mitigated"

func challenged(a *answer.Answer, address string) error {
	return &harvest.Error{
		Kind: harvest.KindBlocked, Op: "get", On: address, Status: a.Status, Err: errorText("a challenge page came in place of the page"),
		Advice: adviceBlocked, Evidence: a.Evidence(),
	}
}

const adviceBlocked = "the site does not want programs here: ask its owner for access, or for an address meant for programs"

// mediaType is the bare type of a body, "" where nothing is said.
func (b *fetched) mediaType() string {
	t, _, err := mime.ParseMediaType(b.ContentType())
	if err != nil {
		t, _, _ = strings.Cut(b.ContentType(), ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}

// isPage reports what is to be read as HTML; the bytes decide where nothing is
// said.
func (b *fetched) isPage() bool {
	switch t := b.mediaType(); {
	case t == "", t == "text/plain", t == "application/octet-stream":
		return bytes.HasPrefix(bytes.TrimSpace(b.Body[:min(len(b.Body), 512)]), []byte("<"))
	default:
		return strings.Contains(t, "html") || strings.Contains(t, "xml")
	}
}
