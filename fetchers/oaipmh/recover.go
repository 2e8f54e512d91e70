package oaipmh

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh/internal/wire"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

const (
	// maxRestarts of lists in a row, without one that went on, are enough.
	maxRestarts = 64
	// maxTries at a list that cannot be cut and comes no further.
	maxTries = 3
)

// failure handles an answer that is no response: on a token it may mean that the
// token is refused, on dates that there is nothing.
func (r *reading) failure(l *list, err error) error {
	if r.ctx.Err() != nil {
		return err
	}
	e := harvest.AsError(err)
	if l.Token != "" {
		switch {
		case refuses(e.Status):
			return r.again(l, err, fmt.Sprintf("its token is refused with status %d", e.Status))
		case e.Kind == harvest.KindBroken && l.Token == r.inherited:
			return r.restartAfter(err, "its token does not lead to a list")
		case r.req.LastAttempt && (e.Kind == harvest.KindServerError || e.Kind == harvest.KindTimeout):
			return r.restartAfter(err, "its token is answered with "+string(e.Kind)+", and no attempt is left")
		}
		return err
	}
	if l.dated() && refuses(e.Status) && r.granularity() != never {
		return r.confirmEmpty(l, err)
	}
	return err
}

// refuses reports a status by which servers say that a request is not for them.
func refuses(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity, http.StatusRequestedRangeNotSatisfiable:
		return true
	}
	return false
}

// confirmEmpty asks a neighbour of a span that was refused: all from the
// beginning, with dates in the same form. Where that is answered, the span is
// only empty; else the refusal stands.
func (r *reading) confirmEmpty(l *list, refused error) error {
	wide := span{From: longAgo(), Until: l.Until}
	if !r.cp.Earliest.IsZero() {
		wide.From = r.cp.Earliest
	}
	if !wide.From.Before(l.From) && l.Until.IsZero() {
		return refused
	}
	wide.Until = r.now()
	neighbour, err := r.ask(r.params.first("ListIdentifiers", wide, r.granularity()))
	if r.ctx.Err() != nil {
		return err
	}
	if err != nil || !neighbour.saysNone() && len(neighbour.Records) == 0 {
		return refused
	}
	return r.none(l, response{Response: &wire.Response{Token: wire.Token{Size: -1}}, shown: neighbour.shown, clock: neighbour.clock})
}

// refusal handles errors of the protocol.
func (r *reading) refusal(l *list, ans response) error {
	if ans.saysNone() {
		return r.none(l, ans)
	}
	if text, ok := ans.says("badResumptionToken"); ok && l.Token != "" {
		return r.again(l, r.protocolError(ans), "its token is refused: "+quoted(wording.Clip(text, 100), "badResumptionToken"))
	}
	err := r.protocolError(ans)
	if l.Token != "" {
		if harvest.KindOf(err) == harvest.KindMisconfigured || r.req.LastAttempt {
			return r.again(l, err, "its token is refused: "+ans.Errors[0].Code)
		}
		return err
	}
	if _, ok := ans.says("badArgument"); ok && l.dated() && r.otherwise(l) {
		return nil
	}
	if gone := r.goneSet(ans); gone != nil {
		return gone
	}
	return err
}

// otherwise changes how dates are asked for, where a repository refuses them:
// not before its beginning, then in the other form. False when all was tried. From
// the beginning on is asked for without a date: what Identify says of it may be
// wrong, and what lies before would be lost.
func (r *reading) otherwise(l *list) bool {
	if early := r.cp.Earliest; !r.clamped && !early.IsZero() && !l.From.IsZero() && l.From.Before(early) && (l.Until.IsZero() || !l.Until.Before(early)) {
		r.clamped = true
		l.From = time.Time{}
		return true
	}
	if g := r.params.Granularity; r.toggled || g != "" && g != "auto" {
		return false
	}
	r.toggled = true
	r.cp.Granularity = r.cp.Granularity.other()
	return true
}

// again asks for a refused token once more, since a lost answer may have used it
// up; then the list begins anew.
func (r *reading) again(l *list, err error, why string) error {
	if r.retried != l.Token {
		r.retried = l.Token
		return nil
	}
	return r.restartAfter(err, why)
}

// restart begins the list anew from a place that is sure, or in halves, so that
// the same depth is not needed again.
func (r *reading) restart(why string) error { return r.restartAfter(errors.New(why), why) }

func (r *reading) restartAfter(cause error, why string) error {
	l := r.pass.At
	if r.restarts++; r.restarts > maxRestarts || !r.narrow(l) {
		return r.hopeless(l, cause)
	}
	from := "its beginning"
	if at := r.pass.At.From; !at.IsZero() && r.granularity() != never {
		from = r.granularity().format(at)
	}
	if r.restarts == 1 {
		r.warn("a list broke off after %d records, %s: it goes on from %s", l.Seen, why, from)
	}
	r.recent.forget()
	r.retried = ""
	return nil
}

// hopeless gives up a list that does not get further, and leaves the next
// attempt to begin it anew.
func (r *reading) hopeless(l *list, cause error) error {
	e := harvest.Errorf(harvest.KindServerError, "harvest", r.params.URL, "the list breaks off again and again, after %d records at most: %w", max(l.Seen, l.Best), cause)
	e.Advice = "window: day makes smaller lists; where the repository has no dates, only its administrator can help"
	return r.breakOff(l, e)
}

// narrow sets the list in work to what is still to come of it.
func (r *reading) narrow(l *list) bool {
	g := r.granularity()
	// Without a size to compare, what came in order so far proves nothing.
	if g != never && !l.Falls && l.Rises >= 2 && l.Size > 0 && l.High.After(l.From) {
		at := &list{span: l.span, Trust: &trust{From: l.From, Size: l.Size - 1, Before: l.Before}}
		at.From = g.floor(l.High)
		r.pass.At = at
		return true
	}
	if g != never && r.halve(l.span, l.order) {
		return true
	}
	tries := l.Tries + 1
	if l.Seen > l.Best {
		tries = 1
	}
	if tries > maxTries {
		return false
	}
	r.pass.At = &list{span: l.span, Tries: tries, Best: max(l.Best, l.Seen), order: order{Falls: true}}
	return true
}

// halve puts the halves of a span in its place.
func (r *reading) halve(s span, o order) bool {
	lo, hi := r.cp.Earliest, r.now()
	if !o.Low.IsZero() && (lo.IsZero() || o.Low.Before(lo)) {
		lo = o.Low
	}
	if lo.IsZero() {
		lo = longAgo()
	}
	head, rest, ok := s.halve(lo, later(hi, o.High), r.granularity())
	if !ok {
		return false
	}
	r.pass.Todo = append(r.pass.Todo, rest)
	r.pass.Cut = true
	r.pass.At = &list{span: head}
	return true
}

// distrusts checks the order of datestamps that a restart relied on: where the
// list from there on is too short, records lie before it, and the whole is
// asked for in halves.
func (r *reading) distrusts(l *list, ans response) bool {
	if l.Trust == nil {
		return false
	}
	size := ans.Token.Size
	if ans.Token.Value == "" {
		size = max(size, int64(len(ans.Records)))
	}
	trusted := *l.Trust
	l.Trust = nil
	if size >= 0 && trusted.Before+size >= trusted.Size {
		return false
	}
	whole := span{From: trusted.From, Until: l.Until}
	if !r.halve(whole, order{}) {
		r.pass.At = &list{span: whole, order: order{Falls: true}}
	}
	return true
}
