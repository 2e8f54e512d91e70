package planner

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// applySchedule makes the schedule match the stored campaign.
func (r *Planner) applySchedule(ctx context.Context, t *task, row rows.Campaign) (Done, error) {
	d := Done{Name: t.name, Mark: t.change.Mark, Action: t.change.Action}
	if t.source == nil {
		if t.change.Action == ActionDelete {
			return d, r.drop(ctx, t.name)
		}
		return d, nil
	}
	d.Definition = rows.Ref(row.Name, row.Definition.Version)
	if t.foreign { // a memo cannot be updated
		if err := r.drop(ctx, t.name); err != nil {
			return d, err
		}
	}
	switch t.change.Action {
	case ActionCreate, ActionUpdate:
		maxRuns, err := r.formerMaxRuns(ctx, t)
		if err != nil {
			return d, err
		}
		if err := r.put(ctx, applied(t.source.Campaign, row.Definition, row.Paused), maxRuns, t.change.Action == ActionCreate || t.foreign); err != nil {
			return d, err
		}
	case ActionDelete:
		if err := r.drop(ctx, t.name); err != nil {
			return d, err
		}
	}
	for _, name := range t.former {
		if err := r.drop(ctx, name); err != nil {
			return d, err
		}
	}
	return d, nil
}

// formerMaxRuns is max_runs of the definition on the server, which after an interrupted
// apply is older than the one in the store.
func (r *Planner) formerMaxRuns(ctx context.Context, t *task) (int, error) {
	old := t.old
	if e := t.server; e != nil && e.ours && t.stored != nil && e.parsed.Version != t.stored.Definition.Version {
		d, err := r.store.Definition(ctx, t.name, e.parsed.Version)
		if err != nil {
			return 0, fmt.Errorf("read %s@%d: %w", t.name, e.parsed.Version, err)
		}
		c, err := campaigns.Decode(d.Spec)
		if err != nil {
			return 0, err
		}
		old = &c
	}
	if old == nil || old.Schedule == nil {
		return 0, nil
	}
	return old.Schedule.MaxRuns, nil
}
