package oaipmh

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// maxBody is a cap of our own, for clients that have none.
	maxBody = 256 << 20
	// maxEvidence of an answer is kept for people to look at.
	maxEvidence = 64 << 10
)

// answer is one response, read.
type answer struct {
	*wire.Response
	// address is what was asked, body what came, text what was read of it.
	address    string
	body, text []byte
	// clock is the repository's own: responseDate, else the Date header; zero
	// when neither can be read.
	clock time.Time
	// damaged: the body was compressed, and could not be read to its end.
	damaged bool
}

// asking sends requests to one repository, one after the other.
type asking struct {
	*Fetcher
	ctx    context.Context
	params Params
	// identity asks for uncompressed bodies.
	identity bool
	buffer   []byte
}

// ask sends one request; args begin with the verb. An answer of the protocol is
// none of its errors, whatever the status; everything else that is no sound
// response is an error of the right kind.
func (a *asking) ask(args string) (answer, error) {
	ans, err := a.get(args)
	if err == nil || !ans.damaged || a.identity || a.ctx.Err() != nil {
		return ans, err
	}
	a.identity = true
	plain, again := a.get(args)
	if a.identity = again == nil; again != nil && harvest.KindOf(again) == harvest.KindOf(err) {
		return ans, err
	}
	return plain, again
}

func (a *asking) address(args string) string {
	if strings.Contains(a.params.URL, "?") {
		return strings.TrimSuffix(a.params.URL, "&") + "&" + args
	}
	return a.params.URL + "?" + args
}

func (a *asking) get(args string) (answer, error) {
	ans := answer{address: a.address(args)}
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, ans.address, nil)
	if err != nil {
		return ans, &harvest.Error{Kind: harvest.KindMisconfigured, Op: "ask", On: ans.address, Err: errors.New("it is no address")}
	}
	req.Header.Set("Accept", "text/xml, application/xml;q=0.9, */*;q=0.5")
	if a.identity {
		req.Header.Set("Accept-Encoding", "identity")
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return ans, harvest.TransportError("ask", ans.address, err)
	}
	defer resp.Body.Close() //nolint:errcheck // nothing was written
	if ans.body, err = a.read(resp, ans.address); err != nil && resp.StatusCode < 400 {
		ans.damaged = resp.Uncompressed && (harvest.KindOf(err) == harvest.KindServerError || strings.Contains(err.Error(), "decode"))
		return ans, err
	}
	err = ans.parse(resp, a.params.Encoding)
	return ans, err
}

// read takes the body into the buffer, which serves one answer after another.
func (a *asking) read(resp *http.Response, address string) ([]byte, error) {
	b := bytes.NewBuffer(a.buffer[:0])
	if n := resp.ContentLength; n > 0 && n < maxBody {
		b.Grow(int(n) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(resp.Body, maxBody+1))
	a.buffer = b.Bytes()
	if err != nil {
		return a.buffer, harvest.TransportError("read response", address, err)
	}
	if n > maxBody {
		return nil, tooLong(address)
	}
	if bytes.HasPrefix(a.buffer, []byte{0x1f, 0x8b}) {
		return gunzip(a.buffer, address)
	}
	return a.buffer, nil
}

func tooLong(address string) error {
	return harvest.Errorf(harvest.KindBroken, "read response", address, "it is longer than %d MiB", maxBody>>20)
}

// gunzip undoes a compression that no header announced.
func gunzip(body []byte, address string) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	var out []byte
	if err == nil {
		out, err = io.ReadAll(io.LimitReader(z, maxBody+1))
	}
	if err != nil {
		return nil, harvest.Errorf(harvest.KindBroken, "read response", address, "the body cannot be decoded: %w", err)
	}
	if len(out) > maxBody {
		return nil, tooLong(address)
	}
	return out, nil
}

// parse reads the body. A status of 400 and above is an error, unless the body
// is a response of the protocol that says what is wrong.
func (ans *answer) parse(resp *http.Response, encoding string) error {
	var err error
	ans.text = wire.Clean(ans.body, encoding)
	ans.Response, err = wire.Scan(ans.text)
	if status := resp.StatusCode; status >= 400 {
		if err == nil && !ans.Cut && len(ans.Errors) > 0 && status != http.StatusTooManyRequests && resp.Header.Get("Retry-After") == "" {
			ans.readClock(resp)
			return nil
		}
		return ans.statusError(resp)
	}
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusNonAuthoritativeInfo {
		return &harvest.Error{Kind: harvest.KindBroken, Op: "ask", On: ans.address, Status: resp.StatusCode, Err: errors.New("HTTP status " + resp.Status)}
	}
	if other, ok := errors.AsType[*wire.NotOAI](err); ok {
		return ans.notOAI(other, resp.Header.Get("Content-Type"))
	}
	if ans.Cut {
		return harvest.Errorf(harvest.KindServerError, "read response", ans.address, "it breaks off before its end")
	}
	ans.readClock(resp)
	return nil
}

func (ans *answer) readClock(resp *http.Response) {
	if t, ok := parseTime(ans.Date); ok {
		ans.clock = t
	} else if t, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		ans.clock = t.UTC()
	}
}

// statusError says what a status means, with what a person can do.
func (ans *answer) statusError(resp *http.Response) error {
	e := harvest.AsError(harvest.StatusError("ask", ans.address, resp.StatusCode, resp.Header.Get("Retry-After"), time.Now()))
	switch {
	case e.Kind == harvest.KindBlocked, resp.StatusCode == http.StatusServiceUnavailable && isChallenge(ans.body):
		e.Kind, e.Advice, e.Evidence = harvest.KindBlocked, adviceBlocked, ans.evidence()
	case e.Kind == harvest.KindGone:
		e.Advice = "look at the address in a browser, with ?verb=Identify; repositories move when their software is replaced"
	case e.Kind == harvest.KindMisconfigured, e.Kind == harvest.KindServerError:
		e.Evidence = ans.evidence()
	}
	return e
}

func (ans *answer) evidence() []byte { return bytes.Clone(ans.body[:min(len(ans.body), maxEvidence)]) }
