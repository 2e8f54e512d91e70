package temporalx

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
)

// End is how a run ended in Temporal; the zero value: it has not.
type End struct {
	// Status is "Completed", "Terminated" …, or Unknown.
	Status string
	At     time.Time // zero where Status is Unknown
}

// Unknown is the status of a run that the namespace does not know (any more).
const Unknown = "unknown"

// Closed reports whether the run has ended.
func (e End) Closed() bool { return e.Status != "" }

// Describer is the part of client.Client that EndOf asks.
type Describer interface {
	DescribeWorkflowExecution(ctx context.Context, workflowID, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error)
}

// EndOf says whether a run has ended. A run is a chain of executions that begins
// with firstRunID: the latest execution of the workflow id tells whether the chain
// goes on, unless the id was used again for another run.
func EndOf(ctx context.Context, c Describer, workflowID, firstRunID string) (End, error) {
	latest, err := describe(ctx, c, workflowID, "")
	if err != nil {
		return End{}, err
	}
	if latest == nil || latest.GetFirstRunId() == firstRunID || latest.GetExecution().GetRunId() == firstRunID {
		return endOf(latest), nil
	}
	own, err := describe(ctx, c, workflowID, firstRunID)
	if err != nil {
		return End{}, err
	}
	return endOf(own), nil
}

// IsNotFound reports whether the server answered that it knows no such thing.
func IsNotFound(err error) bool {
	_, ok := errors.AsType[*serviceerror.NotFound](err)
	return ok
}

// describe returns nil for an execution that is not known.
func describe(ctx context.Context, c Describer, workflowID, runID string) (*workflowpb.WorkflowExecutionInfo, error) {
	answer, err := c.DescribeWorkflowExecution(ctx, workflowID, runID)
	if IsNotFound(err) {
		return nil, nil // absence is the answer
	}
	return answer.GetWorkflowExecutionInfo(), err
}

func endOf(info *workflowpb.WorkflowExecutionInfo) End {
	switch {
	case info == nil:
		return End{Status: Unknown}
	case info.GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING:
		return End{}
	default:
		return End{Status: info.GetStatus().String(), At: info.GetCloseTime().AsTime()}
	}
}
