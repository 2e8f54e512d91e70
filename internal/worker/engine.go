package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// reachesTemporal says why no work comes: the certificate has expired, the server
// is away or refuses this worker, or its polls fail.
func (s *service) reachesTemporal(ctx context.Context) error {
	r := s.Remote
	if err := temporalx.CertificateError(r.options, time.Now()); err != nil {
		return err
	}
	if err := temporalx.AskQueue(ctx, r, s.queues()[0]); err != nil {
		return fmt.Errorf("ask Temporal at %s, namespace %s: %w", r.address, r.namespace, err)
	}
	return r.polls.Failing(time.Now())
}

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

// Wake tells a run that waits in line that it may begin.
func (r runs) Wake(ctx context.Context, workflowID, firstRunID string) error {
	return r.ifOpen(ctx, workflowID, firstRunID, func() error { return steps.PlaceFree.Send(ctx, r, workflowID, "", steps.Nothing{}) })
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
