package activities

import (
	"cmp"
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// end is the result of one attempt at an item.
type end struct {
	ord     int64
	closed  bool
	outcome outcomes.Outcome
	tally   harvest.Tally
	err     error  // of an item that waits for a retry
	waiting string // why it waits
	queue   string
	stopped bool
	broken  error
}

// note adds one item's end to the answer.
func (k *session) note(e end) {
	k.running--
	k.out.Tally = k.out.Tally.Add(e.tally)
	if e.closed {
		k.out.Closed++
		k.see(e)
	}
	if e.waiting != "" {
		k.last, k.waiting = e.err, e.waiting
	}
	if !e.closed {
		k.dry = false // it is open, and perhaps due
	}
	if e.queue != "" {
		k.out.Queue = e.queue
	}
	k.out.Stopped = k.out.Stopped || e.stopped
	k.broken = cmp.Or(k.broken, e.broken)
}

func (k *session) see(e end) {
	if k.out.Outcomes == nil {
		k.out.Outcomes = map[outcomes.Outcome]steps.Seen{}
	}
	seen := k.out.Outcomes[e.outcome]
	k.out.Outcomes[e.outcome] = steps.Seen{Items: seen.Items + 1, New: seen.New + e.tally.New}
}

// answer returns what the workflow gets.
func (k *session) answer(ctx context.Context) (steps.Fetched, error) {
	k.out.Left, k.out.NextAt, k.out.Busy = k.left.Left, k.left.NextAt, k.left.Busy
	k.out.Stopped = k.out.Stopped || k.left.Stop != ""
	if soon := k.Now().Add(waitHere); k.none != "" && k.out.Left > 0 && k.out.NextAt.Before(soon) {
		k.out.NextAt = soon // meanwhile another worker may ask
	}
	wait := k.left.NextAt.Sub(k.Now())
	alone := !k.in.Shared && k.left.Left == 1 && k.out.Queue == ""
	if alone && k.last != nil && !k.out.Stopped && !k.quitting() && k.left.Paused == "" && wait <= temporalx.MaxDelay {
		return steps.Fetched{}, temporalx.RetryIn(k.last, wait)
	}
	k.out.Why, k.out.Run = k.why(ctx), k.counted(ctx)
	if k.left.Left > 0 {
		k.log.Info("handed back", "left", k.left.Left, "next_at", k.left.NextAt, "why", k.out.Why)
	}
	return k.out, nil
}

// counted counts the run of a shared queue; nil where the store does not answer,
// since nothing hangs on it.
func (k *session) counted(ctx context.Context) *steps.Counted {
	if !k.in.Shared {
		return nil
	}
	totals, err := k.Store.Totals(context.WithoutCancel(ctx), k.in.Run)
	if err != nil {
		k.log.Warn("what the run has committed was not counted", "error", err)
		return nil
	}
	c := &steps.Counted{Outcomes: map[outcomes.Outcome]steps.Seen{}}
	for _, t := range totals {
		c.Tally = c.Tally.Add(t.Tally)
		if t.Outcome != "" {
			c.Closed += t.Items
			c.Outcomes[t.Outcome] = steps.Seen{Items: t.Items, New: t.Tally.New}
		}
	}
	return c
}

// why explains a hand-back in words.
func (k *session) why(ctx context.Context) string {
	switch {
	case k.left.Left == 0:
		return ""
	case k.out.Stopped:
		return cmp.Or(k.left.Stop, "the run was told to stop")
	case k.left.Paused != "":
		return "paused: " + k.left.Paused
	case k.quitting() && ctx.Err() == nil:
		return "this worker is stopping"
	case k.none != "":
		return "this worker takes nothing new; " + k.none
	case k.quitting():
		return "handed back: " + string(temporalx.CancelCause(ctx))
	case k.waiting != "" && k.left.Left > 1:
		return fmt.Sprintf("%s · %d items", k.waiting, k.left.Left)
	case k.waiting != "":
		return k.waiting
	default:
		return fmt.Sprintf("%d items wait until %s", k.left.Left, k.left.NextAt.UTC().Format("15:04:05 UTC"))
	}
}
