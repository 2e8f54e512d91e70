package gazzetta

import (
	"errors"
	"slices"

	"github.com/vendemmia/vendemmia/harvest"
)

// maxTold are so many warnings of one sort as a person reads.
const maxTold = 10

// end closes a walk with a page of its own. What is still late makes it partial;
// where a retry may bring it, the error that asks for one follows the page.
func (r *reading) end(last bool) error {
	w := r.w
	live := w == r.cp.Live
	if w.Missing > 0 && w.Done == 0 {
		return harvest.Errorf(harvest.KindGone, "read the archive", r.serie.slug, "%w", errNoYear)
	}
	if live {
		if err := r.compare(); err != nil {
			return err
		}
	}
	err := r.stillLate()
	if r.read == 0 && harvest.KindOf(err) == harvest.KindBroken {
		return err // no page of an issue was one: it is the site, and nothing moves
	}
	r.tellLate()
	w.Legs, w.At = nil, nil
	if len(w.Late) == 0 || err == nil && !live {
		r.drop(live)
	}
	p := harvest.Page{Last: last && err == nil}
	if r.pages == 0 {
		p.Listed = max(0, len(r.recent)-len(r.asides))
		p.Same = p.Listed
		p.NotModified = len(r.asides) == 0 && !r.partial
	}
	if !r.emit(p) {
		return nil
	}
	return err
}

// drop forgets a walk that came to its end.
func (r *reading) drop(live bool) {
	if live {
		r.cp.Live = nil
	} else {
		r.cp.Aside = nil
	}
}

func (r *reading) tellLate() {
	for i, a := range r.asides {
		r.partial = true
		if i == maxTold {
			r.warn("and %d more could not be read", len(r.asides)-maxTold)
			break
		}
		r.warn("%s could not be read: %s", r.name(a.late), harvest.AsError(a.err).Err)
	}
}

// stillLate returns the error that the fetch ends with for what was put aside,
// nil where being partial is all there is to say: a page that is no such page
// any more is for people to look at, what is being loaded is worth a retry while
// one follows, and when nothing at all could be read that is not a success.
func (r *reading) stillLate() error {
	of := func(fits func(error) bool) error {
		i := slices.IndexFunc(r.asides, func(a aside) bool { return fits(a.err) })
		if i < 0 {
			return nil
		}
		return r.asides[i].err
	}
	if err := of(func(err error) bool { return harvest.KindOf(err) == harvest.KindBroken }); err != nil {
		return err
	}
	if err := of(func(err error) bool { return harvest.KindOf(err) == harvest.KindServerError }); err != nil && !r.req.LastAttempt {
		return err
	}
	if r.pages == 0 && len(r.asides) > 0 && !isNotYet(r.asides[0].err) {
		return r.asides[0].err
	}
	return nil
}

func isNotYet(err error) bool { return errors.Is(err, errNotYet) }

// compare checks by the feed that the newest issue was listed whole. A feed that
// cannot be read says nothing, and is told.
func (r *reading) compare() error {
	newest := r.recent[len(r.recent)-1]
	if r.cp.Through != newest {
		return nil
	}
	f, err := r.feed()
	switch {
	case r.ctx.Err() != nil:
		return err
	case err != nil:
		r.warn("the feed could not be read, so that it is not known whether the newest issue is whole: %s", err)
		return nil
	case newest.before(f.issue):
		r.partial = true
		r.warn("the feed has %s already, which the list of issues lacks", r.name(late{Issue: f.issue}))
		return nil
	case f.issue != newest:
		return nil
	}
	if r.codesOf != newest {
		p, err := r.issuePage(newest)
		switch {
		case r.ctx.Err() != nil:
			return err
		case err != nil:
			r.warn("the newest issue could not be compared with the feed: %s", err)
			return nil
		}
		r.remember(newest, p)
	}
	r.missing(f)
	return nil
}

func (r *reading) missing(f feedPage) {
	var lacks []string
	for _, code := range f.codes {
		if !r.codes[code] {
			lacks = append(lacks, code)
		}
	}
	if len(lacks) == 0 {
		return
	}
	r.partial = true
	if newest := (late{Issue: f.issue, Had: true}); r.params.revisit() == 0 && !slices.Contains(r.w.Late, newest) {
		r.w.Late = append(r.w.Late, newest) // it is not read again otherwise
	}
	r.warn("the feed names %d of %d acts that the page of %s lacks: %v", len(lacks), len(f.codes), r.name(late{Issue: f.issue}), lacks[:min(len(lacks), maxTold)])
}

func (r *reading) feed() (feedPage, error) {
	address := r.site.address("/rss/" + r.serie.code)
	a, err := r.site.get(r.ctx, address, acceptRSS)
	if err != nil {
		return feedPage{}, err
	}
	f, err := parseFeed(a.Body)
	if err != nil {
		return f, broken(address, &a, "it is not the feed of an issue: %w", err)
	}
	return f, nil
}
