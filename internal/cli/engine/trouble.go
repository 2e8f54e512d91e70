package engine

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/vendemmia/vendemmia/internal/temporalx"
)

// failingTask says how the workflow task of an execution fails again and again:
// code that does not fit its history, or a panic. Empty: it does not.
func (c *Client) failingTask(ctx context.Context, e *workflowpb.WorkflowExecutionInfo, task *workflowpb.PendingWorkflowTaskInfo) (string, error) {
	if task.GetAttempt() < 2 {
		return "", nil
	}
	answer, err := c.sdk.WorkflowService().GetWorkflowExecutionHistoryReverse(ctx, &workflowservice.GetWorkflowExecutionHistoryReverseRequest{
		Namespace: c.target.Namespace, Execution: e.GetExecution(), MaximumPageSize: 20,
	})
	if err != nil {
		return "", translate("read the history of "+e.GetExecution().GetWorkflowId(), err)
	}
	for _, event := range answer.GetHistory().GetEvents() {
		if failed := event.GetWorkflowTaskFailedEventAttributes(); failed != nil {
			return fmt.Sprintf("its workflow task fails (attempt %d, %s): %s", task.GetAttempt(), failed.GetCause(), temporalx.FailureText(c.data, failed.GetFailure())), nil
		}
	}
	return fmt.Sprintf("its workflow task fails or times out (attempt %d)", task.GetAttempt()), nil
}

// Unrouted names the worker deployment whose workers alone poll a queue while no
// version of it is current: the server gives them no new runs. Empty: all is well.
func (c *Client) Unrouted(ctx context.Context, queue string) (string, error) {
	d, err := c.sdk.DescribeTaskQueue(ctx, queue, enumspb.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return "", translate("look at task queue "+queue, err)
	}
	name := onlyDeployment(d.GetPollers())
	if name == "" {
		return "", nil
	}
	described, err := c.sdk.WorkerDeploymentClient().GetHandle(name).Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	if err != nil {
		return "", translate("look at worker deployment "+name, err)
	}
	if described.Info.RoutingConfig.CurrentVersion != nil {
		return "", nil
	}
	return name, nil
}

// onlyDeployment is the one that all pollers are of; "" where there is an
// unversioned one, or none at all.
func onlyDeployment(pollers []*taskqueuepb.PollerInfo) (name string) {
	for _, p := range pollers {
		o := p.GetDeploymentOptions()
		if o.GetWorkerVersioningMode() != enumspb.WORKER_VERSIONING_MODE_VERSIONED {
			return ""
		}
		name = o.GetDeploymentName()
	}
	return name
}
