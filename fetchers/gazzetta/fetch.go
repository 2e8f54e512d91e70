package gazzetta

import (
	"context"
	"fmt"
	"iter"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: issue after issue in the order of
// publication, and act after act; a page is at most one act.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r := &reading{Out: out, ctx: ctx, req: req}
		if err := r.begin(f); err != nil {
			return err
		}
		return r.run()
	})
}

// reading is one Fetch under way.
type reading struct {
	*pages.Out
	ctx    context.Context
	req    harvest.Request
	params Params
	serie  serie
	site   *site
	// cp is the state after the last page; w is the walk of it that is under way.
	cp checkpoint
	w  *walk
	// recent is the list of the last thirty days, never empty once it was read.
	recent []key
	// pages were yielded in this walk by this fetch, and read issues had a page;
	// listed ones are in its way.
	pages, read, listed int
	// asides are what could not be read in this fetch.
	asides []aside
	// warnings and partial go with the next page.
	warnings []string
	partial  bool
	// codes are those that an issue's page listed, for the newest issue read.
	codes   map[string]bool
	codesOf key
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

// run reads the list of the last thirty days, and goes the walks there are to go:
// what is read again and was cut is read to its end, before what is new.
func (r *reading) run() (err error) {
	if r.recent, err = r.list(); err != nil {
		return err
	}
	alone := !r.req.Window.IsZero() || r.req.ForceRefresh
	if old := r.cp.Aside; alone || old != nil && old.Again && r.goesOn(old) {
		if err := r.follow(r.asideWalk, alone); err != nil || alone || r.Stopped {
			return err
		}
	}
	return r.follow(r.liveWalkAgain, true)
}

// liveWalkAgain is the walk of the schedule's runs, with the issues in it in which
// something could not be read before and can now.
func (r *reading) liveWalkAgain() (*walk, error) {
	w, err := r.liveWalk()
	if err == nil {
		err = r.reread(w)
	}
	return w, err
}

func (r *reading) follow(plan func() (*walk, error), last bool) error {
	w, err := plan()
	if err != nil || r.Stopped {
		return err
	}
	return r.walk(w, last)
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
	r.Send(p)
	return !r.Stopped
}

func (r *reading) warn(format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
}

func (r *reading) adapter(k key) adapter { return adapter{site: r.site, serie: r.serie, issue: k} }
