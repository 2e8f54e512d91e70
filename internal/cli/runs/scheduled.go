package runs

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/hold"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// onTime is how long after its moment a run may begin and is not late: schedules
// spread their starts by up to two minutes.
const onTime = 3 * time.Minute

// scheduledRun is a run that is to come.
type scheduledRun struct {
	Campaign string      `json:"campaign"`
	Due      time.Time   `json:"due"`
	State    string      `json:"state"` // future, due, late, paused
	Late     float64     `json:"late_seconds,omitempty"`
	Paused   *rows.Pause `json:"paused,omitempty"`
}

// listScheduled lists the next run of each schedule, the first to come first. One
// whose moment has passed without a run is due, and then late.
func (c *runsList) listScheduled(ctx context.Context, s program.Store, f rows.RunFilter) error {
	all, err := c.scheduled(ctx, s, f)
	if err != nil {
		return err
	}
	all = all[min(f.Skip, len(all)):]
	if f.Limit > 0 {
		all = all[:min(f.Limit, len(all))]
	}
	list := c.Out.List()
	table := print.NewTable(print.Key("CAMPAIGN"), print.Right("DUE "+c.Clock.ZoneName()), print.Word("STATE"), print.Left("IN"), print.Flex("NOTE"))
	for _, r := range all {
		list.Add(r)
		table.Row(r.Campaign, c.Clock.Day(r.Due), r.State, c.in(r), c.note(r))
	}
	list.End()
	c.Out.Table(table)
	if len(all) == 0 {
		c.Out.Printf("No schedules match.\n")
		return c.Elsewhere(ctx, s)
	}
	return nil
}

func (c *runsList) in(r scheduledRun) string {
	if d := r.Due.Sub(c.Env.Now()); d > 0 {
		return print.Duration(d.Truncate(time.Second))
	}
	return print.Duration(c.Env.Now().Sub(r.Due).Truncate(time.Second)) + " ago"
}

func (c *runsList) note(r scheduledRun) string {
	switch r.State {
	case "paused":
		return "paused" + hold.PauseText(r.Paused, c.Clock)
	case "late":
		return "see starter why " + r.Campaign
	default:
		return "-"
	}
}

func (c *runsList) scheduled(ctx context.Context, s program.Store, f rows.RunFilter) ([]scheduledRun, error) {
	known, err := s.Campaigns(ctx, "", false)
	if err != nil {
		return nil, err
	}
	var out []scheduledRun
	for _, row := range known {
		if f.Campaign != "" && row.Name != f.Campaign || f.Campaigns != nil && !slices.Contains(f.Campaigns, row.Name) {
			continue
		}
		camp, err := campaigns.Decode(row.Definition.Spec)
		if err != nil {
			return nil, err
		}
		r, found, err := c.nextOf(ctx, s, row, camp)
		if err != nil {
			return nil, err
		}
		if found {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b scheduledRun) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.Campaign, b.Campaign)) })
	return out, nil
}

// nextOf finds the first moment of a schedule after that of its last run.
func (c *runsList) nextOf(ctx context.Context, s program.Store, row rows.Campaign, camp campaigns.Campaign) (r scheduledRun, found bool, err error) {
	if camp.Schedule == nil {
		return r, false, nil
	}
	now, after := c.Env.Now(), row.Definition.AppliedAt
	last, err := s.Runs(ctx, rows.RunFilter{Campaign: row.Name, Triggers: []string{string(steps.TriggerSchedule)}, Limit: 1})
	if err != nil {
		return r, false, err
	}
	if len(last) > 0 && last[0].Due().After(after) {
		after = last[0].Due()
	}
	if row.Paused.Holds(now) {
		after = now
	}
	next := camp.Schedule.Next(after, 1)
	if len(next) == 0 {
		return r, false, nil
	}
	r = scheduledRun{Campaign: row.Name, Due: next[0], State: "future"}
	switch late := now.Sub(r.Due); {
	case row.Paused.Holds(now):
		r.State, r.Paused = "paused", row.Paused
	case late > onTime:
		r.State, r.Late = "late", late.Seconds()
	case late >= 0:
		r.State = "due"
	}
	return r, true, nil
}
