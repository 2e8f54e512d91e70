package activities

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/panics"
	"github.com/vendemmia/vendemmia/internal/retry"
)

// maxFences is how often a checkpoint may move under an item before that counts
// as a failure.
const maxFences = 3

// hostAsked is how soon a resting host's items are tried again, since a person may end
// the rest.
const hostAsked = 10 * time.Minute

// leastDeferral is the shortest wait of a deferred request.
const leastDeferral = time.Second

// ended evaluates an attempt that ended with err and writes the result.
func (r *itemRun) ended(err error) end {
	r.mu.Lock()
	closed := r.closed
	r.over = true
	r.mu.Unlock()
	switch {
	case closed != nil:
		return end{closed: true, outcome: *closed, tally: r.tally, stopped: errors.Is(err, rows.ErrStopped)}
	case err == nil:
		return r.finished()
	case errors.Is(err, errHandBack), errors.Is(err, errDrained), errors.Is(err, errLeftBehind):
		return r.settle(rows.Settle{State: rows.ItemOpen})
	case errors.Is(err, rows.ErrStopped):
		e := r.settle(rows.Settle{State: rows.ItemOpen})
		e.stopped = true
		return e
	case errors.Is(err, rows.ErrFenced):
		return r.fenced(err)
	case r.budget.met() != nil:
		return r.settle(r.overBudget(r.budget.met()))
	case errors.Is(err, errNextTick):
		return r.settle(r.nextTick("the run had to end while this item was at work; the next run goes on from its checkpoint"))
	default:
		return r.failed(err)
	}
}

// fenced drops a page that was not ours to commit. When only the checkpoint had
// moved (a reset, another run) the item is read again from there; when the claim
// is somebody else's, so is the item.
func (r *itemRun) fenced(err error) end {
	r.session.mu.Lock()
	r.fences[r.item.Ord]++
	often := r.fences[r.item.Ord] >= maxFences
	r.session.mu.Unlock()
	r.log.Warn("a page was dropped", "item", r.name, "error", err)
	if often {
		return r.failed(harvest.Errorf(harvest.KindInternal, "commit page of", r.name, "the checkpoint moved under it %d times: %w", maxFences, err))
	}
	return r.settle(rows.Settle{State: rows.ItemOpen})
}

// failed applies the retry rules: the item is tried again later, or closed.
func (r *itemRun) failed(err error) end {
	e := harvest.AsError(err)
	if p, ok := errors.AsType[*panics.Panic](err); ok {
		r.log.Error("a fetcher panicked", "item", r.name, "fetcher", r.item.Fetcher, "panic", r.mask().Text(fmt.Sprint(p.Value)), "stack", string(p.Stack))
	}
	s := rows.Settle{State: rows.ItemClosed, Outcome: outcomes.OfKind(e.Kind), Kind: e.Kind, Error: r.mask().Text(e.Error()), Attempts: 1, Evidence: r.mask().Bytes(e.Evidence)}
	f := retry.Failure{Kind: e.Kind, Attempts: r.item.Attempts + 1, Age: r.age(), RetryAfter: e.RetryAfter, Spread: r.Spread()}
	switch {
	case e.Deferred:
		s.Attempts = 0
	case e.Kind == harvest.KindThrottled:
		s.Attempts, s.Throttles, f.Attempts = 0, 1, r.item.Throttles+1
	}
	d := r.decide(e, f)
	s.Why = string(d.Why)
	if d.Retry {
		s.State, s.Outcome, s.NotBefore = rows.ItemOpen, "", r.Now().Add(d.Wait)
		if d.Queue != "" {
			s.Queue = r.Queue(d.Queue)
		}
		if e.Resting != "" && e.Resting == r.item.Host {
			s.HostRests = r.Now().Add(min(e.RetryAfter, hostAsked))
		}
	}
	r.log.Info(map[bool]string{true: "an item was deferred", false: "an item failed"}[e.Deferred], "item", r.name, "kind", e.Kind, "again", d.Retry, "wait", d.Wait, "why", d.Why, "error", s.Error)
	out := r.settle(s)
	if d.Retry && !out.closed {
		if !e.Deferred { // Temporal's own retry keeps the processor meanwhile
			out.err = &harvest.Error{Kind: e.Kind, Op: s.Error}
		}
		out.waiting, out.queue = r.waitsFor(e, s.NotBefore), s.Queue
	}
	return out
}

// decide asks the retry rules. A deferred request is tried again for as long as the
// run and the item have time.
func (r *itemRun) decide(e *harvest.Error, f retry.Failure) retry.Decision {
	d := retry.Decision{Why: outcomes.WhyNotRetriable}
	switch {
	case e.Deferred:
		d = retry.Decision{Retry: true, Wait: max(e.RetryAfter, leastDeferral)}
	case r.entry != nil:
		d = retry.Decide(r.entry.Retry, f)
	}
	if d.Retry && f.Attempts >= maxNameless && nameless(e) {
		return retry.Decision{Why: outcomes.WhyTriedTooManyTimes}
	}
	if d.Retry && (r.late(r.Now().Add(d.Wait)) || r.tooOld(d.Wait)) {
		return retry.Decision{Why: outcomes.WhyNextTick}
	}
	return d
}

// maxNameless is how many attempts a host name without an address is given: name servers
// err, but a name that does not exist stays away, whatever the rules of the campaign say.
const maxNameless = 3

// nameless: the name servers say that the host does not exist.
func nameless(e *harvest.Error) bool {
	n, ok := errors.AsType[*net.DNSError](e)
	return ok && n.IsNotFound
}

// tooOld: the wait would end after timeouts.item.
func (r *itemRun) tooOld(wait time.Duration) bool {
	limit := r.entry.Timeouts.Item
	return limit > 0 && r.age()+wait > limit
}

// waitsFor is what the summary of a timer says.
func (r *itemRun) waitsFor(e *harvest.Error, until time.Time) string {
	at := until.In(r.campaign.Zone()).Format("15:04:05 MST")
	if e.Deferred && r.item.Host != "" {
		return fmt.Sprintf("%s: %s, again at %s", r.item.Host, r.mask().Text(e.Err.Error()), at)
	}
	if e.Kind == harvest.KindThrottled && r.item.Host != "" {
		return r.item.Host + " rests until " + at
	}
	return fmt.Sprintf("%s (%s) again at %s", r.name, e.Kind, at)
}

// settle writes how the attempt ended.
func (r *itemRun) settle(s rows.Settle) end {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.write()
	w.Settle = &s
	out := r.send(w)
	err := out.Err
	e := end{closed: s.State == rows.ItemClosed, outcome: out.Outcome, tally: r.tally}
	switch {
	case errors.Is(err, rows.ErrFenced):
		r.log.Warn("another worker holds this item now", "item", r.name)
		return end{tally: r.tally}
	case errors.Is(err, rows.ErrStopped):
		e.stopped = true
	case err != nil:
		return end{tally: r.tally, broken: fmt.Errorf("write how item %s ended: %w", r.name, err)}
	}
	r.ledger = nil
	return e
}
