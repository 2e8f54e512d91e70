package temporalx

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// executions are what a namespace knows of one workflow id, by run id; "" is the
// latest.
type executions map[string]*workflowpb.WorkflowExecutionInfo

func (e executions) DescribeWorkflowExecution(_ context.Context, _, runID string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if e == nil {
		return nil, errors.New("no connection")
	}
	if e[runID] == nil {
		return nil, serviceerror.NewNotFound("workflow not found")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: e[runID]}, nil
}

func TestEndOfARun(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)
	info := func(runID, first string, s enumspb.WorkflowExecutionStatus) *workflowpb.WorkflowExecutionInfo {
		return &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{RunId: runID}, FirstRunId: first, Status: s, CloseTime: timestamppb.New(at)}
	}
	running, completed, terminated := enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED
	for name, c := range map[string]struct {
		known executions
		want  End
	}{
		"going on":               {executions{"": info("1", "1", running)}, End{}},
		"continued as new":       {executions{"": info("2", "1", running)}, End{}},
		"ended":                  {executions{"": info("2", "1", completed)}, End{"Completed", at}},
		"not known":              {executions{}, End{Status: Unknown}},
		"id used again":          {executions{"": info("9", "9", running), "1": info("1", "1", terminated)}, End{"Terminated", at}},
		"id used again, deleted": {executions{"": info("9", "9", running)}, End{Status: Unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := EndOf(t.Context(), c.known, "news-1", "1")
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, c.want.Status != "", got.Closed())
		})
	}
	_, err := EndOf(t.Context(), executions(nil), "news-1", "1")
	require.Error(t, err, "no answer is no end")
}
