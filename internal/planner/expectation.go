package planner

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows"
)

// expected is the schedule for the stored definition with a pause; false if it has
// none, or if another release wrote it.
func (r *Planner) expected(t *task, p *rows.Pause) (expectation, bool) {
	if t.old == nil || t.old.Schedule == nil || t.renamed() {
		return expectation{}, false
	}
	if t.spec == nil {
		spec, err := workflows.ScheduleSpec(*t.old.Schedule, t.name)
		if err != nil {
			return expectation{}, false
		}
		t.spec = &spec
	}
	return expectation{note: workflows.ScheduleNote(applied(*t.old, t.stored.Definition, p)), paused: p != nil, spec: *t.spec}, true
}

// expectation is how a schedule should appear in a list.
type expectation struct {
	note   string
	paused bool
	spec   scheduleSpec
}

func (x expectation) met(e *entry) bool {
	return e != nil && e.note == x.note && e.paused == x.paused && sameSpec(e.spec, x.spec, e.whole)
}

func applied(c campaigns.Campaign, d rows.Definition, p *rows.Pause) workflows.Applied {
	a := workflows.Applied{
		Campaign: c, Version: d.Version, Digest: d.Digest, By: d.Author, File: d.File, Line: d.Line, Commit: d.Commit, At: d.AppliedAt,
	}
	if p != nil {
		a.Pause = &workflows.Pause{By: p.By, At: p.At, Note: p.Note}
	}
	return a
}

// mostDescribed limits how many schedules are read one by one.
const mostDescribed = 100

// verify reads the schedules that differ from the store one by one, because lists lag
// behind, are truncated, and do not contain the time of the last change.
func (r *Planner) verify(ctx context.Context, tasks []*task) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	left := mostDescribed
	for _, t := range tasks {
		x, known := expectation{}, false
		if t.stored != nil {
			x, known = r.expected(t, t.stored.Paused)
		}
		suspicious := known && !x.met(t.server) || t.stored == nil && t.server != nil
		if !suspicious || left == 0 {
			continue
		}
		left--
		g.Go(func() error { return r.verifyOne(ctx, t) })
	}
	return g.Wait()
}

func (r *Planner) verifyOne(ctx context.Context, t *task) error {
	e, exists, err := r.describe(ctx, t.name)
	if err != nil {
		return err
	}
	t.server = nil
	if exists && (t.source != nil || r.mine(e)) {
		t.server = &e
	}
	return nil
}
