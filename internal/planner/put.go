package planner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/vendemmia/vendemmia/workflows"
)

// put writes the schedule of a campaign. It confirms an update by reading it back,
// because a server accepts an update before it acts on it, and loses concurrent updates
// without an error. A creation is atomic. maxRuns is max_runs of the former definition:
// if it is unchanged, the remaining count is kept. fresh means that the schedule
// probably does not exist. Repeating the call changes nothing.
func (r *Planner) put(ctx context.Context, a workflows.Applied, maxRuns int, fresh bool) error {
	o, err := workflows.ScheduleOptions(r.settings.Instance, a)
	if err != nil {
		return err
	}
	for range 3 {
		created, err := r.write(ctx, o, maxRuns, fresh)
		if err != nil {
			return fmt.Errorf("write schedule %s: %w", o.ID, err)
		}
		if created {
			return nil
		}
		fresh = false
		ok, err := r.confirm(ctx, a.Campaign.Name, expectation{note: o.Note, paused: o.Paused, spec: o.Spec})
		if err != nil || ok {
			return err
		}
	}
	return fmt.Errorf("write schedule %s: the server took the change three times and did not keep it; is somebody else changing it? look at it in the Web UI", o.ID)
}

// write updates the schedule, or creates it if it does not exist; fresh tries in the
// other order.
func (r *Planner) write(ctx context.Context, o client.ScheduleOptions, maxRuns int, fresh bool) (created bool, err error) {
	if fresh {
		created, err = r.create(ctx, o)
		if created || err != nil {
			return created, err
		}
	}
	err = r.update(ctx, o, maxRuns)
	if !isNotFound(err) {
		return false, err
	}
	created, err = r.create(ctx, o)
	if created || err != nil {
		return created, err
	}
	return false, r.update(ctx, o, maxRuns) // made meanwhile
}

// create returns false if the schedule exists.
func (r *Planner) create(ctx context.Context, o client.ScheduleOptions) (bool, error) {
	if err := r.pace.wait(ctx, 1); err != nil {
		return false, err
	}
	_, err := r.schedules.Create(ctx, o)
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return false, nil
	}
	return err == nil, err
}

func (r *Planner) update(ctx context.Context, o client.ScheduleOptions, maxRuns int) error {
	if err := r.pace.wait(ctx, 2); err != nil { // the SDK describes first
		return err
	}
	return r.schedules.GetHandle(ctx, o.ID).Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			return scheduleUpdate(o, in.Description.Schedule.State, maxRuns, len(r.settings.Instance.Attributes) > 0), nil
		},
	})
}

// scheduleUpdate leaves search attributes unchanged if none of ours are mapped.
func scheduleUpdate(o client.ScheduleOptions, was *client.ScheduleState, maxRuns int, attributes bool) *client.ScheduleUpdate {
	state := &client.ScheduleState{
		Note: o.Note, Paused: o.Paused, LimitedActions: o.RemainingActions > 0, RemainingActions: o.RemainingActions,
	}
	if was != nil && was.LimitedActions && o.RemainingActions == maxRuns {
		state.RemainingActions = was.RemainingActions
	}
	spec := o.Spec
	u := &client.ScheduleUpdate{Schedule: &client.Schedule{
		Action: o.Action, Spec: &spec, State: state,
		Policy: &client.SchedulePolicies{Overlap: o.Overlap, CatchupWindow: o.CatchupWindow, PauseOnFailure: o.PauseOnFailure},
	}}
	if attributes {
		u.TypedSearchAttributes = &o.TypedSearchAttributes
	}
	return u
}

// confirmWaits is how long a server may take to act on an update.
func confirmWaits() []time.Duration {
	ms := time.Millisecond
	return []time.Duration{0, 50 * ms, 100 * ms, 200 * ms, 400 * ms, 800 * ms, 1600 * ms}
}

// confirm waits until the schedule is as expected; false if it does not become so.
func (r *Planner) confirm(ctx context.Context, name string, x expectation) (bool, error) {
	for _, wait := range confirmWaits() {
		if err := pause(ctx, wait); err != nil {
			return false, err
		}
		e, exists, err := r.describe(ctx, name)
		if err != nil {
			return false, err
		}
		if exists && x.met(&e) {
			return true, nil
		}
	}
	return false, nil
}

// drop deletes a schedule. A missing schedule is fine.
func (r *Planner) drop(ctx context.Context, name string) error {
	if err := r.pace.wait(ctx, 1); err != nil {
		return err
	}
	id := r.settings.Instance.ScheduleID(name)
	if err := r.schedules.GetHandle(ctx, id).Delete(ctx); err != nil && !isNotFound(err) {
		return fmt.Errorf("delete schedule %s: %w", id, err)
	}
	return nil
}
