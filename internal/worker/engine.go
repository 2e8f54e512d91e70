package worker

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// runs asks Temporal about runs, for activities.
type runs struct{ remote }

// Closed says whether a run has ended there, and when; one that is not known
// has ended at the zero time.
func (r runs) Closed(ctx context.Context, workflowID, firstRunID string) (bool, time.Time, error) {
	end, err := temporalx.EndOf(ctx, r, workflowID, firstRunID)
	return end.Closed(), end.At, err
}

// Cancel and Terminate leave alone what has ended meanwhile.
func (r runs) Cancel(ctx context.Context, workflowID, firstRunID string) error {
	return r.ifOpen(ctx, workflowID, firstRunID, func() error { return r.CancelWorkflow(ctx, workflowID, "") })
}

// Terminate ends a run without its consent.
func (r runs) Terminate(ctx context.Context, workflowID, firstRunID, why string) error {
	return r.ifOpen(ctx, workflowID, firstRunID, func() error { return r.TerminateWorkflow(ctx, workflowID, "", why) })
}

func (r runs) ifOpen(ctx context.Context, workflowID, firstRunID string, do func() error) error {
	closed, _, err := r.Closed(ctx, workflowID, firstRunID)
	if err != nil || closed {
		return err
	}
	if err := do(); err != nil && !temporalx.IsNotFound(err) {
		return err
	}
	return nil
}
