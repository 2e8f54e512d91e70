package oaipmh

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: one ListRecords after another until the span
// is harvested, a page for every response or every thousand of its records.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r := &reading{Out: out, req: req, asking: asking{Fetcher: f, ctx: ctx}}
		err := r.begin()
		if err == nil {
			err = r.reread()
		}
		if err != nil {
			return err
		}
		return r.Steps(&r.ended, r.step)
	})
}

// reading is one Fetch under way.
type reading struct {
	asking
	*pages.Out
	req harvest.Request
	// cp is what the next page commits; pass is the harvest in it.
	cp   checkpoint
	pass *pass
	// ended: there is no more.
	ended  bool
	recent recent
	// retried is the token that was asked for a second time, inherited the one of
	// the checkpoint; restarts counts lists begun anew without one that went on.
	retried, inherited string
	restarts           int
	// unreadable are the records that this fetch has rejected. whole: the pass lists
	// everything, began in this fetch and has lost nothing so far. resolved goes with
	// the next page.
	unreadable map[string]bool
	whole      bool
	resolved   []string
	// toggled: the other form of dates was tried; clamped: the other beginning.
	toggled, clamped bool
	warnings         []string
}

func (r *reading) begin() (err error) {
	if r.params, err = harvest.DecodeParams[Params](r.req.Params); err != nil {
		return err
	}
	r.cp = restore(r.req.Checkpoint, r.params.made())
	r.distrustTomorrow()
	r.identity = r.cp.Identity
	if err := r.acquaint(); err != nil {
		return err
	}
	slot, bounds := &r.cp.Live, r.params.bounds()
	if r.windowed() {
		slot, bounds = &r.cp.Window, bounds.within(r.window())
	}
	if *slot == nil || !(*slot).goesOn(bounds, r.req.ForceRefresh, r.windowed()) {
		*slot = r.newPass(bounds)
		r.whole = (*slot).Full
	}
	if r.pass = *slot; r.pass.At != nil {
		r.inherited = r.pass.At.Token
	}
	return nil
}

// began keeps the repository's clock at the first response of a pass.
func (r *reading) began(ans response) {
	if !r.pass.First.IsZero() {
		return
	}
	if r.pass.First = ans.clock; ans.shown.After(ans.clock) {
		r.warn("its clock shows %s, which is not yet: the next harvest begins by %s instead", ans.shown.Format(time.RFC3339), ans.clock.Format(time.RFC3339))
	}
}

// window is what was asked for, as the protocol has it: with its end. In days, a
// window that ends at midnight does not reach into the day that begins.
func (r *reading) window() span {
	s := span{From: r.req.Window.From.UTC(), Until: r.req.Window.Until.UTC()}
	if r.req.Window.Until.IsZero() {
		s.Until = time.Time{}
	} else if r.granularity() == day {
		s.Until = s.Until.Add(-time.Second)
	}
	if r.req.Window.From.IsZero() {
		s.From = time.Time{}
	}
	return s
}

func (r *reading) windowed() bool { return !r.req.Window.IsZero() }

// goesOn reports whether a pass in the checkpoint is the one that is asked for
// now. One that brings everything once more goes on over all its attempts.
func (p *pass) goesOn(bounds span, again, windowed bool) bool {
	if windowed && (!p.Bounds.From.Equal(bounds.From) || !p.Bounds.Until.Equal(bounds.Until)) {
		return false
	}
	return p.Again || !again
}

func (r *reading) newPass(bounds span) *pass {
	p := &pass{Bounds: bounds, Again: r.req.ForceRefresh}
	if !r.windowed() && !r.req.ForceRefresh && r.cp.From.After(bounds.From) {
		bounds.From = r.cp.From
	} else {
		p.Full = !r.windowed()
	}
	if r.params.Granularity == string(never) {
		bounds, p.Full = span{}, !r.windowed()
	}
	bounds.Step = r.params.step()
	p.Cut = bounds.Step != ""
	if !bounds.empty() {
		p.Todo = []span{bounds}
	}
	return p
}

// granularity is how dates are sent.
func (r *reading) granularity() granularity {
	if g := r.params.Granularity; g != "" && g != "auto" {
		return granularity(g)
	}
	return r.cp.Granularity
}

// acquaint asks the repository how it writes dates, once for all.
func (r *reading) acquaint() error {
	needsForm := r.granularity() == ""
	needsBegin := r.params.step() != "" && r.cp.Earliest.IsZero() && r.cp.From.IsZero() && r.cp.Live == nil
	if !needsForm && !needsBegin {
		return nil
	}
	ans, err := r.ask("verb=Identify")
	if err != nil {
		return err
	}
	r.cp.Granularity = readGranularity(ans.About.Granularity, ans.About.Earliest)
	if early, _ := parseTime(ans.About.Earliest); !ahead(early) {
		r.cp.Earliest = early
	}
	return nil
}

// next begins the list of the next span; false when there is none left.
func (r *reading) next() bool {
	p := r.pass
	last := len(p.Todo) - 1
	if last < 0 {
		return false
	}
	s := p.Todo[last]
	p.Todo = p.Todo[:last]
	head, rest, more := s.cut(r.cp.Earliest, r.now(), r.granularity())
	if more {
		p.Todo = append(p.Todo, rest)
	}
	p.At = &list{span: head}
	r.recent.forget()
	r.retried = ""
	return true
}

// now is the repository's clock as far as it is known. It only places cuts.
func (r *reading) now() time.Time {
	if !r.pass.First.IsZero() {
		return r.pass.First
	}
	return time.Now().UTC()
}

// step asks one request and yields what it brings.
func (r *reading) step() error {
	if r.pass.At == nil && !r.next() {
		return r.nothing()
	}
	l := r.pass.At
	if l.Token != "" && !l.Expires.IsZero() && time.Now().After(l.Expires) {
		return r.restart("its token has expired")
	}
	args := r.params.first("ListRecords", l.span, r.granularity())
	if l.Token != "" {
		args = r.params.next("ListRecords", l.Token)
	}
	ans, err := r.ask(args)
	r.cp.Identity = r.identity
	r.pass.Read++
	if err != nil {
		return r.failure(l, err)
	}
	if ans.failed() {
		return r.refusal(l, ans)
	}
	return r.take(l, ans)
}

// nothing ends a pass in which there was nothing to ask.
func (r *reading) nothing() error {
	r.ended = true
	r.conclude()
	r.send(harvest.Page{NotModified: true, Last: true})
	return nil
}

// conclude ends the pass: the next harvest begins at the repository's clock at
// the first response of this one, minus the overlap.
func (r *reading) conclude() {
	if r.windowed() {
		r.cp.Window = nil
		return
	}
	first := r.pass.First
	r.cp.Live = nil
	if first.IsZero() {
		r.warn("the repository sends no readable responseDate: the next harvest begins where this one did")
		return
	}
	from := r.granularity().floor(first.Add(-r.params.overlap(r.granularity())))
	if from.Before(time.Unix(0, 0)) {
		from = time.Time{} // a clock so far behind says only that all is to be asked for
	}
	r.cp.From, r.cp.AsOf = from, first
}

// distrustTomorrow drops a beginning that lies ahead of every clock: what was
// changed before it was never listed.
func (r *reading) distrustTomorrow() {
	if ahead(r.cp.Confirmed) {
		r.cp.Confirmed = time.Time{}
	}
	if l := r.cp.Live; l != nil && ahead(l.First) {
		l.First = time.Now().UTC().Truncate(time.Second)
	}
	if ahead(r.cp.From) {
		r.warn("its checkpoint begins at %s, which is not yet: everything is listed once more", r.cp.From.Format(time.RFC3339))
		r.cp.From, r.cp.AsOf, r.cp.Live = time.Time{}, time.Time{}, nil
	}
}

// endList ends the list in work, and the pass with the last one.
func (r *reading) endList() (last bool) {
	p := r.pass
	p.Seen += p.At.Seen
	p.At = nil
	r.restarts = 0
	if len(p.Todo) > 0 {
		return false
	}
	r.ended = true
	r.resolved = r.unmet()
	r.conclude()
	return true
}

func (r *reading) warn(format string, args ...any) {
	if len(r.warnings) < maxWarnings {
		r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
	}
}

const maxWarnings = 10

// send yields a page with the checkpoint as it is now.
func (r *reading) send(p harvest.Page) {
	p.Checkpoint = r.checkpoint()
	p.Warnings, r.warnings = r.warnings, nil
	p.Resolved, r.resolved = append(p.Resolved, r.resolved...), nil
	r.Send(p)
}

func (r *reading) checkpoint() json.RawMessage { return r.cp.raw() }
