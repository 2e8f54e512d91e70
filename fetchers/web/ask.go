package web

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/vendemmia/vendemmia/harvest"
)

const (
	// sideBySide is how many pages one item asks for at once; the host's own limit
	// holds beneath it.
	sideBySide = 4
	// lead is how many pages of the next batch are asked for while this one is
	// committed; so many may be asked for again after a crash.
	lead = 3
)

// batch is what is asked for one page of the harvest. After a failure that ends
// the attempt no more is asked for; what is under way may end, but not wait for a
// host that asked for rest.
type batch struct {
	*reading
	ctx     context.Context
	cancel  context.CancelCauseFunc
	failure atomic.Pointer[error]
	slots   chan struct{} // one for each request in flight
	wg      sync.WaitGroup
	results []*result
	unasked []*result          // known pages that are not asked for again
	ahead   map[string]*result // those asked for ahead, by key
	bears   func(error) bool   // errors that do not end the asking
}

// newBatch begins the batch of the n-th page from now.
func (r *reading) newBatch(n int) *batch {
	ctx, cancel := context.WithCancelCause(harvest.ForPage(r.ctx, r.yielded+n))
	return &batch{reading: r, ctx: ctx, cancel: cancel, slots: make(chan struct{}, sideBySide), ahead: map[string]*result{}, bears: r.bears}
}

// fill chooses at most budget of a list's pages, and returns where the list goes
// on. Those of this walk are left out, and, when only changes are wanted, those
// that are known and whose date is the same.
func (q *batch) fill(l *list, at *place, budget int) (end int) {
	for end = at.Skip; end < len(l.links) && len(q.results) < budget && !q.enough(len(q.results)); end++ {
		e := l.links[end]
		old := q.known.get(e.key)
		if old != nil && old.age == 0 {
			continue
		}
		l.named = true
		if q.settled(old, e) {
			q.unasked = append(q.unasked, &result{link: e, old: old, at: end})
			continue
		}
		q.add(e, old, end)
	}
	return end
}

// add puts a link into the batch, or what was asked for ahead.
func (q *batch) add(e link, old *entry, at int) {
	b := q.ahead[e.key]
	if b == nil {
		b = &result{link: e, old: old}
	}
	b.at = at
	q.results = append(q.results, b)
}

// ask returns when all have come or failed.
func (q *batch) ask() {
	defer q.cancel(nil)
	for _, b := range q.results {
		if q.ahead[b.key] == nil {
			q.send(b)
		}
	}
	q.wg.Wait()
}

// send asks for one as soon as there is a slot.
func (q *batch) send(b *result) {
	q.slots <- struct{}{}
	q.wg.Go(func() {
		defer func() { <-q.slots }()
		q.one(b)
	})
}

func (q *batch) one(b *result) {
	if err := q.failure.Load(); err != nil {
		b.err = *err
		return
	}
	if err := harvest.Guard(func() error { q.read(q.ctx, b); return nil }); err != nil {
		b.err = err
	}
	switch {
	case b.err == nil || q.bears(b.err):
	case q.ctx.Err() != nil && errors.Is(b.err, context.Canceled) && q.reading.ctx.Err() == nil:
		b.err = context.Cause(q.ctx)
	default:
		if q.failure.Store(&b.err); harvest.KindOf(b.err) == harvest.KindThrottled {
			q.cancel(b.err)
		}
	}
}

// askAhead begins the next batch of a list before this one is committed. Nothing
// of it counts before its turn has come; a trial asks for no more than it shows.
func (r *reading) askAhead(l *list, at *place) {
	room := lead
	if r.maxReads > 0 {
		room = min(room, r.maxReads-r.cp.Reads)
	}
	if r.left >= 0 {
		return
	}
	q := r.newBatch(2)
	for i := at.Skip; i < len(l.links) && len(q.ahead) < room; i++ {
		e := l.links[i]
		old := r.known.get(e.key)
		if old != nil && old.age == 0 || r.settled(old, e) {
			continue
		}
		b := &result{link: e, old: old}
		q.ahead[e.key] = b
		q.send(b)
	}
	r.ahead = q
}

// taken is the batch whose turn it is.
func (r *reading) taken() *batch {
	q := r.ahead
	if r.ahead = nil; q == nil {
		q = r.newBatch(1)
	}
	return q
}

// drop ends what was asked for ahead and not taken.
func (r *reading) drop() {
	if r.ahead != nil {
		r.ahead.cancel(nil)
		r.ahead.wg.Wait()
	}
}
