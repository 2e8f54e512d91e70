package planner

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
)

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
