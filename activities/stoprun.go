package activities

import (
	"cmp"
	"context"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// StopRun tells the store that a run must stop at its next page, whatever
// heartbeats do. Twice is alike.
func (a *Activities) StopRun(ctx context.Context, in steps.StopRunIn) (steps.Nothing, error) {
	if _, err := a.run(ctx, in.Run, in.Store); err != nil {
		return steps.Nothing{}, err
	}
	return steps.Nothing{}, a.Store.StopRun(ctx, in.Run, by(cmp.Or(in.Why, string(harvest.WhyCancelled)), in.By))
}

// SkipItem closes one open item as skipped; one in flight ends after its page.
func (a *Activities) SkipItem(ctx context.Context, in steps.SkipItemIn) (steps.Nothing, error) {
	if _, err := a.run(ctx, in.Run, in.Store); err != nil {
		return steps.Nothing{}, err
	}
	if err := a.Store.SkipItem(ctx, in.Run, in.Key, by(cmp.Or(in.Why, "skipped by hand"), in.By)); err != nil {
		return steps.Nothing{}, fmt.Errorf("skip item %s: %w", harvest.Redact(in.Key), err)
	}
	return steps.Nothing{}, nil
}

func by(why, who string) string {
	if who == "" {
		return why
	}
	return why + " (" + who + ")"
}
