package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows"
)

// task is one campaign: the wanted and the current state.
type task struct {
	name   string
	source *campaigns.Source // nil: no longer in any file
	digest string
	// stored is its row, that of the former name if renamed; nil: none. old is the
	// definition of that row.
	stored *rows.Campaign
	old    *campaigns.Campaign
	// spec is the timing of old, once computed.
	spec   *scheduleSpec
	server *entry // nil: no schedule
	// removed is the row of a campaign that was removed before.
	removed *rows.Campaign
	// former are names whose schedules are deleted once this one exists.
	former []string
	// late is the former name if it is in the store beside the new one. moves means
	// that an apply moves something though the definition is unchanged.
	late  string
	moves bool
	// pause is the wanted pause; nil: not paused.
	pause *rows.Pause
	// foreign: the schedule belongs to another store and is taken over.
	foreign bool
	change  Change
}

// view is a plan and the state it was made from.
type view struct {
	plan  *Plan
	tasks []*task
	found *found
}

// Plan returns what Apply would do, without changing anything.
func (r *Planner) Plan(ctx context.Context, in Input) (*Plan, error) {
	v, err := r.look(ctx, in)
	if err != nil {
		return nil, err
	}
	return v.plan, nil
}

func (r *Planner) look(ctx context.Context, in Input) (*view, error) {
	if n := len(in.Loaded.Problems); n > 0 {
		return nil, fmt.Errorf("the files have errors, the first of %d: %s %s; see `starter campaigns validate`", n, place(in.Loaded.Problems[0]), in.Loaded.Problems[0].Text)
	}
	f, err := r.find(ctx)
	if err != nil {
		return nil, err
	}
	tasks, err := r.tasks(in, f)
	if err != nil {
		return nil, err
	}
	if err := r.verify(ctx, tasks); err != nil {
		return nil, err
	}
	v := &view{tasks: tasks, found: f, plan: &Plan{Project: in.Loaded.Project, Files: len(in.Loaded.Files), Prune: in.Prune}}
	for _, t := range tasks {
		if err := r.evaluate(ctx, t, in, f); err != nil {
			return nil, err
		}
	}
	if err := r.suggestWas(ctx, tasks); err != nil {
		return nil, err
	}
	for _, t := range tasks {
		v.plan.Changes = append(v.plan.Changes, t.change)
	}
	v.plan.Busiest = busiest(v.plan.Changes)
	v.plan.Hosts = hostDifferences(in.Loaded, f.hosts)
	v.plan.Digest, err = v.digest(in)
	return v, err
}

func place(p campaigns.Problem) string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// tasks pairs the files with the current state, sorted by name.
func (r *Planner) tasks(in Input, f *found) ([]*task, error) {
	var out []*task
	taken := map[string]bool{} // names that some task covers
	for i := range in.Loaded.Campaigns {
		t, err := r.newTask(&in.Loaded.Campaigns[i], f)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
		taken[t.name] = true
		if t.stored != nil {
			taken[t.stored.Name] = true
		}
		for _, name := range append([]string{t.late}, t.former...) {
			taken[name] = true
		}
	}
	for name, row := range f.stored {
		if !taken[name] && row.Project == in.Loaded.Project && !reserved(name) {
			out = append(out, &task{name: name, stored: &row, server: r.own(f, name)})
		}
	}
	for name, row := range f.removed {
		if e := r.own(f, name); e != nil && !taken[name] && row.Project == in.Loaded.Project {
			out = append(out, &task{name: name, server: e})
		}
	}
	slices.SortFunc(out, func(a, b *task) int { return strings.Compare(a.name, b.name) })
	return out, decodeOld(out)
}

// reserved names belong to trigger --fetcher and to registries.
func reserved(name string) bool {
	return strings.HasPrefix(name, "adhoc-") || strings.HasPrefix(name, "reg-")
}

func (f *found) entry(name string) *entry {
	e, ok := f.server[name]
	if !ok {
		return nil
	}
	return &e
}

// own returns the schedule of a campaign if it belongs to this store and so may be
// deleted.
func (r *Planner) own(f *found, name string) *entry {
	if e := f.entry(name); e != nil && r.mine(*e) {
		return e
	}
	return nil
}

func (r *Planner) newTask(source *campaigns.Source, f *found) (*task, error) {
	c := source.Campaign
	digest, err := c.Digest()
	if err != nil {
		return nil, err
	}
	t := &task{name: c.Name, source: source, digest: digest, server: f.entry(c.Name)}
	if row, ok := f.stored[c.Name]; ok {
		t.stored = &row
	}
	if row, ok := f.removed[c.Name]; ok {
		t.removed = &row
	}
	for _, was := range c.Was {
		row, ok := f.stored[was]
		switch {
		case ok && t.stored == nil:
			t.stored = &row
			if r.own(f, was) != nil {
				t.former = append(t.former, was)
			}
		case ok:
			t.late = was
			if r.own(f, was) != nil {
				t.former = append(t.former, was)
			}
		case !ok && r.own(f, was) != nil: // left by an interrupted apply
			t.former = append(t.former, was)
		}
	}
	return t, nil
}

func decodeOld(tasks []*task) error {
	for _, t := range tasks {
		if t.stored == nil || t.stored.Definition.Version == 0 {
			continue
		}
		c, err := campaigns.Decode(t.stored.Definition.Spec)
		if err != nil {
			return fmt.Errorf("campaign %s: %w", t.name, err)
		}
		t.old = &c
	}
	return nil
}

// renamed reports whether the row still has a former name.
func (t *task) renamed() bool { return t.stored != nil && t.stored.Name != t.name }

// storedPause is the pause in the store, also that of a removed campaign.
func (t *task) storedPause() *rows.Pause {
	switch {
	case t.stored != nil:
		return t.stored.Paused
	case t.removed != nil:
		return t.removed.Paused
	}
	return nil
}

// sameDefinition reports whether an apply would make no new version.
func (t *task) sameDefinition() bool {
	return t.stored != nil && !t.renamed() && !t.moves && t.stored.Definition.Digest == t.digest
}

// scheduled reports whether a schedule is wanted.
func (t *task) scheduled() bool { return t.source != nil && t.source.Campaign.Schedule != nil }

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
