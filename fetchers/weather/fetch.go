package weather

import (
	"context"
	"iter"
	"slices"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: place after place in the order of the file; a
// page is of one place.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r := &reading{Fetcher: f, Out: out, ctx: ctx, req: req}
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
	ctx    context.Context
	req    harvest.Request
	params Params
	places []Place
	cp     checkpoint
	// done: all places have been read.
	done bool
}

// report is what a service says of one place.
type report struct {
	documents []harvest.Document
	rejects   []harvest.Reject
	warnings  []string
	partial   bool
	// same: the service said that nothing has changed.
	same bool
	// known goes with what it has, where there is nothing to be read again.
	known known
}

func (r *reading) begin() (err error) {
	if r.params, err = harvest.DecodeParams[Params](r.req.Params); err != nil {
		return err
	}
	made, err := r.params.made()
	r.places = r.params.places()
	if r.cp = restore(r.req, made, r.now(), len(r.places)); r.windowed() {
		r.cp.At, r.cp.After = 0, ""
	}
	return err
}

func (r *reading) windowed() bool { return !r.req.Window.IsZero() }

// step asks for the next places and yields what came of them.
func (r *reading) step() error {
	ask := r.openMeteo
	if r.params.service() == METNorway {
		ask = r.metNorway
	}
	reports, err := ask()
	for i := range reports {
		if r.emit(r.places[r.cp.At], &reports[i]); r.Stopped || r.done {
			return nil
		}
	}
	return err
}

// emit yields the pages of one place: one, unless it has more documents than a page
// may have.
func (r *reading) emit(at Place, of *report) {
	r.compare(at, of)
	listed := len(of.documents)
	docs := r.left(of.documents)
	for first := true; !r.Stopped; first = false {
		n := min(len(docs), harvest.MaxPageDocuments)
		page := harvest.Page{Documents: docs[:n], Listed: n}
		if docs = docs[n:]; len(docs) > 0 {
			r.cp.After = page.Documents[n-1].ID
		} else {
			r.advance(of)
		}
		if first {
			r.first(&page, at, of, listed)
		}
		r.send(page)
		if len(docs) == 0 {
			return
		}
	}
}

// had is what is known of the next place, as far as it may be used.
func (r *reading) had(at Place) known {
	k := r.cp.Known[r.cp.At]
	if k == nil || r.req.ForceRefresh || r.windowed() || r.unread(at) {
		return known{}
	}
	return *k
}

// compare takes away what is as it was known. What is known from now on counts when
// the last document of the place is out: see advance.
func (r *reading) compare(at Place, of *report) {
	had := r.had(at)
	if !of.same {
		of.known.Hash, of.known.Listed = hash(of.documents), len(of.documents)
	}
	if of.whole() && had.Hash == of.known.Hash {
		of.same, of.documents = true, nil
	}
	r.cp.Known[r.cp.At] = nil
}

func (of *report) whole() bool { return len(of.rejects) == 0 && !of.partial }

// first adds what is said once of a place.
func (r *reading) first(page *harvest.Page, at Place, of *report, listed int) {
	page.Rejects, page.Warnings, page.Partial = of.rejects, of.warnings, of.partial
	page.Resolved = r.resolved(at, of)
	page.Listed += len(of.rejects)
	switch {
	case of.same:
		page.NotModified, page.Listed = true, of.known.Listed
	case r.windowed() && page.Listed == 0:
		page.NotModified = listed > 0
	}
}

// left are the documents that this fetch is to bring: those in the window, and
// behind the one at which it was cut.
func (r *reading) left(docs []harvest.Document) []harvest.Document {
	if i := slices.IndexFunc(docs, func(d harvest.Document) bool { return d.ID == r.cp.After }); r.cp.After != "" && i >= 0 {
		docs = docs[i+1:]
	}
	if !r.windowed() {
		return docs
	}
	return slices.DeleteFunc(slices.Clone(docs), func(d harvest.Document) bool { return !r.req.Window.Contains(d.Published) })
}

func (r *reading) advance(of *report) {
	if of.whole() {
		r.cp.Known[r.cp.At] = &of.known
	}
	r.cp.At, r.cp.After = r.cp.At+1, ""
	r.done = r.cp.At >= len(r.places)
}

// send yields a page with the state after it; a window moves nothing.
func (r *reading) send(page harvest.Page) {
	page.Done, page.Total, page.Last = int64(r.cp.At), int64(len(r.places)), r.done
	after := r.cp
	if r.done {
		after.done()
	}
	if page.Checkpoint = after.raw(); r.windowed() {
		page.Checkpoint = r.req.Checkpoint
	}
	r.Send(page)
}
