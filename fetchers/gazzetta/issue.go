package gazzetta

import (
	"slices"

	"github.com/PuerkitoBio/goquery"

	"github.com/vendemmia/vendemmia/harvest"
)

// issue reads one issue: the issue itself, then act by act from where the walk
// stands in it.
func (r *reading) issue(k key) error {
	p, err := r.issuePage(k)
	if err != nil {
		return r.issueFailed(k, err)
	}
	r.read++
	r.remember(k, p)
	entries := r.wanted(k, p)
	if at := r.w.At; at == nil || at.Issue != k {
		r.w.At = &place{Issue: k}
		if r.w.Legs[0].Act == "" {
			if err := r.emitIssue(k, p); err != nil || r.Stopped {
				return err
			}
		}
	}
	for i := r.w.At.index(entries); i < len(entries); i++ {
		if err := r.act(k, entries[i], i, i == len(entries)-1); err != nil || r.Stopped {
			return err
		}
	}
	r.finish(k)
	return nil
}

// wanted are the acts of an issue that a leg reads: all, or the late one alone.
func (r *reading) wanted(k key, p issuePage) []entry {
	act := r.w.Legs[0].Act
	if act == "" {
		return p.entries
	}
	only := slices.DeleteFunc(slices.Clone(p.entries), func(e entry) bool { return e.id != act })
	if len(only) == 0 {
		r.partial = true
		r.warn("%s could not be read, and its issue no longer lists it: it is not tried again", r.name(late{Issue: k, Act: act}))
	}
	return only
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
	if !r.passing(err) {
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
	var p issuePage
	right := func(d *goquery.Document) bool {
		p = parseIssue(d)
		return len(p.entries) > 0 && !isHome(d)
	}
	own, eli := r.adapter(k).issueAddress()
	_, _, err := r.site.page(r.ctx, own, right)
	if isNotYet(err) {
		_, _, otherErr := r.site.page(r.ctx, eli, right)
		if otherErr == nil || r.ctx.Err() != nil {
			err = otherErr
		}
	}
	if err != nil {
		return issuePage{}, err
	}
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
	page := harvest.Page{Documents: []harvest.Document{r.adapter(k).issueDocument(p)}, Rejects: r.rejectsOf(k, p)}
	if r.params.PDF && !r.w.Legs[0].Had {
		pdfs, err := r.issuePDFs(k, p)
		if err != nil {
			return err
		}
		page.Documents = append(page.Documents, pdfs...)
	}
	page.Listed = len(page.Documents) + len(page.Rejects)
	r.emit(page)
	return nil
}

// issuePDFs asks for the PDFs of an issue and its supplements. One that is not
// there is told; for one that the site cannot show the issue is put aside.
func (r *reading) issuePDFs(k key, p issuePage) (docs []harvest.Document, err error) {
	a := r.adapter(k)
	for _, id := range a.pdfIDs(p) {
		body, err := r.site.pdf(r.ctx, a.url(id))
		switch {
		case err == nil:
			docs = append(docs, a.pdfDocument(id, body))
			continue
		case lacksPDF(err):
			r.warn("%s has no PDF at %s: %s", r.name(late{Issue: k}), id, harvest.AsError(err).Err)
		case !r.passing(err):
			return nil, err
		default:
			if err := r.putAside(late{Issue: k}, err); err != nil {
				return nil, err
			}
		}
		r.partial = true
	}
	return docs, nil
}
