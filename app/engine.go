package app

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
)

// runs asks Temporal about runs, for activities. A run is a chain of executions
// that begins with firstRunID; the workflow id's latest execution tells whether
// the chain goes on.
type runs struct{ remote }

// Closed says whether a run has ended there, and when; one that is not known
// has ended at the zero time.
func (r runs) Closed(ctx context.Context, workflowID, firstRunID string) (bool, time.Time, error) {
	latest, err := r.describe(ctx, workflowID, "")
	if err != nil || latest == nil {
		return latest == nil, time.Time{}, err
	}
	if latest.GetFirstRunId() == firstRunID || latest.GetExecution().GetRunId() == firstRunID {
		return ended(latest)
	}
	own, err := r.describe(ctx, workflowID, firstRunID)
	if err != nil || own == nil {
		return own == nil, time.Time{}, err
	}
	return ended(own)
}

func ended(info *workflowpb.WorkflowExecutionInfo) (bool, time.Time, error) {
	if info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return false, time.Time{}, nil
	}
	return true, info.GetCloseTime().AsTime(), nil
}

// describe returns nil for an execution that is not known.
func (r runs) describe(ctx context.Context, workflowID, runID string) (*workflowpb.WorkflowExecutionInfo, error) {
	answer, err := r.DescribeWorkflowExecution(ctx, workflowID, runID)
	if unknown(err) {
		return nil, nil //nolint:nilnil // absence is the answer
	}
	return answer.GetWorkflowExecutionInfo(), err
}

func unknown(err error) bool {
	_, ok := errors.AsType[*serviceerror.NotFound](err)
	return ok
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
	if err := do(); err != nil && !unknown(err) {
		return err
	}
	return nil
}
