package temporalx

import (
	"context"
	"fmt"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// NamespaceID returns the id that the server gave a namespace when it was made: it
// tells namespaces apart, whatever address they are reached by.
func NamespaceID(ctx context.Context, c client.Client, namespace string) (string, error) {
	got, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	if err != nil {
		return "", fmt.Errorf("describe namespace %s: %w", namespace, err)
	}
	return got.GetNamespaceInfo().GetId(), nil
}
