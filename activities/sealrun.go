package activities

import (
	"context"

	"github.com/vendemmia/vendemmia/workflows/steps"
)

// SealRun ends the opening of a run whose entries were asked for. Twice is
// alike.
func (a *Activities) SealRun(ctx context.Context, in steps.SealRunIn) (steps.Sealed, error) {
	run, c, err := a.campaignOf(ctx, in.RunOf)
	if err != nil {
		return steps.Sealed{}, err
	}
	return a.seal(ctx, run, c)
}
