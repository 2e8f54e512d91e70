package web

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: list after list, and after each what it
// names, in steps of at most twenty requests.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r, err := f.begin(ctx, req, out)
		if err != nil {
			return err
		}
		defer r.drop()
		return r.run()
	})
}

// reading is one Fetch under way.
type reading struct {
	*Fetcher
	*pages.Out
	*plan
	ctx   context.Context
	req   harvest.Request
	cp    checkpoint
	known known
	// lists are those on the stack that were read in this Fetch.
	lists map[string]*list
	// done: no page follows, or no more is wanted.
	done bool
	// left is how many documents a trial still wants; -1 is all.
	left int
	// ahead is the next batch, begun while this one is committed; yielded counts
	// the pages of this Fetch.
	ahead   *batch
	yielded int
	// nowhere is the error it is when no list of the walk names anything.
	nowhere error
	// unread are the rows in quarantine that this walk has not met, and wholly the
	// lists that it has read; both only of a walk that began in this Fetch.
	unread unreadRows
	wholly map[string]bool
}

func (f *Fetcher) begin(ctx context.Context, req harvest.Request, out *pages.Out) (*reading, error) {
	p, err := open(req)
	if err != nil {
		return nil, err
	}
	made, err := harvest.Fingerprint(p.Params)
	if err != nil {
		return nil, err
	}
	r := &reading{Fetcher: f, Out: out, plan: p, ctx: ctx, req: req, cp: restore(req.Checkpoint), lists: map[string]*list{}, left: -1}
	r.known = unpack(r.cp.Known)
	if req.Limit > 0 {
		r.left = req.Limit
	}
	if !r.goesOn(made) {
		r.known.older()
		r.cp.begin(made, req.Window, req.ForceRefresh || r.cp.Full)
		r.wholly = map[string]bool{}
	}
	if r.perRow && r.began() {
		r.unread = rowsOf(req.Unread)
	}
	return r, nil
}

// goesOn reports a walk that is to be finished, not begun anew.
func (r *reading) goesOn(made string) bool {
	return r.cp.On && r.cp.holds(made) && r.cp.Window == r.req.Window && (r.cp.Full || !r.req.ForceRefresh) && r.req.Limit == 0
}

// began reports a walk that began in this Fetch and is no trial.
func (r *reading) began() bool { return r.wholly != nil && r.req.Limit == 0 }

// whole reports a walk that compares nothing with what is known.
func (r *reading) whole() bool { return r.cp.Full || r.windowed() }

func (r *reading) windowed() bool { return !r.req.Window.IsZero() }

func (r *reading) run() error {
	if r.began() {
		if err := r.reread(); err != nil {
			return err
		}
	}
	for r.cp.On && !r.done {
		if r.cp.top() == nil && !r.start() {
			return r.rereadLists()
		}
		if err := r.step(); err != nil {
			return err
		}
	}
	return nil
}

// start puts the next start page on the stack.
func (r *reading) start() bool {
	if r.cp.Start >= len(r.starts) {
		r.cp.end(r.used())
		return false
	}
	r.cp.Stack = append(r.cp.Stack, place{URL: r.starts[r.cp.Start], Page: 1})
	r.cp.Start++
	return true
}

// step reads the list on top, then what it names.
func (r *reading) step() error {
	at := r.cp.top()
	out := &harvest.Page{}
	l, err := r.list(at, out)
	if err != nil {
		return r.listFailed(err)
	}
	if at.Hash != l.hash || at.Skip > l.size() {
		at.Hash, at.Skip, at.Child = l.hash, 0, 0
	}
	for requests := l.requests; !r.done; requests = 0 {
		if r.perRow {
			err = r.takeRows(l, at, out)
		} else {
			err = r.takePages(l, at, out, harvest.MaxPageRequests-requests)
		}
		if err != nil {
			return err
		}
		done := at.Skip >= l.size() || r.full()
		if done {
			if err := r.leave(l, out); err != nil {
				return err
			}
		} else if !r.perRow {
			r.askAhead(l, at)
		}
		if r.emit(out); done {
			return nil
		}
		at, out = r.cp.top(), &harvest.Page{}
	}
	return nil
}

func (r *reading) full() bool { return r.maxReads > 0 && r.cp.Reads >= r.maxReads }

// leave moves on from a list that is done: to a list below it, to the next page,
// or back, until something has to be asked for again. At the end of the walk it is
// an error that no list named anything.
func (r *reading) leave(l *list, out *harvest.Page) error {
	if r.full() {
		warn(out, "max_reads: %d pages were read, the others are left", r.maxReads)
		r.end()
		return nil
	}
	for l != nil {
		at := r.cp.top()
		if r.descend(l, at, out) {
			return nil
		}
		r.remember(l, at)
		delete(r.lists, at.URL)
		if next, ok := r.next(l, at, out); ok {
			*at = next
			return nil
		}
		r.cp.pop()
		if at = r.cp.top(); at == nil {
			break
		}
		if l = r.lists[at.URL]; l == nil {
			return nil // it was read before a restart: it is asked for again
		}
	}
	if r.cp.Start < len(r.starts) {
		return nil
	}
	if err := r.namedNothing(); err != nil {
		return err
	}
	if n := r.known.beyond; n > 0 {
		warn(out, "%d pages are more than can be remembered, and are read anew each time: split the site into entries, by section or sitemap", n)
	}
	r.end()
	return nil
}

// end ends the walk, but for the rows that are to be looked for beside it.
func (r *reading) end() {
	if len(r.unread) == 0 {
		r.cp.end(r.used())
		return
	}
	r.cp.Stack, r.cp.Start = nil, len(r.starts)
}

// descend goes to the next list below l.
func (r *reading) descend(l *list, at *place, out *harvest.Page) bool {
	for at.Child < len(l.children) {
		child := l.children[at.Child]
		at.Child++
		if r.known.seen(listKey(child)) {
			continue
		}
		if !r.mayList(out) {
			return false
		}
		r.cp.Barren = 0
		r.cp.Stack = append(r.cp.Stack, place{URL: child, Page: 1, Depth: at.Depth + 1})
		return true
	}
	return false
}

// mayList keeps to max_pages, and says once that it did.
func (r *reading) mayList(out *harvest.Page) bool {
	if r.cp.Lists < r.maxPages {
		return true
	}
	warn(out, "max_pages: %d lists were read, the others are left", r.maxPages)
	out.Partial = out.Partial || r.MaxPages == 0
	return false
}

// maxBarren lists in a row that name nothing new end a way through pages.
const maxBarren = 3

// next is the next page of the same list.
func (r *reading) next(l *list, at *place, out *harvest.Page) (place, bool) {
	address := l.next
	if address == "" || at.Loss && l.empty {
		return place{}, false
	}
	switch {
	case r.known.seen(listKey(address)):
		warn(out, "the next page leads back to %s: the list ends here", harvest.Redact(address))
		return place{}, false
	case r.cp.Barren >= maxBarren:
		warn(out, "%d lists in a row name nothing new: the list ends at %s", r.cp.Barren, harvest.Redact(at.URL))
		return place{}, false
	case !r.mayList(out):
		return place{}, false
	}
	return place{URL: address, Page: at.Page + 1, Depth: at.Depth}, true
}

// emit yields a page with the checkpoint after it.
func (r *reading) emit(out *harvest.Page) {
	out.Last = !r.cp.On
	out.Done = int64(r.cp.Reads)
	out.Listed = len(out.Documents) + len(out.Rejects) + out.Same
	out.NotModified = len(out.Documents)+len(out.Rejects) == 0 && (out.NotModified || out.Same > 0 || r.windowed())
	out.Checkpoint = r.checkpoint()
	if r.left > 0 {
		r.left -= min(r.left, len(out.Documents))
	}
	r.yielded++
	r.Send(*out)
	r.done = r.Stopped || out.Last || r.left == 0
}

func (r *reading) checkpoint() json.RawMessage { return r.cp.raw(&r.known) }

func warn(out *harvest.Page, format string, args ...any) {
	out.Warnings = append(out.Warnings, fmt.Sprintf(format, args...))
}

// bearable are the failures of one list or page that say nothing about the
// others.
func bearable(err error) bool {
	switch harvest.KindOf(err) {
	case harvest.KindGone, harvest.KindBlocked, harvest.KindBroken:
		return true
	}
	return false
}

// maxFails is how often one place may end an attempt before it is left aside.
const maxFails = 2

// passing are failures that may be over at the next attempt.
func passing(err error) bool {
	switch harvest.KindOf(err) {
	case harvest.KindServerError, harvest.KindTimeout:
		return true
	}
	return false
}
