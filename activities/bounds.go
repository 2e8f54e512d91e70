package activities

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
)

// timers bound a page, the item and the run; the function it returns ends them.
func (r *itemRun) timers(cancel context.CancelCauseFunc) func() {
	var all []*time.Timer
	bound := func(after time.Duration, cause error) *time.Timer {
		t := time.AfterFunc(max(0, after), func() { cancel(cause) })
		all = append(all, t)
		return t
	}
	page := r.pageTime()
	tooSlow := harvest.Errorf(harvest.KindTimeout, "fetch", r.name, "no page within %s", page)
	tooSlow.Advice = "timeouts.page allows more"
	r.page = newPageClock(page, func() { cancel(tooSlow) })
	if limit := r.entry.Timeouts.Item; limit > 0 {
		bound(limit-r.age(), harvest.Errorf(harvest.KindTimeout, "fetch", r.name, "the item took longer than %s (timeouts.item)", limit))
	}
	if at := r.session.run.Deadline; !at.IsZero() {
		bound(at.Sub(r.Now()), errNextTick)
	}
	return func() {
		r.page.stop()
		for _, t := range all {
			t.Stop()
		}
	}
}

func (r *itemRun) pageTime() time.Duration {
	if r.entry.Timeouts.Page > 0 {
		return r.entry.Timeouts.Page
	}
	return DefaultPage
}

// age is the time since the item's first attempt in this run.
func (r *itemRun) age() time.Duration {
	if r.item.StartedAt.IsZero() {
		return 0
	}
	return max(0, r.Now().Sub(r.item.StartedAt))
}
