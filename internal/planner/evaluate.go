package planner

import (
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// coming is how many future fires a plan shows.
const coming = 5

// evaluate fills in the change of one campaign.
func (r *Planner) evaluate(ctx context.Context, t *task, in Input, f *found) error {
	t.change = Change{Name: t.name}
	if t.stored != nil {
		t.change.Definition = rows.Ref(t.stored.Name, t.stored.Definition.Version)
	}
	if t.source == nil {
		return r.evaluateGone(ctx, t, in)
	}
	c := &t.change
	c.File, c.Line = t.source.File, t.source.Line
	if c.Was = t.late; t.renamed() {
		c.Was = t.stored.Name
	}
	r.evaluateOwner(t, in)
	if err := r.evaluateLate(ctx, t); err != nil {
		return err
	}
	if err := r.evaluateRekeyed(ctx, t); err != nil {
		return err
	}
	t.pause = wantedPause(t, in)
	r.evaluateDrift(t, in.Now.Location())
	c.Mark = mark(t)
	c.Action = r.action(t)
	if c.Mark == MarkSame && (c.Action != ActionNone || len(t.former) > 0 || !samePause(t.pause, t.storedPause())) {
		c.Mark = MarkDrift
		if c.Why == "" {
			c.Why = "an apply did not finish: apply completes it"
		}
	}
	if s := t.source.Campaign.Schedule; s != nil && t.pause == nil {
		c.Next = s.Next(in.Now, coming)
		for i := range c.Next {
			c.Next[i] = c.Next[i].In(in.Now.Location()) // in the reader's zone
		}
	}
	c.Paused = pauseWords(t, in)
	if c.Mark != MarkNew && c.Mark != MarkChanged {
		return nil
	}
	return r.evaluateContent(ctx, t, in, f)
}

func (r *Planner) evaluateGone(ctx context.Context, t *task, in Input) error {
	c := &t.change
	c.Mark = MarkGone
	if t.stored == nil {
		c.Action, c.Why = ActionDelete, "removed before, but its schedule is still on the server"
		return nil
	}
	if t.server != nil && in.Prune {
		c.Action = ActionDelete
	}
	n, err := r.documents(ctx, t.name)
	c.Documents = n
	return err
}

// documents counts the stored documents of a campaign.
func (r *Planner) documents(ctx context.Context, campaign string) (int64, error) {
	n, err := r.store.Counts(ctx, campaign)
	if err != nil {
		return 0, fmt.Errorf("count the documents of %s: %w", campaign, err)
	}
	return n.Documents, nil
}

// evaluateOwner blocks campaigns of other projects and schedules of other stores.
func (r *Planner) evaluateOwner(t *task, in Input) {
	switch {
	case t.stored != nil && t.stored.Project != in.Loaded.Project:
		t.change.Blocked = fmt.Sprintf("belongs to project %q; rename it here, or delete it there: starter campaigns delete %s", t.stored.Project, t.stored.Name)
	case t.server != nil && !r.mine(*t.server):
		t.foreign = in.Adopt
		if !in.Adopt {
			t.change.Blocked = fmt.Sprintf("its schedule on the server belongs to another store, #%s; use that store, set an instance name, or take it over: apply --adopt", t.server.store)
		}
	}
}

func mark(t *task) Mark {
	p := t.source.Campaign.Paused
	switch {
	case t.stored == nil:
		return MarkNew
	case !t.sameDefinition():
		return MarkChanged
	case p != nil && !samePause(t.pause, t.storedPause()):
		return MarkChanged
	case t.change.Why != "":
		return MarkDrift
	default:
		return MarkSame
	}
}

func (r *Planner) action(t *task) Action {
	switch {
	case t.scheduled() && t.server == nil:
		return ActionCreate
	case t.scheduled() && (!t.sameDefinition() || t.foreign):
		return ActionUpdate
	case t.scheduled():
		x, ok := r.expected(t, t.pause)
		if !ok || !x.met(t.server) {
			return ActionUpdate
		}
		return ActionNone
	case t.server != nil:
		return ActionDelete
	default:
		return ActionNone
	}
}

// evaluateContent adds the details of a new or changed campaign.
func (r *Planner) evaluateContent(ctx context.Context, t *task, in Input, f *found) error {
	c := &t.change
	old := t.old
	if old != nil && c.Mark == MarkChanged {
		former := formerEntries(t.source.Campaign)
		c.Differences = differences(*old, t.source.Campaign, former)
		if err := r.itemChanges(ctx, t, former); err != nil {
			return err
		}
		if err := r.extractionChanges(ctx, t, former); err != nil {
			return err
		}
	}
	if s := t.source.Campaign.Schedule; s != nil {
		c.Warnings = append(c.Warnings, s.Warnings(in.Now)...)
	}
	c.Warnings = append(c.Warnings, r.twice(*t.source)...)
	seen, err := r.askedPerRun(ctx, t.name)
	if err != nil {
		return err
	}
	e := r.estimate(*t.source, hostRules(in.Loaded, f.hosts), seen, in.Now)
	if e.Budget, err = BudgetOf(ctx, r.store, &t.source.Campaign, in.Now); err != nil {
		return err
	}
	c.Estimate = &e
	c.Warnings = append(c.Warnings, e.warnings(t.source.Campaign.Processors)...)
	return nil
}

// formerEntries maps an entry's new name to its former one.
func formerEntries(c campaigns.Campaign) map[string]string {
	out := map[string]string{}
	for _, e := range c.Entries {
		for _, was := range e.Was {
			out[e.Name] = was
		}
	}
	return out
}
