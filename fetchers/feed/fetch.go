package feed

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/url"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// Fetch is part of harvest.Fetcher: the feed itself, then, when there is ground
// not known yet, its older pages; one HTTP document at a time.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r, err := f.begin(ctx, req, out)
		if err != nil {
			return err
		}
		return r.run()
	})
}

// reading is one Fetch under way.
type reading struct {
	*Fetcher
	*pages.Out
	ctx    context.Context
	req    harvest.Request
	params Params
	// cp is what was committed last.
	cp checkpoint
	// visited are addresses of pages, yielded the ids of documents.
	visited map[string]bool
	yielded map[string]bool
	done    int64
	// hosts are those of the feed; pages elsewhere are not asked for.
	hosts []string
	// again are older pages with records that could not be read.
	again []string
	// full: as much was read as a run may.
	full bool
}

func (f *Fetcher) begin(ctx context.Context, req harvest.Request, out *pages.Out) (*reading, error) {
	r := &reading{Fetcher: f, Out: out, ctx: ctx, req: req, visited: map[string]bool{}, yielded: map[string]bool{}}
	var err error
	if r.params, err = harvest.DecodeParams[Params](req.Params); err != nil {
		return r, err
	}
	if r.params.URL == "" {
		err := harvest.Errorf(harvest.KindMisconfigured, "read params", "url", "is required")
		err.Advice = "opml is a list of feeds: give the entry split: {ask: opml}"
		return r, err
	}
	made, err := harvest.Fingerprint(r.params)
	r.cp = restore(req.Checkpoint, decoding+made)
	r.keepTo(r.params.URL)
	r.again = r.pagesToRepeat()
	return r, err
}

// decoding is part of what a checkpoint was made with: raised when the same feed
// gives other documents than before, so that it is read again and not found
// unchanged.
const decoding = "2:"

// whole reports a fetch that is to bring everything listed, known or not.
func (r *reading) whole() bool { return r.req.ForceRefresh || r.windowed() }

func (r *reading) windowed() bool { return !r.req.Window.IsZero() }

func (r *reading) run() error {
	if err := r.head(); err != nil {
		return err
	}
	for r.cp.Walk != nil && !r.Stopped && !r.full {
		if err := r.step(*r.cp.Walk); err != nil {
			return err
		}
	}
	for len(r.again) > 0 && !r.Stopped {
		if err := r.repeat(); err != nil {
			return err
		}
	}
	return nil
}

// last reports that no page follows one with this checkpoint.
func (r *reading) last(after checkpoint) bool {
	return (after.Walk == nil || r.full) && len(r.again) == 0
}

// head reads the feed itself.
func (r *reading) head() error {
	p := &page{key: r.params.URL}
	a, err := r.askHead(p)
	defer a.Release()
	if err != nil && !r.salvage(a, err, p) {
		return err
	}
	r.visited[r.params.URL], r.visited[a.Final.String()] = true, true
	r.keepTo(a.Final.String())
	p.hash = harvest.Digest(a.Body)
	if a.NotModified || !r.whole() && !r.halfway(p) && r.cp.Hash == p.hash {
		return r.unchanged(a, p)
	}
	if err := r.parse(a, p, r.params.MaxEntries); err != nil {
		return err
	}
	after := r.cp
	after.moved(a)
	after.Walk = r.planWalk(p)
	if after.forget(); p.sound() {
		after.ETag, after.LastModified, after.Hash, after.Listed = a.ETag, a.LastModified, p.hash, p.listed
	}
	if ids := seenOf(p.docs); len(ids) > 0 && !p.partial {
		after.Seen = ids
	}
	r.emit(p, after)
	return nil
}

// halfway reports a page that was yielded in part.
func (r *reading) halfway(p *page) bool { return r.cp.Part != nil && r.cp.Part.URL == p.key }

// askHead asks where the feed moved to, or, when that is gone, where it was.
func (r *reading) askHead(p *page) (answer.Answer, error) {
	if r.whole() || r.halfway(p) {
		r.cp.ETag, r.cp.LastModified = "", ""
	}
	if r.cp.URL != "" {
		a, err := r.get(r.ctx, r.cp.URL, r.cp.validators())
		if harvest.KindOf(err) != harvest.KindGone {
			p.warn("%s", visit.MovedWarning(r.params.URL, harvest.Redact(r.cp.URL))) // the runner sees no redirect any more
			return a, err
		}
		p.warn("%s, where the feed had moved, is gone: its configured address is asked again", harvest.Redact(r.cp.URL))
		r.cp.URL = ""
		r.cp.forget()
	}
	return r.get(r.ctx, r.params.URL, r.cp.validators())
}

// salvage keeps what came of a body that broke off, when no attempt follows
// that could bring the rest.
func (r *reading) salvage(a answer.Answer, err error, p *page) bool {
	kind := harvest.KindOf(err)
	if !a.Short || !r.req.LastAttempt || kind != harvest.KindServerError && kind != harvest.KindTimeout || r.ctx.Err() != nil {
		return false
	}
	doc, parseErr := parse(repair(a.Body, a.ContentType(), r.params.Encoding), 0)
	if parseErr != nil || len(doc.records) == 0 {
		return false
	}
	p.partial = true
	p.warn("the answer broke off (%s) and no attempt is left: what came is kept", kind)
	return true
}

// unchanged ends a fetch whose feed is as it was; a walk that was under way
// goes on without a word.
func (r *reading) unchanged(a answer.Answer, p *page) error {
	r.cp.ETag, r.cp.LastModified = firstOf(a.ETag, r.cp.ETag), firstOf(a.LastModified, r.cp.LastModified)
	r.cp.moved(a)
	if r.cp.Walk != nil {
		return nil
	}
	r.Send(harvest.Page{
		Checkpoint: r.checkpoint(r.cp), Listed: r.cp.Listed, NotModified: true, Warnings: p.warnings, Last: len(r.again) == 0,
	})
	return nil
}

// parse fills p from what came.
func (r *reading) parse(a answer.Answer, p *page, limit int) error {
	doc, err := parse(repair(a.Body, a.ContentType(), r.params.Encoding), limit)
	if other, ok := errors.AsType[*errNotAFeed](err); ok {
		return notAFeed(a.Final.String(), a, other)
	}
	if doc.cut && len(doc.records) == 0 {
		return harvest.Errorf(harvest.KindServerError, "parse feed", a.Final.String(), "the document breaks off before its first entry ends")
	}
	p.fill(doc, adapter{params: r.params, base: r.base(a), at: a.Final})
	r.stayHome(p)
	for i := range p.rejects {
		p.rejects[i].Where = r.where(p.key)
	}
	for _, d := range p.docs {
		if !r.yielded[d.ID] {
			p.fresh++
		}
	}
	return nil
}

// base is what addresses in a document are relative to: where it came from, but the
// address in the file once that has moved for good, lest every entry gets another id.
func (r *reading) base(a answer.Answer) *url.URL {
	there, err := url.Parse(firstOf(a.Moved, r.cp.URL))
	if err != nil || there.Host == "" || there.Host != a.Final.Host || there.Scheme != a.Final.Scheme {
		return a.Final
	}
	here, err := url.Parse(r.params.URL)
	if err != nil {
		return a.Final
	}
	if there.Path != a.Final.Path {
		moved := *a.Final
		moved.Scheme, moved.Host = here.Scheme, here.Host
		return &moved
	}
	return here
}

// planWalk decides whether older pages are read: on the first fetch, when
// everything is asked for, and when nothing on this page is known, so that
// entries may have passed by. A walk that is under way goes on, from this
// page's end where that is higher up.
func (r *reading) planWalk(p *page) *walk {
	known, old := r.cp.Seen, r.cp.Walk
	if r.whole() {
		known, old = nil, nil
	}
	if p.meets(known) || !r.mayGoOn(p, 1, p.listed) {
		return old
	}
	if old != nil {
		known = old.Known
	}
	return &walk{URL: p.next, Known: known, Pages: 1, Entries: p.listed, Run: amount{Pages: 1, Entries: p.listed}}
}

// mayGoOn reports whether a page leads to another one within the limits.
func (r *reading) mayGoOn(p *page, pages, entries int) bool {
	switch {
	case p.next == "" || p.partial || p.listed == 0:
		return false
	case r.params.MaxPages > 0 && pages >= r.params.MaxPages, r.params.MaxEntries > 0 && entries >= r.params.MaxEntries:
		return false
	case r.visited[p.next]:
		p.warn("the next page leads back to %s: older entries end here", harvest.Redact(p.next))
		return false
	case p.fresh == 0 && len(p.docs) > 0:
		p.warn("a page lists only what was listed before: older entries end here")
		return false
	}
	return !p.allBefore(r.req.Window.From)
}

// step reads one older page.
func (r *reading) step(w walk) error {
	p, after := &page{key: w.URL}, r.cp
	r.visited[w.URL] = true
	a, err := r.get(r.ctx, w.URL, answer.Validators{})
	defer a.Release()
	if harvest.KindOf(err) == harvest.KindGone {
		p.partial, after.Walk = true, nil
		p.warn("older page %s is gone: its entries are missing", harvest.Redact(w.URL))
		r.emit(p, after)
		return nil
	}
	if err != nil {
		return err
	}
	r.visited[a.Final.String()] = true
	p.hash = harvest.Digest(a.Body)
	if err := r.parse(a, p, max(0, r.params.MaxEntries-w.Entries)); err != nil {
		return err
	}
	after.Walk = &walk{URL: p.next, Known: w.Known, Pages: w.Pages + 1, Entries: w.Entries + p.listed, Run: w.Run.plus(p)}
	if p.meets(w.Known) || !r.mayGoOn(p, after.Walk.Pages, after.Walk.Entries) {
		after.Walk = nil
	}
	r.bound(p, after.Walk)
	r.emit(p, after)
	return nil
}

// emit yields a document as one page or, where it is long, as several; after is
// the checkpoint behind the last of them.
func (r *reading) emit(p *page, after checkpoint) {
	skip := 0
	if r.halfway(p) && r.cp.Part.Hash == p.hash {
		skip = min(r.cp.Part.Skip, len(p.docs))
	}
	if after.Part != nil && after.Part.URL == p.key {
		after.Part = nil
	}
	for !r.Stopped {
		out := r.cut(p, skip)
		if skip += harvest.MaxPageDocuments; skip < len(p.docs) {
			r.cp.Part = &part{URL: p.key, Hash: p.hash, Skip: skip}
		} else {
			r.cp, out.Last = after, r.last(after)
		}
		out.Checkpoint = r.checkpoint(r.cp)
		if r.Send(out); out.Last || skip >= len(p.docs) {
			return
		}
	}
}

// cut takes the next documents of p. What was yielded before is left out: pages
// shift while they are read, and the first one has the newest version.
func (r *reading) cut(p *page, skip int) harvest.Page {
	out := harvest.Page{}
	for _, d := range p.docs[skip:min(len(p.docs), skip+harvest.MaxPageDocuments)] {
		if !r.yielded[d.ID] && r.req.Window.Contains(d.Published) {
			out.Documents = append(out.Documents, d)
		}
		r.yielded[d.ID] = true
	}
	if skip == 0 {
		out.Rejects, out.Warnings, out.Partial, out.Resolved = p.rejects, p.warnings, p.partial, r.settled(p)
	}
	out.Listed = len(out.Documents) + len(out.Rejects)
	out.NotModified = out.Listed == 0 && p.listed > 0 && r.windowed()
	r.done += int64(out.Listed)
	out.Done = r.done
	return out
}

// checkpoint writes c. A window moves nothing: it is no way through the feed.
func (r *reading) checkpoint(c checkpoint) json.RawMessage {
	if r.windowed() {
		return r.req.Checkpoint
	}
	return c.raw()
}
