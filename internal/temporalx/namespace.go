package temporalx

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// AskQueue asks the server about a task queue, with the rights that polling it
// takes at least: an error says that no work comes from there.
func AskQueue(ctx context.Context, c client.Client, queue string) error {
	_, err := c.DescribeTaskQueue(ctx, queue, enumspb.TASK_QUEUE_TYPE_ACTIVITY)
	return err
}

// NamespaceID returns the id that the server gave a namespace when it was made: it
// tells namespaces apart, whatever address they are reached by.
func NamespaceID(ctx context.Context, c client.Client, namespace string) (string, error) {
	got, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	if err != nil {
		return "", fmt.Errorf("describe namespace %s: %w", namespace, err)
	}
	return got.GetNamespaceInfo().GetId(), nil
}
