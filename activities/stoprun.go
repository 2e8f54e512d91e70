package activities

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// StopRun tells the store that a run must stop at its next page, whatever
// heartbeats do. Twice is alike.
func (a *Activities) StopRun(ctx context.Context, in steps.StopRunIn) (steps.Nothing, error) {
	_, err := a.run(ctx, in.RunOf)
	if errors.Is(err, rows.ErrRestored) {
		return steps.Nothing{}, nil // there is nothing of it to stop
	}
	if err != nil {
		return steps.Nothing{}, err
	}
	return steps.Nothing{}, a.Store.StopRun(ctx, in.Run, by(cmp.Or(in.Why, string(outcomes.WhyCancelled)), in.By))
}

// SkipItem closes one open item as skipped; a running one ends after its page.
func (a *Activities) SkipItem(ctx context.Context, in steps.SkipItemIn) (steps.Skipped, error) {
	if _, err := a.run(ctx, in.RunOf); err != nil {
		return steps.Skipped{}, err
	}
	err := a.Store.SkipItem(ctx, in.Run, in.Key, by(cmp.Or(in.Why, "skipped by hand"), in.By))
	if errors.Is(err, rows.ErrNotFound) {
		return steps.Skipped{}, a.noSuchItem(ctx, in)
	}
	if err != nil {
		return steps.Skipped{}, fmt.Errorf("skip item %s: %w", harvest.Redact(in.Key), err)
	}
	items, err := a.Store.RunItems(ctx, in.Run, rows.ItemFilter{Keys: []string{in.Key}})
	out := steps.Skipped{}
	for _, item := range items {
		out.Ords, out.Queues = append(out.Ords, item.Ord), append(out.Queues, item.Queue)
	}
	return out, err
}

// noSuchItem is an answer: asking again would not help.
func (a *Activities) noSuchItem(ctx context.Context, in steps.SkipItemIn) error {
	list, err := a.Store.RunItems(ctx, in.Run, rows.ItemFilter{States: []rows.ItemState{rows.ItemOpen, rows.ItemClaimed}, Limit: maxNearKeys})
	if err != nil {
		return err
	}
	var near []string
	for _, item := range list {
		near = append(near, item.Key)
	}
	return harvest.Errorf(harvest.KindMisconfigured, "skip item", "", "the run has no item %s", harvest.Redact(suggest(in.Key, near)))
}

func by(why, who string) string {
	if who == "" {
		return why
	}
	return why + " (" + who + ")"
}
