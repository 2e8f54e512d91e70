package activities

import (
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// unscheduled is how long a run may take whose campaign has no schedule.
const unscheduled = 7 * 24 * time.Hour

// deadline is when a run must end: what timeouts.run says, else the next tick
// or the shortest gap of the schedule after its due time; zero: never.
func deadline(c *campaigns.Campaign, run rows.Run) time.Time {
	if c.Timeouts.Endless {
		return time.Time{}
	}
	if c.Timeouts.Run > 0 {
		return run.StartedAt.Add(c.Timeouts.Run)
	}
	if c.Schedule == nil || run.Lane != "" {
		return run.StartedAt.Add(unscheduled)
	}
	if c.Timeouts.UntilNext {
		if next := c.Schedule.Next(run.StartedAt, 1); len(next) == 1 {
			return next[0]
		}
		return run.StartedAt.Add(unscheduled)
	}
	gap := c.Schedule.Gap(run.StartedAt)
	if gap <= 0 {
		return run.StartedAt.Add(unscheduled)
	}
	from := run.StartedAt
	if late := run.StartedAt.Sub(run.DueAt); late >= 0 && late < gap/2 {
		from = run.DueAt
	}
	return from.Add(gap)
}
