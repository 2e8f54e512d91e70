package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
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
