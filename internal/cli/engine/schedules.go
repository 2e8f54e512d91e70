package engine

import (
	"context"

	"github.com/vendemmia/vendemmia/internal/planner"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows"
)

// Schedule returns a campaign's schedule, or ErrNotFound.
func (c *Client) Schedule(ctx context.Context, campaign string) (Schedule, error) {
	d, err := c.sdk.ScheduleClient().GetHandle(ctx, c.instance.ScheduleID(campaign)).Describe(ctx)
	if err != nil {
		return Schedule{}, translate("look at schedule "+c.instance.ScheduleID(campaign), err)
	}
	s := Schedule{ID: c.instance.ScheduleID(campaign), Next: d.Info.NextActionTimes, SkippedOverlap: d.Info.NumActionsSkippedOverlap, MissedCatchUp: d.Info.NumActionsMissedCatchupWindow}
	if st := d.Schedule.State; st != nil {
		s.Note, s.Paused = st.Note, st.Paused
	}
	for _, r := range d.Info.RecentActions {
		f := Fire{Due: r.ScheduleTime, At: r.ActualTime}
		if w := r.StartWorkflowResult; w != nil {
			f.WorkflowID = w.WorkflowID
		}
		s.Recent = append(s.Recent, f)
	}
	for _, w := range d.Info.RunningWorkflows {
		s.Running = append(s.Running, w.WorkflowID)
	}
	return s, nil
}

// Schedules is the server's own interface to schedules, for package planner.
func (c *Client) Schedules() planner.Schedules {
	return temporalx.Schedules(c.sdk.ScheduleClient(), c.data)
}

// Instance is this installation as a store's, with the search attributes that
// the server has: one that it does not know would refuse a start.
func (c *Client) Instance(ctx context.Context, store string) (workflows.Instance, error) {
	i := c.instance
	i.Store = store
	have, err := c.SearchAttributes(ctx)
	if err != nil {
		return i, err
	}
	i.Attributes = map[string]string{}
	for ours, theirs := range c.instance.Attributes {
		if _, ok := have[theirs]; ok {
			i.Attributes[ours] = theirs
		}
	}
	return i, nil
}
