package web

import (
	"context"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// result is what became of one link.
type result struct {
	link
	// at is its place on the list, old what is known of it.
	at  int
	old *entry
	// unread is the record in quarantine that is asked for again; nil: the list
	// names the page.
	unread *harvest.Unread
	a      fetched
	d      *dom
	rec    record
	// stamp is what it is known by the next time.
	stamp       entry
	notModified bool
	isFile      bool
	err         error
}

// takePages asks for the next pages a list names, at most budget of them.
func (r *reading) takePages(l *list, at *place, out *harvest.Page, budget int) error {
	q := r.taken()
	end := q.fill(l, at, budget)
	q.ask()
	batch := q.results
	if bad := r.firstBad(batch); bad < len(batch) {
		return r.halt(q, bad, at, out)
	}
	if err := r.judgeBatch(batch); err != nil {
		return err
	}
	r.take(batch, at, out)
	r.pass(q.unasked, end, out)
	at.Skip, r.cp.Fails = end, 0
	if at.Skip >= len(l.links) {
		r.barren(l.named || l.unchanged)
	}
	return nil
}

// enough bounds a batch by what is still wanted.
func (r *reading) enough(n int) bool {
	return r.left >= 0 && n >= r.left || r.maxReads > 0 && r.cp.Reads+n >= r.maxReads
}

// settled reports a known page that is not asked for again.
func (r *reading) settled(old *entry, e link) bool {
	if r.Revisit != "changed" || r.whole() || old == nil || old.flags&flagDocument == 0 {
		return false
	}
	return e.mod == "" || old.flags&flagMod != 0 && old.mod == modOf(e.mod)
}

func (r *reading) read(ctx context.Context, b *result) {
	var v answer.Validators
	if !r.whole() && b.old != nil && b.old.flags&flagDocument != 0 {
		v = b.old.validators()
	}
	if b.a, b.err = r.get(ctx, b.address, v); b.err != nil || b.a.NotModified {
		b.notModified = b.a.NotModified
		return
	}
	if !r.whole() && b.old.same(b.a.Body) {
		b.notModified = true
		b.a.free()
		return
	}
	if b.err = r.strayed(b); b.err != nil {
		return
	}
	b.stamp.keep(&b.a)
	if b.isFile = !b.a.isPage(); !b.isFile {
		r.readPage(b)
	}
}

// readPage reads a page's fields; its bytes are kept where somebody may have to
// look at them.
func (r *reading) readPage(b *result) {
	if b.d, b.err = r.parse(b.a, b.address); b.err != nil {
		return
	}
	b.rec = r.extract(b.d.root, b.d.base, b.link)
	b.err = r.verdict(b)
	b.d.free()
	if b.err == nil && len(b.rec.lacks) == 0 && r.complete(b.rec.hits) {
		b.a.free()
		b.d.fetched = b.a
	}
}

// strayed: a page that was redirected to another host is not the one that was
// listed.
func (r *reading) strayed(b *result) error {
	u := b.a.Final
	if u == nil || r.mine(u) {
		return nil
	}
	e := &harvest.Error{
		Kind: harvest.KindBroken, Op: "get", On: b.address, Err: errorText("it leads to another host, " + u.Host),
		Advice: "add it to hosts if it is meant", Evidence: b.a.Evidence(),
	}
	if consent(u) {
		e.Kind, e.Err, e.Advice = harvest.KindBlocked, errorText("a question for consent came in place of the page"), adviceBlocked
	}
	return e
}

// verdict looks at a page that was read: is it what was listed?
func (r *reading) verdict(b *result) error {
	lacking := len(b.rec.lacks) > 0
	if b.d.led(r.plan) || r.plan.missing.first(b.d.root) != nil || (lacking || !r.requires()) && b.d.notFound() {
		return &harvest.Error{
			Kind: harvest.KindGone, Op: "get", On: b.address, Err: errorText("the page says that it is not there, or leads to the front page or to the list"), Evidence: b.d.Evidence(),
		}
	}
	if lacking || r.demanding() && !b.rec.content {
		if wall := b.d.wall(); wall != "" {
			return b.d.blocked(wall)
		}
	}
	if !r.demanding() && len(b.a.Body) < smallPage && b.d.asksPassword() {
		return b.d.blocked("a form to log in")
	}
	return nil
}

const smallPage = 16 << 10
