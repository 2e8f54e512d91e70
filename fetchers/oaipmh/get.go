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

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
)

// maxBody is a cap of our own, for clients that have none.
const maxBody = 256 << 20

// response is one answer, read.
type response struct {
	*wire.Response
	answer.Answer
	// address is what was asked, text what was read of the body.
	address string
	text    []byte
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
func (a *asking) ask(args string) (response, error) {
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

func (a *asking) get(args string) (response, error) {
	ask := answer.Ask{Verb: "ask", What: "response", Address: a.address(args), Header: a.header(), Most: maxBody, Into: a.buffer}
	got, err := answer.Get(a.ctx, a.client, ask)
	if a.buffer = got.Body; err == nil && bytes.HasPrefix(got.Body, []byte{0x1f, 0x8b}) {
		err = gunzip(&got, ask.Address)
	}
	r := response{Answer: got, address: ask.Address}
	if err != nil {
		r.damaged = got.Uncompressed && (harvest.KindOf(err) == harvest.KindServerError || strings.Contains(err.Error(), "decode"))
		return r, err
	}
	return r, r.parse(a.params.Encoding)
}

func (a *asking) header() http.Header {
	h := http.Header{"Accept": {"text/xml, application/xml;q=0.9, */*;q=0.5"}}
	if a.identity {
		h.Set("Accept-Encoding", "identity")
	}
	return h
}

// gunzip undoes a compression that no header announced.
func gunzip(a *answer.Answer, address string) error {
	z, err := gzip.NewReader(bytes.NewReader(a.Body))
	var out []byte
	if err == nil {
		out, err = io.ReadAll(io.LimitReader(z, maxBody+1))
	}
	switch {
	case a.Status >= http.StatusBadRequest:
		a.Body = out // only looked at: what came is enough
		return nil
	case err != nil:
		return harvest.Errorf(harvest.KindBroken, "read response", address, "the body cannot be decoded: %w", err)
	case len(out) > maxBody:
		return a.TooLong()
	}
	a.Body = out
	return nil
}

// parse reads the body. A status of 400 and above is an error, unless the body
// is a response of the protocol that says what is wrong.
func (r *response) parse(encoding string) error {
	var err error
	r.text = wire.Clean(r.Body, encoding)
	r.Response, err = wire.Scan(r.text)
	said := err == nil && !r.Cut && len(r.Errors) > 0 && r.Status != http.StatusTooManyRequests && r.Header.Get("Retry-After") == ""
	if e := r.Refusal(); e != nil && (e.Status < http.StatusBadRequest || !said) {
		e.Advice = adviceOn(e)
		return e
	}
	if other, ok := errors.AsType[*wire.NotOAI](err); ok {
		return r.notOAI(other)
	}
	if r.Cut {
		return harvest.Errorf(harvest.KindServerError, "read response", r.address, "it breaks off before its end")
	}
	r.readClock()
	return nil
}

func (r *response) readClock() {
	if t, ok := parseTime(r.Date); ok {
		r.clock = t
	} else if t, err := http.ParseTime(r.Header.Get("Date")); err == nil {
		r.clock = t.UTC()
	}
}

// adviceOn a status is what a person can do about it.
func adviceOn(e *harvest.Error) string {
	switch e.Kind {
	case harvest.KindBlocked:
		return adviceBlocked
	case harvest.KindGone:
		return "look at the address in a browser, with ?verb=Identify; repositories move when their software is replaced"
	default:
		return ""
	}
}
