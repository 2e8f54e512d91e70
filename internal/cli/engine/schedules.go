package engine

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"

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

// PauseSchedule pauses the schedule of an applied campaign when it says so, else
// resumes it; the note tells the definition and the pause. Patches that arrive
// together are lost without an error, so what was asked for is confirmed. A
// campaign without a schedule returns ErrNotFound.
func (c *Client) PauseSchedule(ctx context.Context, a workflows.Applied) error {
	name, pause, note := a.Campaign.Name, a.Pause != nil, workflows.ScheduleNote(a)
	h := c.sdk.ScheduleClient().GetHandle(ctx, c.instance.ScheduleID(name))
	for range 3 {
		var err error
		if pause {
			err = h.Pause(ctx, client.SchedulePauseOptions{Note: note})
		} else {
			err = h.Unpause(ctx, client.ScheduleUnpauseOptions{Note: note})
		}
		if err != nil {
			return translate("change schedule "+c.instance.ScheduleID(name), err)
		}
		s, err := c.Schedule(ctx, name)
		if err != nil || s.Paused == pause && s.Note == note {
			return err
		}
	}
	return fmt.Errorf("change schedule %s: the server took the change three times and did not keep it; look at it in the Web UI", c.instance.ScheduleID(name))
}

// DeleteSchedule removes a campaign's schedule, or returns ErrNotFound.
func (c *Client) DeleteSchedule(ctx context.Context, campaign string) error {
	return translate("delete schedule "+c.instance.ScheduleID(campaign), c.sdk.ScheduleClient().GetHandle(ctx, c.instance.ScheduleID(campaign)).Delete(ctx))
}
