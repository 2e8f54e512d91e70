package planner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/vendemmia/vendemmia/campaigns"
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

// applyStore writes lists, then definitions and hosts in one transaction, then pauses
// and removals. It returns how many checkpoints moved, by campaign.
func (r *Planner) applyStore(ctx context.Context, v *view, in Input) (map[string]int, error) {
	a, gone, err := r.application(ctx, v, in)
	if err != nil {
		return nil, err
	}
	moved := map[string]int{}
	if len(a.Campaigns) > 0 || len(v.plan.Hosts) > 0 {
		done, err := r.store.Apply(ctx, a)
		if err != nil {
			return nil, fmt.Errorf("write the definitions: %w", err)
		}
		for _, d := range done {
			moved[d.Name] = d.Moved
		}
	}
	if err := r.applyPauses(ctx, v); err != nil {
		return nil, err
	}
	if len(gone) > 0 {
		if err := r.store.RemoveCampaigns(ctx, gone, in.Author); err != nil {
			return nil, fmt.Errorf("remove the campaigns that are no longer in any file: %w", err)
		}
	}
	return moved, nil
}

// application saves the lists and returns the definitions and hosts to write, and the
// campaigns to remove.
func (r *Planner) application(ctx context.Context, v *view, in Input) (a rows.Application, gone []string, err error) {
	a = rows.Application{Project: in.Loaded.Project, Author: in.Author, At: in.Now, Hosts: applyHosts(in.Loaded)}
	for _, t := range v.tasks {
		switch {
		case t.source == nil && t.stored != nil && in.Prune:
			gone = append(gone, t.name)
		case t.source != nil && !t.sameDefinition():
			if err := r.saveLists(ctx, t.source); err != nil {
				return a, nil, err
			}
			c, err := applyCampaign(t, in.Commit)
			if err != nil {
				return a, nil, err
			}
			a.Campaigns = append(a.Campaigns, c)
		}
	}
	return a, gone, nil
}

func applyCampaign(t *task, commit string) (rows.ApplyCampaign, error) {
	spec, err := t.source.Campaign.Canonical()
	if err != nil {
		return rows.ApplyCampaign{}, err
	}
	return rows.ApplyCampaign{
		Name: t.name, Digest: t.digest, Spec: spec, File: t.source.File, Line: t.source.Line, Commit: commit,
		Was: t.source.Campaign.Was, WasEntry: formerEntries(t.source.Campaign), WasItem: formerKeys(t.source),
	}, nil
}

func applyHosts(l *campaigns.Loaded) []rows.Host {
	out := make([]rows.Host, 0, len(l.Hosts))
	for _, h := range l.Hosts {
		out = append(out, rows.Host{Name: h.Name, Project: l.Project, Every: h.Every, Connections: h.Connections, Robots: h.Robots, CA: h.CA, Source: h.Source})
	}
	return out
}

// saveLists stores the rows of list files by digest. Lists that are stored already
// stay.
func (r *Planner) saveLists(ctx context.Context, s *campaigns.Source) error {
	for digest, list := range s.Lists {
		var failed error
		encoded := func(yield func(rows.ListRow) bool) {
			for _, row := range list {
				var raw json.RawMessage
				if raw, failed = json.Marshal(row); failed != nil || !yield(raw) {
					return
				}
			}
		}
		err := r.store.SaveList(ctx, digest, encoded)
		if err == nil {
			err = failed
		}
		if err != nil {
			return fmt.Errorf("store list %s of %s: %w", digest, s.Campaign.Name, err)
		}
	}
	return nil
}

func (r *Planner) applyPauses(ctx context.Context, v *view) error {
	for _, t := range v.tasks {
		if t.source == nil {
			continue
		}
		if samePause(t.pause, t.storedPause()) {
			continue
		}
		if err := r.store.PauseCampaign(ctx, t.name, t.pause); err != nil {
			return fmt.Errorf("write the pause of %s: %w", t.name, err)
		}
	}
	return nil
}

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
