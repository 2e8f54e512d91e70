package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows"
)

// Pause pauses one campaign in the store, then its schedule, with who and why in the
// note. Pausing again replaces who and why. Calling it again after an error completes
// it.
func (r *Planner) Pause(ctx context.Context, name string, p rows.Pause) error {
	c, err := r.one(ctx, name)
	if err != nil {
		return fmt.Errorf("pause %s: %w", name, err)
	}
	return r.hold(ctx, c, &p, rows.Event{At: p.At, By: p.By, Verb: "pause", On: name, Note: p.Note})
}

// Resume ends a pause, whoever made it. Resuming a campaign that is not paused is fine.
func (r *Planner) Resume(ctx context.Context, name, by string, now time.Time) error {
	c, err := r.one(ctx, name)
	if err != nil {
		return fmt.Errorf("resume %s: %w", name, err)
	}
	return r.hold(ctx, c, nil, rows.Event{At: now, By: by, Verb: "resume", On: name})
}

// Delete removes one campaign and its schedule. Documents, checkpoints and runs stay.
// Calling it again after an error completes it.
func (r *Planner) Delete(ctx context.Context, name, by string) error {
	_, err := r.one(ctx, name)
	if errors.Is(err, rows.ErrNotFound) && r.gone(ctx, name) {
		return r.dropOwn(ctx, name)
	}
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	if err := r.store.RemoveCampaigns(ctx, []string{name}, by); err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return r.dropOwn(ctx, name)
}

// dropOwn deletes a schedule unless it belongs to another store.
func (r *Planner) dropOwn(ctx context.Context, name string) error {
	e, exists, err := r.describe(ctx, name)
	if err != nil || !exists || !r.mine(e) {
		return err
	}
	return r.drop(ctx, name)
}

// gone reports whether a campaign was removed before.
func (r *Planner) gone(ctx context.Context, name string) bool {
	list, err := r.store.Campaigns(ctx, "", true)
	return err == nil && slices.ContainsFunc(list, func(c rows.Campaign) bool { return c.Name == name && !c.Removed.IsZero() })
}

// PauseAll pauses every campaign of a project ("" is all) that is not paused
// yet, each with p, whose Token must be set, and returns their names. Called
// again with the same token after an error it completes.
func (r *Planner) PauseAll(ctx context.Context, project string, p rows.Pause) ([]string, error) {
	if p.Token == "" {
		return nil, errors.New("pause all: a token is needed, so that resume can undo this pause only")
	}
	return r.all(ctx, project, func(c rows.Campaign) bool { return c.Paused == nil || c.Paused.Token == p.Token }, func(c rows.Campaign) error {
		return r.hold(ctx, c, &p, rows.Event{At: p.At, By: p.By, Verb: "pause", On: c.Name, Note: p.Note})
	})
}

// ResumeAll resumes the campaigns that one PauseAll paused, and no others. An empty
// token means the last PauseAll.
func (r *Planner) ResumeAll(ctx context.Context, project, token, by string, now time.Time) ([]string, error) {
	if token == "" {
		var err error
		if token, err = r.lastToken(ctx, project); err != nil || token == "" {
			return nil, err
		}
	}
	return r.all(ctx, project, func(c rows.Campaign) bool { return c.Paused != nil && c.Paused.Token == token }, func(c rows.Campaign) error {
		return r.hold(ctx, c, nil, rows.Event{At: now, By: by, Verb: "resume", On: c.Name})
	})
}

func (r *Planner) lastToken(ctx context.Context, project string) (string, error) {
	list, err := r.store.Campaigns(ctx, project, false)
	if err != nil {
		return "", fmt.Errorf("read the campaigns of the store: %w", err)
	}
	token, at := "", time.Time{}
	for _, c := range list {
		if p := c.Paused; p != nil && p.Token != "" && !p.At.Before(at) {
			token, at = p.Token, p.At
		}
	}
	return token, nil
}

func (r *Planner) all(ctx context.Context, project string, which func(rows.Campaign) bool, do func(rows.Campaign) error) ([]string, error) {
	list, err := r.store.Campaigns(ctx, project, false)
	if err != nil {
		return nil, fmt.Errorf("read the campaigns of the store: %w", err)
	}
	slices.SortFunc(list, func(a, b rows.Campaign) int { return strings.Compare(a.Name, b.Name) })
	var done []string
	for _, c := range list {
		if !c.Removed.IsZero() || !which(c) {
			continue
		}
		if err := do(c); err != nil {
			return done, err
		}
		done = append(done, c.Name)
	}
	return done, nil
}

// one reads a campaign. The error for an unknown name suggests the nearest one.
func (r *Planner) one(ctx context.Context, name string) (rows.Campaign, error) {
	current, err := r.current(ctx)
	if err != nil {
		return rows.Campaign{}, err
	}
	if c, ok := current[name]; ok {
		return c, nil
	}
	names := make([]string, 0, len(current))
	for known := range current {
		names = append(names, known)
	}
	slices.Sort(names)
	if near := wording.Nearest(name, names); near != "" {
		return rows.Campaign{}, fmt.Errorf("no such campaign (did you mean %s?): %w", near, rows.ErrNotFound)
	}
	return rows.Campaign{}, fmt.Errorf("no such campaign: %w", rows.ErrNotFound)
}

// hold writes a pause or its end to the store, then to the schedule.
func (r *Planner) hold(ctx context.Context, c rows.Campaign, p *rows.Pause, e rows.Event) error {
	if err := r.store.PauseCampaign(ctx, c.Name, p); err != nil {
		return fmt.Errorf("%s %s: %w", e.Verb, c.Name, err)
	}
	if err := r.holdSchedule(ctx, c, p); err != nil {
		return fmt.Errorf("%s %s: %w; the store has it already, repeat the command to complete it", e.Verb, c.Name, err)
	}
	if err := r.store.Record(ctx, e); err != nil {
		return fmt.Errorf("record %s of %s: %w", e.Verb, c.Name, err)
	}
	return nil
}

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
