package gazzetta

import (
	"errors"
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// issue reads one issue: the issue itself, then act by act from where the walk
// stands in it.
func (r *reading) issue(k key) error {
	p, err := r.issuePage(k)
	if err != nil {
		return r.issueFailed(k, err)
	}
	r.remember(k, p)
	l := r.w.Legs[0]
	entries := p.entries
	if l.Act != "" {
		entries = slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return e.id != l.Act })
	}
	if at := r.w.At; at == nil || at.Issue != k {
		r.w.At = &place{Issue: k}
		if l.Act == "" {
			if err := r.emitIssue(k, p); err != nil || r.stopped {
				return err
			}
		}
	}
	for i := r.w.At.index(entries); i < len(entries); i++ {
		if err := r.act(k, entries[i], i, i == len(entries)-1); err != nil || r.stopped {
			return err
		}
	}
	r.finish(k)
	return nil
}

// index is where an issue goes on: behind the act that was done last, wherever
// it stands now.
func (p *place) index(entries []entry) int {
	if i := slices.IndexFunc(entries, func(e entry) bool { return e.id == p.Act && p.Act != "" }); i >= 0 {
		return i + 1
	}
	return min(p.Acts, len(entries))
}

// issueFailed puts an issue aside that may come later, and goes on with the
// next one.
func (r *reading) issueFailed(k key, err error) error {
	kind := harvest.KindOf(err)
	if !isCause(err, errNotYet) && kind != harvest.KindGone && (kind != harvest.KindServerError || !r.req.LastAttempt) {
		return err
	}
	if err := r.putAside(late{Issue: k}, err); err != nil {
		return err
	}
	r.finish(k)
	return nil
}

// issuePage asks for the page of an issue, and, where that is the stub, by its
// other address: then it is not that the series was named wrongly.
func (r *reading) issuePage(k key) (issuePage, error) {
	own, eli := r.adapter(k).issueAddress()
	doc, _, err := r.site.page(r.ctx, own, hasActs)
	if isCause(err, errNotYet) {
		other, _, otherErr := r.site.page(r.ctx, eli, hasActs)
		if otherErr == nil {
			doc, err = other, nil
		} else if r.ctx.Err() != nil {
			err = otherErr
		}
	}
	if err != nil {
		return issuePage{}, err
	}
	p := parseIssue(doc)
	for i := range p.entries {
		if p.entries[i].day == "" {
			p.entries[i].day = k.Day
		}
	}
	return p, nil
}

// remember keeps the codes of an issue for the comparison with the feed.
func (r *reading) remember(k key, p issuePage) {
	r.codesOf, r.codes = k, map[string]bool{}
	for _, e := range p.entries {
		r.codes[e.code] = true
	}
}

// emitIssue yields the issue itself, with its PDFs when they are wanted; those
// of issues that were read before are there already.
func (r *reading) emitIssue(k key, p issuePage) error {
	a := r.adapter(k)
	page := harvest.Page{Documents: []harvest.Document{a.issueDocument(p)}, Rejects: p.rejects}
	if r.params.PDF && r.w.Legs[0].For != forKnown {
		for _, id := range a.pdfIDs(p) {
			body, err := r.site.pdf(r.ctx, a.url(id))
			if err != nil && !lacksPDF(err) {
				return err
			}
			if err != nil {
				page.Partial = true
				r.warn("%s has no PDF at %s: %s", r.name(late{Issue: k}), id, harvest.AsError(err).Err)
				continue
			}
			page.Documents = append(page.Documents, a.pdfDocument(id, body))
		}
	}
	page.Listed = len(page.Documents) + len(page.Rejects)
	r.emit(page)
	return nil
}

// lacksPDF reports an address without a PDF, for good; one that is larger than
// the worker takes counts as well.
func lacksPDF(err error) bool {
	kind := harvest.KindOf(err)
	return errors.Is(err, errNoPDF) || kind == harvest.KindGone || kind == harvest.KindBroken
}
