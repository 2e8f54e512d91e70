package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// reconcileAfter is how long a run may be open here and not there.
	reconcileAfter = 10 * time.Minute
	maxNames       = 20
)

// Reconcile closes the runs that are open in the store while their workflow is
// closed or unknown: terminated by hand, lost with Temporal's own database, or
// of a store restored from a copy. It also sends what the outbox still holds.
// One run that cannot be looked at does not keep the others.
func (a *Activities) Reconcile(ctx context.Context, in steps.ReconcileIn) (steps.Reconciled, error) {
	after := in.After
	if after <= 0 {
		after = reconcileAfter
	}
	open, err := a.Store.Unfinished(ctx)
	if err != nil {
		return steps.Reconciled{}, err
	}
	out := steps.Reconciled{}
	var failed []error
	for _, run := range open {
		out.Looked++
		closed, err := a.reconcile(ctx, run, after)
		if err != nil {
			failed = append(failed, fmt.Errorf("run %s: %w", run.WorkflowID, err))
		}
		if closed && len(out.Closed) < maxNames {
			out.Closed = append(out.Closed, run.WorkflowID)
		}
	}
	if err := a.deliver(ctx, 0); err != nil {
		a.Log.WarnContext(ctx, "the outbox still holds notifications", "error", err)
	}
	failed = append(failed, a.wake(ctx))
	return out, errors.Join(failed...)
}

func (a *Activities) reconcile(ctx context.Context, run rows.Run, after time.Duration) (bool, error) {
	if a.Now().Sub(run.StartedAt) < after {
		return false, nil
	}
	closed, at, err := a.Temporal.Closed(ctx, run.WorkflowID, run.RunID)
	if err != nil || !closed || a.Now().Sub(at) < after {
		return false, err
	}
	return true, a.takeOver(ctx, run)
}
