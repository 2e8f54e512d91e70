package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// housekeeping and lookedForMissed name the event that remembers the last look.
	housekeeping    = "housekeeping"
	lookedForMissed = "looked for missed runs"
	// firstLook is how far the first look goes back, farLook any other; lookEvery
	// is how often a look is remembered.
	firstLook = 24 * time.Hour
	farLook   = 30 * 24 * time.Hour
	lookEvery = time.Hour
	// lateBy is what a start may take beyond spread and catch-up.
	lateBy = 2 * time.Minute
	// maxMissed bounds the due times of one campaign that one look records.
	maxMissed = 500
)

// FindMissed compares due times with runs and records those without one: as
// skipped where another run was going on, else as missed, and tells whoever the
// campaign's notify rules name. A paused campaign misses nothing. What was
// recorded once is not found again.
func (a *Activities) FindMissed(ctx context.Context, in steps.FindMissedIn) (steps.Missed, error) {
	now := a.Now()
	since, last, err := a.lastLook(ctx, in.Since, now)
	if err != nil {
		return steps.Missed{}, err
	}
	all, err := a.Store.Campaigns(ctx, "", false)
	if err != nil {
		return steps.Missed{}, err
	}
	out := steps.Missed{}
	var failed []error
	for _, row := range all {
		if err := a.missedOf(ctx, row, since, now, &out); err != nil {
			failed = append(failed, fmt.Errorf("campaign %s: %w", row.Name, err))
		}
	}
	if out.Found > 0 {
		if err := a.deliver(ctx, 0); err != nil {
			a.Log.WarnContext(ctx, "the outbox still holds notifications", "error", err)
		}
	}
	if len(failed) == 0 && now.Sub(last) >= lookEvery {
		failed = append(failed, a.Store.Record(ctx, rows.Event{At: now, Verb: lookedForMissed, On: housekeeping}))
	}
	return out, errors.Join(failed...)
}

// lastLook says from when on to look; a given moment outranks the remembered
// one.
func (a *Activities) lastLook(ctx context.Context, given, now time.Time) (since, last time.Time, err error) {
	events, err := a.Store.Events(ctx, housekeeping, now.Add(-farLook), 20)
	if err != nil {
		return since, last, err
	}
	for _, e := range events {
		if e.Verb == lookedForMissed {
			last = e.At
			break
		}
	}
	switch {
	case !given.IsZero():
		return given, last, nil
	case last.IsZero():
		return now.Add(-firstLook), last, nil
	default:
		return last, last, nil
	}
}

func (a *Activities) missedOf(ctx context.Context, row rows.Campaign, since, now time.Time, out *steps.Missed) error {
	c, err := a.definition(ctx, row.Name, row.Definition.Version)
	if err != nil || c.Schedule == nil {
		return err
	}
	fires := lateFires(c, row, since, now)
	if len(fires) == 0 {
		return nil
	}
	runs, err := a.Store.Runs(ctx, rows.RunFilter{Campaign: c.Name, Since: fires[0].Add(-farLook / 10)})
	if err != nil {
		return err
	}
	var failed []error
	for _, due := range fires {
		if hasRun(runs, due) {
			continue
		}
		run := missedRun(c, row.Definition.Version, due, overlapping(runs, *c.Schedule, due))
		if err := a.missed(ctx, c, run); err != nil {
			failed = append(failed, err)
			continue
		}
		if run.Outcome != outcomes.Missed {
			continue
		}
		if out.Found++; len(out.Names) < maxNames {
			out.Names = append(out.Names, run.WorkflowID)
		}
	}
	return errors.Join(failed...)
}

// lateFires are the due times that a look judges. One is late only after its
// spread and catch-up; so the look before may not have judged the last ones.
func lateFires(c *campaigns.Campaign, row rows.Campaign, since, now time.Time) []time.Time {
	patience := c.Schedule.Spread(c.Name) + c.Schedule.CatchUp + lateBy
	from, until := later(since.Add(-patience), row.Definition.AppliedAt), now.Add(-patience)
	if p := row.Paused; p.Holds(now) && p.At.Before(until) {
		until = p.At
	}
	return firesBetween(*c.Schedule, from, until)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// firesBetween lists due times after from up to until, the last maxMissed of
// them.
func firesBetween(s campaigns.Schedule, from, until time.Time) []time.Time {
	var fires []time.Time
	for at := from; ; {
		next := s.Next(at, 100)
		for _, t := range next {
			if t.After(until) {
				return fires
			}
			if fires = append(fires, t); len(fires) > maxMissed {
				fires = fires[1:]
			}
		}
		if len(next) == 0 {
			return fires
		}
		at = next[len(next)-1]
	}
}

func hasRun(runs []rows.Run, due time.Time) bool {
	return slices.ContainsFunc(runs, func(r rows.Run) bool { return !r.DueAt.IsZero() && r.DueAt.Sub(due).Abs() <= time.Second })
}

// overlapping is the run that was open when another was due, where the schedule then
// skips; nil: none. One that began afterwards is no reason.
func overlapping(runs []rows.Run, s campaigns.Schedule, due time.Time) *rows.Run {
	if s.Overlap == campaigns.OverlapAllow || s.Overlap == campaigns.OverlapTerminate {
		return nil
	}
	for i, r := range runs {
		open := !r.StartedAt.After(due) && (r.State != rows.RunClosed || r.ClosedAt.After(due))
		if open && r.ClosedAt != r.StartedAt {
			return &runs[i]
		}
	}
	return nil
}

func missedRun(c *campaigns.Campaign, version int, due time.Time, holder *rows.Run) rows.Run {
	name := c.Name + "-" + due.UTC().Format("2006-01-02T15:04:05Z")
	run := rows.Run{
		RunID: "missed-" + name, WorkflowID: name, Campaign: c.Name, Version: version, State: rows.RunClosed, Trigger: string(steps.TriggerSchedule),
		DueAt: due, StartedAt: due, ClosedAt: due, Outcome: outcomes.Missed,
		Why: "it was due and no run was started within " + days(c.Schedule.CatchUp) + ": Temporal was away, or the schedule was not there",
	}
	if holder != nil {
		run.Outcome = outcomes.Skipped
		run.Why = fmt.Sprintf("run %s was going on, and overlap is %s", holder.WorkflowID, overlap(c))
	}
	return run
}

// missed records a due time without a run, and in the same step what is to be sent
// of it. One that is not recorded is found again by the next look.
func (a *Activities) missed(ctx context.Context, c *campaigns.Campaign, run rows.Run) error {
	out := notice{}
	if run.Outcome == outcomes.Missed {
		var err error
		if out, err = a.notices(ctx, run, c, steps.Summary{Outcome: run.Outcome, Why: run.Why, More: "starter why " + c.Name}); err != nil {
			return err
		}
	}
	return a.Store.RecordRun(ctx, run, out.messages...)
}
