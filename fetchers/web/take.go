package web

import (
	"net/http"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// firstBad is the first result that ends the attempt; len(batch) is none.
func (r *reading) firstBad(batch []*result) int {
	failed, lost := 0, 0
	for i, b := range batch {
		if b.err == nil {
			continue
		}
		if !r.bears(b.err) {
			return i
		}
		if failed++; harvest.KindOf(b.err) != harvest.KindGone || b.old == nil {
			lost++
		}
	}
	alone := failed > 2 || r.cp.Reads == 0 && lost > 0
	if failed > 0 && failed == len(batch) && alone && r.cp.Fails < maxFails {
		return 0 // not one of them: it is the site, not the page
	}
	return len(batch)
}

// bears reports a failure that costs one page alone. What may be over at the next
// attempt is waited for, unless there is none.
func (r *reading) bears(err error) bool {
	return r.ctx.Err() == nil && (bearable(err) || passing(err) && (r.req.LastAttempt || r.cp.Fails >= maxFails))
}

// halt ends an attempt at a page: what stood before it is kept.
func (r *reading) halt(q *batch, bad int, at *place, out *harvest.Page) error {
	batch, err := q.results, q.results[bad].err
	if r.ctx.Err() != nil {
		return err
	}
	if bad > 0 {
		if err := r.judgeBatch(batch[:bad]); err != nil {
			return err
		}
		r.take(batch[:bad], at, out)
		r.cp.Fails = 0
	}
	if at.Skip = batch[bad].at; bearable(err) || passing(err) {
		r.cp.Fails++
	} else if bad == 0 {
		return err
	}
	r.pass(q.unasked, at.Skip, out)
	r.emit(out)
	return err
}

// pass counts the known pages before a place of the list that are not asked for
// again.
func (r *reading) pass(unasked []*result, end int, out *harvest.Page) {
	for _, b := range unasked {
		if b.at < end {
			b.old.age = 0
			out.Same++
		}
	}
}

// judgeBatch looks at the pages of a batch as a whole.
func (r *reading) judgeBatch(batch []*result) error {
	var example *dom
	for _, b := range batch {
		if b.err == nil && b.d != nil {
			r.count(r.cp.Now, b.rec.hits)
			example = b.d
		}
	}
	if example == nil {
		return nil
	}
	return r.judge(r.cp.Before, r.cp.Now, example)
}

// take puts a batch on a page, and remembers what is known now.
func (r *reading) take(batch []*result, at *place, out *harvest.Page) {
	for _, b := range batch {
		r.cp.Reads++
		switch {
		case b.notModified:
			out.Same++
			b.resolve(out)
			e := *b.old
			e.age, e.flags = 0, e.flags&^flagMissed
			e.date(b.mod)
			r.known.put(b.key, e)
		case b.err != nil:
			r.lost(b, at, out)
		case len(b.rec.lacks) > 0:
			at.Loss = true
			out.Rejects = append(out.Rejects, b.reject(r.idOf(b), strings.Join(b.rec.lacks, "; "), b.a.Body))
			r.known.put(b.key, b.bare())
		default:
			r.keep(b, out)
		}
	}
}

// reject is a page that could not be read. It is asked for again by its address.
func (b *result) reject(id, reason string, raw []byte) harvest.Reject {
	x := harvest.Reject{ID: id, Reason: reason, Bytes: raw[:min(len(raw), answer.MaxEvidence)], Where: b.address}
	if b.key != canonical(b.address) {
		x.Where += " " + b.key
	}
	if b.unread != nil {
		x.ID, x.Where = b.unread.ID, b.unread.Where
	}
	return x
}

// resolve notes that nothing is unread any more of a page that was in quarantine.
func (b *result) resolve(out *harvest.Page) {
	if b.unread != nil {
		out.Resolved = append(out.Resolved, b.unread.ID)
	}
}

// idOf is the id of a page's document as far as it is known.
func (r *reading) idOf(b *result) string {
	switch {
	case b.rec.doc.ID != "":
		return b.rec.doc.ID
	case b.old != nil && b.old.flags&flagNote != 0:
		return b.old.note
	}
	return r.IDPrefix + b.key
}

// bare is what stays known of a page that brought nothing this time: whether it
// has a document, without the validators that would hide it.
func (b *result) bare() entry {
	e := entry{}
	if b.old != nil {
		e = *b.old
	}
	e.age, e.check, e.flags = 0, "", e.flags&^flagsCheck
	return e
}

func (e *entry) date(mod string) {
	if mod != "" {
		e.mod, e.flags = modOf(mod), e.flags|flagMod
	}
}

func (r *reading) keep(b *result, out *harvest.Page) {
	doc := b.rec.doc
	if b.isFile {
		doc = r.file(&b.a, b.link)
	} else if b.a.Final != nil && !r.names(fieldURL) {
		doc.URL = b.a.Final.String()
	}
	tell(out, &b.rec)
	if !r.req.Window.Contains(doc.Published) {
		r.known.put(b.key, b.bare())
		return
	}
	out.Documents = append(out.Documents, doc)
	b.resolve(out)
	e := b.stamp
	e.flags |= flagDocument
	e.date(b.mod)
	if r.names(fieldID) {
		e.note, e.flags = doc.ID, e.flags|flagNote
	}
	r.known.put(b.key, e)
}

// lost is a page that did not come. It is set aside; one that is gone becomes a
// tombstone, at once where the site says that it is for good, else at the second
// time.
func (r *reading) lost(b *result, at *place, out *harvest.Page) {
	e := b.bare()
	defer func() { r.known.put(b.key, e) }()
	if harvest.KindOf(b.err) != harvest.KindGone {
		at.Loss = true
		out.Rejects = append(out.Rejects, b.reject(r.idOf(b), reasonOf(b.err), harvest.AsError(b.err).Evidence))
		return
	}
	was, missed := e.flags&flagDocument != 0, e.flags&flagMissed != 0
	at.Loss = at.Loss || was && !missed
	e.flags |= flagMissed
	b.resolve(out)
	switch {
	case was && (missed || harvest.AsError(b.err).Status == http.StatusGone):
		doc, ok := r.tombstone(b, &e)
		if e.flags, e.note = flagMissed, ""; ok {
			out.Documents = append(out.Documents, doc)
			return
		}
		warn(out, "page %s is gone, and the id of its document is too long to be remembered: it stays", harvest.Redact(b.address))
	case was:
		warn(out, "page %s is not there: at the second time its document counts as deleted", harvest.Redact(b.address))
	case !missed && b.unread == nil:
		at.Loss = true
		out.Rejects = append(out.Rejects, b.reject(r.idOf(b), "it is listed, but not there: "+reasonOf(b.err), harvest.AsError(b.err).Evidence))
		return
	case b.unread != nil:
		return
	}
	out.Same++ // nothing has changed about it
}

// reasonOf is an error without its advice, which is for items.
func reasonOf(err error) string {
	e := *harvest.AsError(err)
	e.Advice = ""
	return e.Error()
}

func (r *reading) tombstone(b *result, e *entry) (harvest.Document, bool) {
	id := e.note
	if !r.names(fieldID) {
		id = r.IDPrefix + b.key
	}
	return harvest.Document{ID: id, URL: b.address, Kind: kindPage, Deleted: true}, id != ""
}
