package planner

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows"
)

func (r *Planner) holdSchedule(ctx context.Context, c rows.Campaign, p *rows.Pause) error {
	if c.Definition.Version == 0 {
		return nil
	}
	campaign, err := campaigns.Decode(c.Definition.Spec)
	if err != nil || campaign.Schedule == nil {
		return err
	}
	a := applied(campaign, c.Definition, p)
	found, exists, err := r.describe(ctx, c.Name)
	if err != nil {
		return err
	}
	if exists && !r.mine(found) {
		return fmt.Errorf("schedule %s belongs to another store, #%s", found.id, found.store)
	}
	if !exists || found.ours && found.parsed.Version != a.Version { // an apply did not finish
		return r.put(ctx, a, campaign.Schedule.MaxRuns, !exists)
	}
	return r.holdOnly(ctx, a, p != nil)
}

// holdOnly changes only note and pause, and keeps what somebody changed on the server.
func (r *Planner) holdOnly(ctx context.Context, a workflows.Applied, paused bool) error {
	id, note := r.settings.Instance.ScheduleID(a.Campaign.Name), workflows.ScheduleNote(a)
	for range 3 {
		if err := r.pace.wait(ctx, 2); err != nil {
			return err
		}
		var spec scheduleSpec
		err := r.schedules.GetHandle(ctx, id).Update(ctx, client.ScheduleUpdateOptions{
			DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
				s := in.Description.Schedule
				state := client.ScheduleState{}
				if s.State != nil {
					state = *s.State
				}
				state.Note, state.Paused = note, paused
				s.State = &state
				spec = *s.Spec
				return &client.ScheduleUpdate{Schedule: &s}, nil
			},
		})
		if err != nil {
			return fmt.Errorf("write schedule %s: %w", id, err)
		}
		ok, err := r.confirm(ctx, a.Campaign.Name, expectation{note: note, paused: paused, spec: spec})
		if err != nil || ok {
			return err
		}
	}
	return fmt.Errorf("write schedule %s: the server took the change three times and did not keep it; is somebody else changing it? look at it in the Web UI", id)
}
