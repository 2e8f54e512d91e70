package gazzetta

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/PuerkitoBio/goquery"

	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: issue after issue in the order of
// publication, and act after act; a page is at most one act.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return func(yield func(harvest.Page, error) bool) {
		r := &reading{ctx: ctx, req: req, yield: yield}
		err := r.begin(f)
		if err == nil {
			err = r.run()
		}
		if err != nil && !r.stopped {
			yield(harvest.Page{}, err)
		}
	}
}

// reading is one Fetch under way.
type reading struct {
	ctx    context.Context
	req    harvest.Request
	params Params
	serie  serie
	site   *site
	yield  func(harvest.Page, error) bool
	// stopped: the caller wants no more.
	stopped bool
	// cp is the state after the last page; w is the walk of it that is under way.
	cp checkpoint
	w  *walk
	// recent is the list of the last thirty days, never empty once it was read.
	recent []key
	// pages were yielded in this walk by this fetch; listed issues are in its way.
	pages, listed int
	// asides are what could not be read in this fetch.
	asides []aside
	// warnings and partial go with the next page.
	warnings []string
	partial  bool
	// codes are those that an issue's page listed, for the newest issue read.
	codes   map[string]bool
	codesOf key
}

// aside is an issue or an act that is asked for again later.
type aside struct {
	late late
	err  error
}

func (r *reading) begin(f *Fetcher) (err error) {
	if r.params, err = harvest.DecodeParams[Params](r.req.Params); err != nil {
		return err
	}
	made, err := r.params.made()
	if err != nil {
		return err
	}
	r.serie, r.cp = seriesOf(r.params.Series), restore(r.req.Checkpoint, made)
	r.site, err = newSite(r.params.base(), f.client)
	return err
}

// run reads the list of the last thirty days, and goes the walks there are to go.
func (r *reading) run() error {
	var err error
	if r.recent, err = r.list(r.site.address("/30giorni/" + r.serie.slug)); err != nil {
		return err
	}
	if old := r.cp.Aside; !r.req.Window.IsZero() || r.req.Again || old != nil && old.Again && r.goesOn(old) {
		// What is read again and was cut is read to its end, before what is new.
		last := !r.req.Window.IsZero() || r.req.Again
		if err := r.walk(r.asideWalk(), last); err != nil || last || r.stopped {
			return err
		}
	}
	return r.walk(r.liveWalk(), true)
}

// list asks for a list of issues. One without issues is an error: there always
// are some.
func (r *reading) list(address string) ([]key, error) {
	doc, _, err := r.site.page(r.ctx, address, func(d *goquery.Document) bool { return !isHome(d) && len(parseList(d)) > 0 })
	if err != nil {
		return nil, err
	}
	return parseList(doc), nil
}

// year asks for a year of the archive. One that is not there leads elsewhere:
// errNoYear.
func (r *reading) year(year int) ([]key, error) {
	address := r.site.address(fmt.Sprintf("/ricercaArchivioCompleto/%s/%d", r.serie.slug, year))
	doc, final, err := r.site.page(r.ctx, address, func(d *goquery.Document) bool { return !isHome(d) && len(parseList(d)) > 0 })
	if final != nil && !holdsYear(final.RequestURI(), year) {
		return nil, harvest.Errorf(harvest.KindGone, "read year", address, "%w", errNoYear)
	}
	if err != nil {
		return nil, err
	}
	return parseList(doc), nil
}

// emit yields a page with the state after it.
func (r *reading) emit(p harvest.Page) bool {
	p.Warnings, p.Partial = append(r.warnings, p.Warnings...), p.Partial || r.partial
	r.warnings, r.partial = nil, false
	p.Checkpoint = r.cp.raw()
	if r.w != nil {
		p.Done = r.w.Done
	}
	if r.listed > 0 && p.Done <= int64(r.listed) {
		p.Total = int64(r.listed)
	}
	r.pages++
	r.stopped = !r.yield(p, nil)
	return !r.stopped
}

func (r *reading) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

func (r *reading) adapter(k key) adapter { return adapter{site: r.site, serie: r.serie, issue: k} }

// within turns a window into the days it touches: issues have no hour, and begin
// with their day where the window's ends were said.
func within(w harvest.Window) (from, until string) {
	if !w.From.IsZero() {
		from = w.From.Format(time.DateOnly)
	}
	if u := w.Until; !u.IsZero() {
		if u.Hour()+u.Minute()+u.Second()+u.Nanosecond() > 0 {
			u = u.AddDate(0, 0, 1) // the day has begun before it
		}
		until = u.Format(time.DateOnly)
	}
	return from, until
}

func isCause(err error, causes ...error) bool {
	for _, c := range causes {
		if errors.Is(err, c) {
			return true
		}
	}
	return false
}
