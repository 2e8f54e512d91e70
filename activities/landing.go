package activities

import (
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// maxFences is how often a checkpoint may move under an item before that counts
// as a failure.
const maxFences = 3

// leastHeld is the least wait of what we ourselves held back.
const leastHeld = time.Second

// landing decides what an attempt that ended with err comes to.
func (r *flight) landing(err error) end {
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
	case errors.Is(err, errNextTick):
		return r.settle(r.nextTick("the run had to end while this item was at work; the next run goes on from its checkpoint"))
	default:
		return r.failed(err)
	}
}

// fenced drops a page that was not ours to commit. When only the checkpoint had
// moved (a reset, another run) the item is read again from there; when the claim
// is somebody else's, so is the item.
func (r *flight) fenced(err error) end {
	r.chunk.mu.Lock()
	r.fences[r.item.Ord]++
	often := r.fences[r.item.Ord] >= maxFences
	r.chunk.mu.Unlock()
	r.log.Warn("a page was dropped", "item", r.name, "error", err)
	if often {
		return r.failed(harvest.Errorf(harvest.KindInternal, "commit page of", r.name, "the checkpoint moved under it %d times: %w", maxFences, err))
	}
	return r.settle(rows.Settle{State: rows.ItemOpen})
}

// failed lets the one function decide: again later, or given up.
func (r *flight) failed(err error) end {
	e := harvest.AsError(err)
	if p, ok := errors.AsType[*harvest.Panic](err); ok {
		r.log.Error("a fetcher panicked", "item", r.name, "fetcher", r.item.Fetcher, "panic", r.mask.Text(fmt.Sprint(p.Value)), "stack", string(p.Stack))
	}
	s := rows.Settle{State: rows.ItemClosed, Outcome: e.Kind.Outcome(), Kind: e.Kind, Error: r.mask.Text(e.Error()), Attempts: 1, Evidence: r.mask.Bytes(e.Evidence)}
	f := harvest.Failure{Kind: e.Kind, Attempts: r.item.Attempts + 1, Age: r.age(), RetryAfter: e.RetryAfter, Spread: r.Spread()}
	switch {
	case e.Held:
		s.Attempts = 0
	case e.Kind == harvest.KindThrottled:
		s.Attempts, s.Throttles, f.Attempts = 0, 1, r.item.Throttles+1
	}
	d := r.decide(e, f)
	s.Why = string(d.Why)
	if d.Again {
		s.State, s.Outcome, s.NotBefore = rows.ItemOpen, "", r.Now().Add(d.Wait)
		if d.Queue != "" {
			s.Queue = r.Queue(d.Queue)
		}
	}
	r.log.Info(map[bool]string{true: "an item was held back", false: "an item failed"}[e.Held], "item", r.name, "kind", e.Kind, "again", d.Again, "wait", d.Wait, "why", d.Why, "error", s.Error)
	out := r.settle(s)
	if d.Again && !out.closed {
		if !e.Held { // Temporal's own retry keeps the processor meanwhile
			out.err = &harvest.Error{Kind: e.Kind, Op: s.Error}
		}
		out.waiting, out.queue = r.waitsFor(e, s.NotBefore), s.Queue
	}
	return out
}

// decide asks the retry rules, but for what we ourselves held back: that is tried
// again for as long as the run and the item have time.
func (r *flight) decide(e *harvest.Error, f harvest.Failure) harvest.Decision {
	d := harvest.Decision{Why: harvest.WhyNotRetriable}
	switch {
	case e.Held:
		d = harvest.Decision{Again: true, Wait: max(e.RetryAfter, leastHeld)}
	case r.entry != nil:
		d = harvest.Decide(r.entry.Retry, f)
	}
	if d.Again && (r.late(r.Now().Add(d.Wait)) || r.tooOld(d.Wait)) {
		return harvest.Decision{Why: harvest.WhyNextTick}
	}
	return d
}

// tooOld: the wait would end after timeouts.item.
func (r *flight) tooOld(wait time.Duration) bool {
	limit := r.entry.Timeouts.Item
	return limit > 0 && r.age()+wait > limit
}

// waitsFor is what the summary of a timer says.
func (r *flight) waitsFor(e *harvest.Error, until time.Time) string {
	at := until.In(zone(r.campaign)).Format("15:04:05 MST")
	if e.Held && r.item.Host != "" {
		return fmt.Sprintf("%s: %s, again at %s", r.item.Host, r.mask.Text(e.Err.Error()), at)
	}
	if e.Kind == harvest.KindThrottled && r.item.Host != "" {
		return r.item.Host + " rests until " + at
	}
	return fmt.Sprintf("%s (%s) again at %s", r.name, e.Kind, at)
}

// settle tells the store how the attempt ended.
func (r *flight) settle(s rows.Settle) end {
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
		return end{tally: r.tally, broken: fmt.Errorf("tell the store how item %s ended: %w", r.name, err)}
	}
	r.ledger = nil
	return e
}
