package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// askSoonest and askLatest bound how soon a run that waits in line asks the gate
	// again: after a quarter of the time that it has waited.
	askSoonest, askLatest = 15 * time.Second, 5 * time.Minute
	// takeOvers bounds how many dead holders one call clears away.
	takeOvers = 5
)

// gate asks the store for a place and, where somebody holds it, does what the
// overlap policy says. The answer is set when there is no run to go on with.
func (a *Activities) gate(ctx context.Context, o order, in steps.OpenRunIn) (rows.Run, *steps.Opened, error) {
	ask, err := a.newRun(o, in)
	if err != nil {
		return rows.Run{}, nil, err
	}
	for range takeOvers {
		g, err := a.seam.OpenRun(ctx, ask)
		if err != nil {
			return rows.Run{}, nil, fmt.Errorf("open run %s: %w", in.WorkflowID, err)
		}
		if g.Holder == nil {
			return g.Run, nil, nil
		}
		gone, err := a.evict(ctx, *g.Holder, holderPolicy(g, o.campaign), in.WorkflowID)
		if err != nil {
			return rows.Run{}, nil, err
		}
		if gone {
			continue
		}
		answer, err := a.inTheWay(ctx, o.campaign, ask, g)
		return rows.Run{}, answer, err
	}
	return rows.Run{}, nil, fmt.Errorf("open run %s: the place at the gate is taken again and again", in.WorkflowID)
}

func (a *Activities) newRun(o order, in steps.OpenRunIn) (rows.NewRun, error) {
	start := in.Start
	start.Resume = nil
	overrides, err := json.Marshal(start)
	if err != nil {
		return rows.NewRun{}, fmt.Errorf("keep the start of %s: %w", in.WorkflowID, err)
	}
	processors := start.Processors
	if processors <= 0 {
		processors = max(1, o.campaign.Processors)
	}
	policy := overlap(o.campaign)
	n := rows.NewRun{
		Run: rows.Run{
			RunID: in.RunID, WorkflowID: in.WorkflowID, Campaign: o.campaign.Name, Lane: start.Lane, Version: o.version,
			Trigger: string(o.trigger), By: start.TriggeredBy, RetryOf: start.RetryOf, Overrides: overrides,
			Processors: processors, DueAt: in.DueAt, StartedAt: in.StartedAt,
		},
		// A trial stores nothing, and ad-hoc runs of one fetcher are of different
		// items as a rule: neither is in anybody's way.
		Exclusive: policy != campaigns.OverlapAllow && start.Limit == 0 && start.Fetcher == "",
		MayWait:   policy == campaigns.OverlapBufferOne || policy == campaigns.OverlapBufferAll || policy == campaigns.OverlapCancel,
	}
	if policy == campaigns.OverlapBufferOne {
		n.MaxWaiting = 1
	}
	n.Deadline, n.AskedAt = deadline(o.campaign, n.Run), a.Now()
	return n, nil
}

func overlap(c *campaigns.Campaign) campaigns.Overlap {
	if c.Schedule == nil || c.Schedule.Overlap == "" {
		return campaigns.OverlapSkip
	}
	return c.Schedule.Overlap
}

// holderPolicy is what may be done to the run in the way: to one that only has the place
// of a registry, nothing.
func holderPolicy(g rows.Gate, c *campaigns.Campaign) campaigns.Overlap {
	if g.Place != nil {
		return campaigns.OverlapSkip
	}
	return overlap(c)
}

// evict clears the place when its holder is no more, or must go.
func (a *Activities) evict(ctx context.Context, holder rows.Run, policy campaigns.Overlap, by string) (bool, error) {
	closed, _, err := a.Temporal.Closed(ctx, holder.WorkflowID, holder.RunID)
	if err != nil {
		return false, fmt.Errorf("ask Temporal about run %s, which holds the place: %w", holder.WorkflowID, err)
	}
	if !closed && policy == campaigns.OverlapTerminate {
		if err := a.Temporal.Terminate(ctx, holder.WorkflowID, holder.RunID, "overlap: terminate, for "+by); err != nil {
			return false, fmt.Errorf("terminate run %s: %w", holder.WorkflowID, err)
		}
		closed = true
	}
	if closed {
		return true, a.takeOver(ctx, holder)
	}
	if policy == campaigns.OverlapCancel && holder.Stop == "" {
		if err := a.Temporal.Cancel(ctx, holder.WorkflowID, holder.RunID); err != nil {
			return false, fmt.Errorf("cancel run %s: %w", holder.WorkflowID, err)
		}
	}
	return false, nil
}

// takeOver closes a run whose workflow ended without closing it.
func (a *Activities) takeOver(ctx context.Context, run rows.Run) error {
	why := outcomes.WhyTerminated
	epoch, err := a.Store.Epoch(ctx)
	if err != nil {
		return err
	}
	if run.Epoch != epoch {
		why = outcomes.WhyStoreRestored
	}
	if _, err := a.Store.CloseOpenItems(ctx, run.ID, outcomes.Cancelled, string(why)); err != nil {
		return fmt.Errorf("close the items of run %s: %w", run.WorkflowID, err)
	}
	finish, err := a.finish(ctx, run, why)
	if err != nil {
		return err
	}
	a.runLogger(run, nil).WarnContext(ctx, "closed a run that Temporal had ended", "why", why)
	return a.end(ctx, run.Campaign, finish)
}

// askIn is how soon a run asks again that has waited so long.
func askIn(waited time.Duration) time.Duration {
	return min(max(waited/4, askSoonest), askLatest)
}

// inTheWay answers while another run goes on: wait in line, or be skipped.
func (a *Activities) inTheWay(ctx context.Context, c *campaigns.Campaign, ask rows.NewRun, g rows.Gate) (*steps.Opened, error) {
	if g.Run.State == rows.RunWaiting {
		return &steps.Opened{
			Campaign: c.Name, Busy: busy(g), Wait: askIn(a.Now().Sub(ask.StartedAt)), Definition: ask.Ref(),
			Trigger: steps.Trigger(ask.Trigger), Attributes: a.Attributes, Tags: c.Tags, RunOf: a.runOf(g.Run),
		}, nil
	}
	skipped := ask.Run
	skipped.State, skipped.Outcome, skipped.ClosedAt = rows.RunClosed, outcomes.Skipped, a.Now()
	skipped.Why = fmt.Sprintf("run %s is going on since %s, and overlap is %s",
		g.Holder.WorkflowID, g.Holder.StartedAt.In(c.Zone()).Format("Mon 2 Jan 15:04:05 MST"), overlap(c))
	if err := a.Store.RecordRun(ctx, skipped); err != nil {
		return nil, fmt.Errorf("record that run %s was skipped: %w", ask.WorkflowID, err)
	}
	return &steps.Opened{
		Campaign: c.Name, Refused: outcomes.Skipped, Why: skipped.Why, Definition: ask.Ref(),
		Trigger: steps.Trigger(ask.Trigger), Attributes: a.Attributes, Tags: c.Tags, RunOf: steps.RunOf{Store: a.Store.ID()},
	}, nil
}

// busy names what a run in line waits for.
func busy(g rows.Gate) string {
	if g.Place == nil {
		return g.Holder.WorkflowID
	}
	return fmt.Sprintf("a place of registry %s, which lets %d run at once", g.Place.Registry, g.Place.Max)
}

// end closes a run's row and lets those begin that its place is for now.
func (a *Activities) end(ctx context.Context, campaign string, f rows.Finish) error {
	if err := a.Store.FinishRun(ctx, f); err != nil {
		return err
	}
	place, err := a.Store.Bound(ctx, campaign)
	if err != nil {
		a.Log.WarnContext(ctx, "runs in line are not told that a place is free; they ask by themselves", "after", campaign, "error", err)
		return nil
	}
	a.wakeLine(ctx, place)
	return nil
}

// wakeLine tells the runs that a registry has a place for. Without it they ask by
// themselves, later.
func (a *Activities) wakeLine(ctx context.Context, p rows.Place) {
	line, err := a.Store.NextInLine(ctx, p)
	for _, run := range line {
		err = errors.Join(err, a.Temporal.Wake(ctx, run.WorkflowID, run.RunID))
	}
	if err != nil {
		a.Log.WarnContext(ctx, "runs in line are not told that a place is free; they ask by themselves", "registry", p.Registry, "error", err)
	}
}
