package planner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/wording"
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
