// Package answer sends one request over HTTP and classifies the response for all
// fetchers: statuses, bodies, and pages in place of the real one. Fetchers decide what
// a document must look like.
package answer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/challenge"
)

// MaxEvidence is how much of a response is kept for people to look at, and how much of
// an error page is read.
const MaxEvidence = 64 << 10

// believed is how much memory is reserved because of an announced length.
const believed = 1 << 20

// MaxAddress and MaxValidator bound what checkpoints remember of an answer: a longer
// address is not moved to, and a longer validator not sent.
const (
	MaxAddress   = 4 << 10
	MaxValidator = 1 << 10
)

// Validators make the next request conditional. They are kept as received.
type Validators struct{ ETag, LastModified string }

// Ask is one request.
type Ask struct {
	// Verb and What are the words of errors: "get" and "feed" for "get …: HTTP
	// status 500" and "read feed …: it is longer than 64 MiB".
	Verb, What string
	Address    string
	// Method is GET when it is empty; Send is the body of other methods.
	Method string
	Send   []byte
	Header http.Header
	Known  Validators
	// Most limits the body in bytes, for clients without a limit.
	Most int64
	// Into is memory to reuse for the body; may be nil.
	Into []byte
}

// Answer is one response.
type Answer struct {
	Validators
	Status int
	Header http.Header
	Body   []byte
	// Final is where the body came from. Moved is where permanent redirects alone led,
	// "" if there were none.
	Final *url.URL
	Moved string
	// NotModified: the validators still match, so there is no body.
	NotModified bool
	// Short: the body was cut off. Uncompressed: the transport decompressed it.
	Short, Uncompressed bool

	ask   Ask
	lease *lease
}

// Get sends the request. It does not interpret the status, see Refusal; of an error
// page it reads at most MaxEvidence. A body that is cut off or longer than ask.Most is
// an error beside the answer.
func Get(ctx context.Context, client *http.Client, ask Ask) (Answer, error) {
	a := Answer{ask: ask}
	req, err := http.NewRequestWithContext(ctx, cmp.Or(ask.Method, http.MethodGet), ask.Address, ask.body())
	if err != nil {
		return a, &harvest.Error{Kind: harvest.KindMisconfigured, Op: ask.Verb, On: ask.Address, Err: errors.New("it is not an address")}
	}
	ask.header(req.Header)
	resp, err := client.Do(req)
	if err != nil {
		return a, harvest.TransportError(ask.Verb, ask.Address, err)
	}
	defer resp.Body.Close() // nothing was written
	a.head(resp)
	err = a.read(ctx, resp)
	return a, err
}

// body can be sent again after a redirect.
func (ask Ask) body() io.Reader {
	if len(ask.Send) == 0 {
		return nil
	}
	return bytes.NewReader(ask.Send)
}

func (ask Ask) header(h http.Header) {
	for name, values := range ask.Header {
		h[name] = values
	}
	for name, value := range map[string]string{"If-None-Match": ask.Known.ETag, "If-Modified-Since": ask.Known.LastModified} {
		if value != "" {
			h.Set(name, value)
		}
	}
}

func (a *Answer) head(resp *http.Response) {
	a.Status, a.Header, a.Uncompressed = resp.StatusCode, resp.Header, resp.Uncompressed
	a.Validators = Validators{short(resp.Header.Get("ETag")), short(resp.Header.Get("Last-Modified"))}
	a.Final, a.Moved = resp.Request.URL, movedTo(resp)
	a.NotModified = resp.StatusCode == http.StatusNotModified && a.ask.Known != Validators{}
}

func short(validator string) string {
	if len(validator) > MaxValidator {
		return ""
	}
	return validator
}

func (a *Answer) read(ctx context.Context, resp *http.Response) error {
	most := a.ask.Most
	if resp.StatusCode >= http.StatusBadRequest {
		most = min(most, MaxEvidence)
	}
	err := a.readInto(ctx, resp, most)
	a.Short = err != nil
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		a.Body = a.Body[:min(int64(len(a.Body)), most)] // only looked at: what came is enough
		return nil
	case err != nil:
		return harvest.TransportError(a.reading(), a.ask.Address, err)
	case int64(len(a.Body)) > most:
		return a.TooLong()
	}
	return nil
}

// readInto reads in steps, so that memory is granted before it is used: as much as
// announced, otherwise four times as much each step.
func (a *Answer) readInto(ctx context.Context, resp *http.Response, most int64) error {
	b := bytes.NewBuffer(a.ask.Into[:0])
	b.Grow(int(min(max(resp.ContentLength, 0), believed)) + bytes.MinRead)
	a.lease = &lease{from: bodies}
	defer func() { a.Body = b.Bytes(); a.lease.hold(a.Body) }()
	for step := int64(free); ; step = next(step, resp.ContentLength, most) {
		if more := step - int64(cap(a.ask.Into)); step > free && more > 0 {
			if err := a.lease.take(ctx, step-a.lease.n); err != nil {
				return err
			}
			b.Grow(int(step) - b.Len() + bytes.MinRead)
		}
		_, err := b.ReadFrom(io.LimitReader(resp.Body, min(step, most+1)-int64(b.Len())))
		if err != nil || int64(b.Len()) < step || step > most {
			return err
		}
	}
}

// next is where the next step of a body ends: at the announced end and one byte beyond,
// to verify that it is the end.
func next(step, announced, most int64) int64 {
	factor := int64(4)
	if step >= 16<<20 {
		factor = 2
	}
	return min(max(factor*step, announced+1), most+1)
}

func (a *Answer) reading() string { return "read " + a.ask.What }

// TooLong is the error of a body above ask.Most.
func (a *Answer) TooLong() *harvest.Error {
	return harvest.Errorf(harvest.KindBroken, a.reading(), a.ask.Address, "it is longer than %d MiB", a.ask.Most>>20)
}

// Blank reports a body of nothing but white space.
func (a *Answer) Blank() bool { return len(bytes.TrimSpace(a.Body)) == 0 }

// ContentType is the header of that name.
func (a *Answer) ContentType() string { return a.Header.Get("Content-Type") }

// Evidence is the part of the body that is kept for people to look at.
func (a *Answer) Evidence() []byte { return bytes.Clone(a.Body[:min(len(a.Body), MaxEvidence)]) }

// Refusal explains a status that comes without the document, with the page as evidence
// if it may say more. It is nil if the document came, and if there was no response. A
// failure with a challenge page is KindBlocked. The caller adds the advice.
func (a *Answer) Refusal() *harvest.Error {
	switch {
	case a.Status == 0, a.Status == http.StatusOK, a.Status == http.StatusNonAuthoritativeInfo, a.NotModified:
		return nil
	case a.Status < http.StatusBadRequest:
		return a.unexpected()
	}
	e := harvest.AsError(harvest.StatusError(a.ask.Verb, a.ask.Address, a.Status, a.Header.Get("Retry-After"), time.Now()))
	switch e.Kind {
	case harvest.KindGone, harvest.KindThrottled, harvest.KindTimeout:
		return e
	case harvest.KindServerError, harvest.KindMisconfigured:
		if challenge.Is(a.Body) {
			e.Kind = harvest.KindBlocked
		}
	}
	e.Evidence = a.Evidence()
	return e
}

func (a *Answer) unexpected() *harvest.Error {
	e := harvest.Errorf(harvest.KindBroken, a.ask.Verb, a.ask.Address, "HTTP status %d %s", a.Status, http.StatusText(a.Status))
	e.Status, e.Evidence = a.Status, a.Evidence()
	return e
}
