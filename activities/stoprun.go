package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// StopRun tells the store that a run must stop at its next page, whatever
// heartbeats do. Twice is alike.
func (a *Activities) StopRun(ctx context.Context, in steps.StopRunIn) (steps.Nothing, error) {
	_, err := a.run(ctx, in.Run, in.Store, in.RunOf)
	if errors.Is(err, rows.ErrRestored) {
		return steps.Nothing{}, nil // there is nothing of it to stop
	}
	if err != nil {
		return steps.Nothing{}, err
	}
	return steps.Nothing{}, a.Store.StopRun(ctx, in.Run, by(cmp.Or(in.Why, string(harvest.WhyCancelled)), in.By))
}

// SkipItem closes one open item as skipped; one in flight ends after its page.
func (a *Activities) SkipItem(ctx context.Context, in steps.SkipItemIn) (steps.Nothing, error) {
	if _, err := a.run(ctx, in.Run, in.Store, in.RunOf); err != nil {
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
