package x

import (
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// left is how many reads the budgets allow.
func (r *reading) left() int {
	return min(r.params.perRun()-r.cp.Spent.Run, r.params.perMonth()-r.cp.Spent.Reads)
}

// overMonth is the end of a month whose budget is used up.
func (r *reading) overMonth() error {
	e := harvest.Errorf(harvest.KindThrottled, "read posts", r.params.base(), "budget: %d of %d reads of %s are used", r.cp.Spent.Reads, r.params.perMonth(), r.cp.Spent.Month)
	e.RetryAfter, e.Advice = untilNextMonth(r.now()), "it goes on next month; reads_per_month says how many reads are allowed"
	return e
}

// overRun says that a run may read no more; the next one goes on.
func (r *reading) overRun() string {
	return fmt.Sprintf("budget: %d of %d reads of this run are used; the next run goes on", r.cp.Spent.Run, r.params.perRun())
}

func untilNextMonth(now time.Time) time.Duration {
	now = now.UTC()
	return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Sub(now).Round(time.Second) + time.Second
}

func untilTomorrow(now time.Time) time.Duration {
	now = now.UTC()
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, time.UTC).Sub(now).Round(time.Second) + time.Second
}
