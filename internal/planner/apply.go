package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Done is one campaign that Apply has completed.
type Done struct {
	Name string `json:"campaign"`
	Mark Mark   `json:"mark"`
	// Definition is the current one, "news@8"; empty for a removed campaign.
	Definition string `json:"definition,omitempty"`
	// Moved counts the checkpoints that moved from a former name.
	Moved int `json:"moved,omitempty"`
	// Action is the change to the schedule.
	Action Action `json:"schedule,omitempty"`
}

// Result is what Apply did; after an error, what it did before the error.
type Result struct {
	Plan *Plan  `json:"plan"`
	Done []Done `json:"done,omitempty"`
}

// Apply carries out what Plan returns. It changes nothing and returns ErrMoved if plan
// is set and is not the digest of the current plan, and ErrBlocked if a campaign is
// blocked.
//
// It writes the store in one transaction, then the schedules, several at a time, and
// confirms each. After an error or a crash, another Apply completes it. Applying twice
// changes nothing the second time. report, if not nil, is called for each finished
// campaign, in the order of the plan.
func (r *Planner) Apply(ctx context.Context, in Input, plan string, report func(Done)) (*Result, error) {
	v, err := r.look(ctx, in)
	if err != nil {
		return nil, err
	}
	result := &Result{Plan: v.plan}
	if err := checkPlan(v.plan, plan); err != nil {
		return result, err
	}
	if blocked := v.plan.Blocked(); len(blocked) > 0 {
		return result, fmt.Errorf("%w: %s", ErrBlocked, strings.Join(blocked, "; "))
	}
	if !v.plan.Pending() {
		return result, nil
	}
	moved, err := r.applyStore(ctx, v, in)
	if err != nil {
		return result, err
	}
	current, err := r.current(ctx)
	if err != nil {
		return result, err
	}
	result.Done, err = r.applyTasks(ctx, v, func(ctx context.Context, t *task) (Done, error) {
		d, err := r.applyTask(ctx, t, current[t.name], in)
		d.Moved = moved[t.name]
		return d, err
	}, report)
	return result, err
}

// atOnce is how many schedules are written at the same time.
const atOnce = 16

// applyTasks applies the campaigns that the plan changes, several at a time, and
// returns the finished ones in the order of the plan. After an error it starts no
// further one.
func (r *Planner) applyTasks(ctx context.Context, v *view, apply func(context.Context, *task) (Done, error), report func(Done)) ([]Done, error) {
	touched := slices.DeleteFunc(slices.Clone(v.tasks), func(t *task) bool { return !v.plan.touches(t.change) })
	finished := make([]*Done, len(touched))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	var one sync.Mutex // for finished and reported
	reported := 0
	for i, t := range touched {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			d, err := apply(ctx, t)
			if err != nil {
				return err
			}
			one.Lock()
			defer one.Unlock()
			finished[i] = &d
			for ; reported < len(finished) && finished[reported] != nil; reported++ {
				if report != nil {
					report(*finished[reported])
				}
			}
			return nil
		})
	}
	err := g.Wait()
	var done []Done
	for _, d := range finished {
		if d != nil {
			done = append(done, *d)
		}
	}
	if err != nil {
		err = fmt.Errorf("%w; %d of %d campaigns done, apply again to go on", err, len(done), len(touched))
	}
	return done, err
}

// applyTask writes the schedule of one campaign that is in the store already, and
// records it.
func (r *Planner) applyTask(ctx context.Context, t *task, row rows.Campaign, in Input) (Done, error) {
	d, err := r.applySchedule(ctx, t, row)
	if err != nil {
		return d, fmt.Errorf("%s: %w", t.name, err)
	}
	if err := r.record(ctx, in, d); err != nil {
		return d, err
	}
	r.log.InfoContext(ctx, "applied", "campaign", d.Name, "definition", d.Definition, "schedule", string(d.Action))
	return d, nil
}

// current reads the campaigns of the store by name.
func (r *Planner) current(ctx context.Context) (map[string]rows.Campaign, error) {
	list, err := r.store.Campaigns(ctx, "", false)
	if err != nil {
		return nil, fmt.Errorf("read the campaigns of the store: %w", err)
	}
	out := make(map[string]rows.Campaign, len(list))
	for _, c := range list {
		out[c.Name] = c
	}
	return out, nil
}

// record adds an event. The store records removals itself.
func (r *Planner) record(ctx context.Context, in Input, d Done) error {
	if d.Mark == MarkGone {
		return nil
	}
	e := rows.Event{At: in.Now, By: in.Author, Verb: "apply", On: d.Name, Note: d.Definition}
	if err := r.store.Record(ctx, e); err != nil {
		return fmt.Errorf("record what was done to %s: %w", d.Name, err)
	}
	return nil
}
