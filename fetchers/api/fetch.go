package api

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: page after page of the API, from the start that is
// asked for.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r := &reading{Fetcher: f, Out: out, ctx: ctx, req: req, met: map[string]bool{}}
		if err := r.begin(); err != nil {
			return err
		}
		return r.Steps(&r.done, r.step)
	})
}

// reading is one Fetch under way.
type reading struct {
	*Fetcher
	*pages.Out
	ctx  context.Context
	req  harvest.Request
	plan *plan
	cp   checkpoint
	// walk is the one under way; resumed: it began in another fetch, and nothing of it
	// came in this one.
	walk          *walk
	resumed, done bool
	// whole: the walk began in this fetch, so that all it lists is met.
	whole bool
	// before are the ids of the page before; met are records that could not be read.
	before, met map[string]bool
}

func (r *reading) begin() error {
	p, err := harvest.DecodeParams[Params](r.req.Params)
	if err != nil {
		return err
	}
	if r.plan, err = p.compile(); err != nil {
		return harvest.Errorf(harvest.KindMisconfigured, "read params", "", "%w", err)
	}
	made, err := p.made()
	r.cp = restore(r.req, made, r.now())
	if r.walk = r.cp.Walk; r.walk == nil {
		r.restart()
	} else {
		r.resumed = true
	}
	return err
}

// restart begins a walk.
func (r *reading) restart() {
	r.walk = &walk{Start: r.start(), Began: r.now().Unix(), Again: r.req.ForceRefresh, At: r.plan.first()}
	r.whole, r.resumed, r.before = true, false, nil
}

func (r *reading) windowed() bool { return !r.req.Window.IsZero() }

// step reads one page of the API.
func (r *reading) step() error {
	known := answer.Validators{}
	if r.walk.Pages == 0 && r.plan.Incremental == nil && !r.req.ForceRefresh && !r.windowed() && len(r.req.Unread) == 0 {
		known = answer.Validators{ETag: r.cp.ETag, LastModified: r.cp.LastModified}
	}
	a, err := r.ask(known)
	defer a.Release()
	switch {
	case err != nil && r.resumed && lost(err):
		r.restart() // the place no longer exists: the start does
		return nil
	case err != nil:
		return err
	case a.NotModified:
		r.cp.Walk, r.done = nil, true
		r.send(harvest.Page{NotModified: true, Listed: r.cp.Listed, Last: true})
		return nil
	}
	return r.take(&a)
}

// lost reports that a place in a list is no longer known.
func lost(err error) bool {
	switch harvest.AsError(err).Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusUnprocessableEntity:
		return true
	}
	return false
}

// take reads the records of an answer and sends them.
func (r *reading) take(a *answer.Answer) error {
	root, err := r.plan.read(a)
	if err != nil {
		return err
	}
	if said := r.plan.failed.one(root); said != nil {
		return broken(a, "the answer is an error: %.300s", strings.ToValidUTF8(textOf(said), "?"))
	}
	records, known := r.plan.records(root)
	if !known {
		e := broken(a, "data_selector %s finds nothing", r.plan.DataSelector)
		e.Advice = "if that means that there are no records, set absent_is_empty: true"
		return e
	}
	of := r.adapt(records)
	if err := r.check(a, of); err != nil {
		return err
	}
	next, err := r.next(a, root, len(records), of)
	if err != nil {
		return err
	}
	r.settle(of)
	r.emit(a, of, next)
	if next != nil && !r.Stopped {
		return r.pause(a)
	}
	return nil
}

// least is from how many records on a page says something of all others.
const least = 3

// check refuses a page whose records are not what they always were.
func (r *reading) check(a *answer.Answer, of *report) error {
	none := 0
	for _, x := range of.rejects {
		if x.ID == "" {
			none++
		}
	}
	if of.read > 0 && none == of.read {
		return broken(a, "primary_key %s finds no id in any of %d records", r.plan.PrimaryKey, of.read)
	}
	for _, f := range r.plan.fields {
		if of.read >= least && of.found[f.name] == 0 && slices.Contains(r.cp.Always, f.name) {
			return broken(a, "fields.%s: %s finds nothing in any of %d records, and always did before", f.name, r.plan.Fields[f.name], of.read)
		}
	}
	return nil
}

// settle takes away what is known as it is.
func (r *reading) settle(of *report) {
	whole := r.plan.Incremental == nil
	all := make([]string, 0, len(of.documents))
	for i := range of.documents {
		all = append(all, short(&of.documents[i]))
	}
	w := r.walk
	w.remember(all, whole, !whole && r.plan.Incremental.RowOrder == "desc")
	if r.req.ForceRefresh || r.windowed() {
		return
	}
	listed := len(of.documents)
	switch {
	case !whole:
		n := 0
		of.documents = slices.DeleteFunc(of.documents, func(harvest.Document) bool {
			n++
			return slices.Contains(r.cp.Seen, all[n-1])
		})
	case w.Pages < len(r.cp.Hashes) && w.Pages < len(w.Hashes) && w.Hashes[w.Pages] == r.cp.Hashes[w.Pages]:
		of.documents = nil
	}
	of.same += listed - len(of.documents)
}

// emit sends the documents of one answer, as several pages where they are many; next is
// where the walk goes on, nil at its end.
func (r *reading) emit(a *answer.Answer, of *report, next *place) {
	docs := r.wanted(of)
	skip := min(r.walk.Skip, len(docs))
	for first := skip == 0; !r.Stopped; first = false {
		n := min(len(docs)-skip, harvest.MaxPageDocuments)
		page := harvest.Page{Documents: docs[skip : skip+n]}
		skip += n
		if first {
			page.Rejects, page.Same = of.rejects, of.same
			if of.twice != "" {
				page.Partial = true
				page.Warnings = []string{fmt.Sprintf("two records of a page have the id %s: the first one counts; is primary_key right?", of.twice)}
			}
		}
		page.Listed = len(page.Documents) + len(page.Rejects) + page.Same
		last := skip >= len(docs)
		if r.walk.Skip = skip; last {
			r.advance(a, of, next, &page)
		}
		r.send(page)
		if last {
			return
		}
	}
}

// wanted are the documents that a window wants, else all.
func (r *reading) wanted(of *report) []harvest.Document {
	if !r.windowed() {
		return of.documents
	}
	return slices.DeleteFunc(of.documents, func(d harvest.Document) bool { return !r.req.Window.Contains(d.Published) })
}

// advance moves behind an answer, and ends the walk at the last one.
func (r *reading) advance(a *answer.Answer, of *report, next *place, page *harvest.Page) {
	w := r.walk
	w.keep(r.plan.fields, of)
	w.Pages, w.Read, w.High, w.Last, w.Skip = w.Pages+1, w.Read+of.read+of.same, of.high, digest(of.ids), 0
	for _, x := range of.rejects {
		r.met[x.ID] = true
		if x.ID == "" {
			r.met[harvest.Digest(x.Bytes)] = true
		}
	}
	r.before, r.resumed = of.ids, false
	page.Done = int64(w.Read)
	if next != nil {
		w.At = *next
		return
	}
	r.end(a, page)
}

// end closes the walk: what it met is known from now on.
func (r *reading) end(a *answer.Answer, page *harvest.Page) {
	w := r.walk
	r.done, page.Last = true, true
	page.NotModified = w.Read == 0 && r.cp.Cursor != nil || r.windowed() && page.Listed == 0
	if page.Resolved = r.resolved(); r.windowed() {
		return
	}
	r.cp.ETag, r.cp.LastModified, r.cp.Listed = "", "", 0
	if w.Pages == 1 && len(page.Rejects) == 0 && !page.Partial {
		r.cp.ETag, r.cp.LastModified, r.cp.Listed = a.ETag, a.LastModified, w.Read
	}
	if w.Read > 0 {
		r.cp.Always = w.Found
	}
	r.cp.Hashes = w.Hashes
	all := append(slices.Clone(w.Seen), r.cp.Seen...)
	r.cp.Seen = all[:min(len(all), maxSeen)]
	r.cp.Cursor, r.cp.Walk, r.walk = r.plan.higher(r.cp.Cursor, w.High), nil, nil
}

// resolved are the unread records that a whole walk did not list as unreadable again.
func (r *reading) resolved() (ids []string) {
	if !r.whole || r.windowed() {
		return nil
	}
	for _, u := range r.req.Unread {
		if !r.met[u.ID] {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// send yields a page with the state after it; a window moves nothing.
func (r *reading) send(page harvest.Page) {
	r.cp.Walk = r.walk
	if r.done {
		r.cp.Walk = nil
	}
	if page.Checkpoint = pages.Write(r.cp); r.windowed() {
		page.Checkpoint = r.req.Checkpoint
	}
	r.Send(page)
}
