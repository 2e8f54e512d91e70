package oaipmh

import (
	"context"
	"errors"
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
	// shown is the repository's clock as it stands: responseDate, else the Date
	// header; zero when neither can be read. clock is shown as far as it can be
	// believed: never more than aDay ahead of ours.
	shown, clock time.Time
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
	if a.buffer = got.Body; err == nil && answer.Zipped(got.Body) {
		err = gunzip(&got, ask.Address)
	}
	r := response{Answer: got, address: ask.Address}
	if err != nil {
		r.damaged = got.Uncompressed && (harvest.KindOf(err) == harvest.KindServerError || strings.Contains(err.Error(), "decode"))
		return r, err
	}
	return r, r.parse(a.params.Encoding, args)
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
	out, err := answer.Gunzip(a.Body, maxBody)
	switch {
	case a.Status >= http.StatusBadRequest:
		a.Body = out // only looked at: what came is enough
		return nil
	case err != nil:
		return harvest.Errorf(harvest.KindBroken, "read response", address, "the body cannot be decoded: %w", err)
	}
	a.Body = out
	return nil
}

// parse reads the body, the answer to args. A status of 400 and above is an error,
// unless the body is a response of the protocol that says what is wrong.
func (r *response) parse(encoding, args string) error {
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
	if r.Over != "" {
		e := harvest.Errorf(harvest.KindBroken, "read response", r.address, "%s", r.Over)
		e.Evidence = r.Evidence()
		return e
	}
	if r.Cut {
		return harvest.Errorf(harvest.KindServerError, "read response", r.address, "it breaks off before its end")
	}
	r.readClock()
	return r.complete(args)
}

// complete checks that the answer has what was asked for, or says why not.
// Nothing at all is not the end of a list. Where a list began well that is a
// failure in its middle, worth a retry; at its beginning it is for people to see.
func (r *response) complete(args string) error {
	verb, rest, _ := strings.Cut(strings.TrimPrefix(args, "verb="), "&")
	if r.Verb == verb || len(r.Errors) > 0 || verb == "Identify" && r.Verb != "" { // files that stand for a repository do not know the verb
		return nil
	}
	e := harvest.Errorf(harvest.KindBroken, "read response", r.address, "it has neither %s nor an error", verb)
	if strings.HasPrefix(rest, "resumptionToken=") {
		e.Kind = harvest.KindServerError
	}
	e.Advice, e.Evidence = "nothing of it was taken; tell the repository's administrator where it goes on", r.Evidence()
	return e
}

// aDay is how far ahead of ours a clock may be and still be believed.
const aDay = 24 * time.Hour

// ahead reports a moment that no clock can have seen yet.
func ahead(t time.Time) bool { return t.After(time.Now().Add(aDay)) }

func (r *response) readClock() {
	date, err := http.ParseTime(r.Header.Get("Date"))
	if err == nil {
		r.shown = date.UTC()
	}
	if t, ok := parseTime(r.Date); ok {
		r.shown = t
	}
	switch r.clock = r.shown; {
	case !ahead(r.shown):
	case err == nil && !ahead(date):
		r.clock = date.UTC()
	default:
		r.clock = time.Now().UTC().Truncate(time.Second)
	}
}

// adviceOn a status is what a person can do about it.
func adviceOn(e *harvest.Error) string {
	switch e.Kind {
	case harvest.KindBlocked:
		return adviceBlocked
	case harvest.KindGone:
		return "open the address in a browser, with ?verb=Identify; repositories move when their software is replaced"
	default:
		return ""
	}
}
