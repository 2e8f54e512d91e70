package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// namespacePatience is how long a new namespace may stay unknown: servers refresh
// what they know of namespaces every ten seconds.
const namespacePatience = 2 * time.Minute

// MakeNamespace makes the target's namespace when there is none, and returns when
// the server takes work for it. A namespace that is there stays as it is. Errors:
// ErrForbidden or ErrUnsupported where the server does not allow it.
func (c *Client) MakeNamespace(ctx context.Context, retention time.Duration) (made bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, namespacePatience)
	defer cancel()
	name := c.target.Namespace
	_, err = c.sdk.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	if _, absent := errors.AsType[*serviceerror.NamespaceNotFound](err); err != nil && !absent {
		return false, translate("look at namespace "+name, err)
	}
	if err != nil {
		_, err = c.sdk.WorkflowService().RegisterNamespace(ctx, &workflowservice.RegisterNamespaceRequest{
			Namespace: name, WorkflowExecutionRetentionPeriod: durationpb.New(retention),
		})
		if _, there := errors.AsType[*serviceerror.NamespaceAlreadyExists](err); err != nil && !there {
			return false, translate("make namespace "+name, err)
		}
		made = err == nil
	}
	return made, c.awaitNamespace(ctx)
}

// awaitNamespace asks for a task queue until the namespace is known everywhere.
func (c *Client) awaitNamespace(ctx context.Context) error {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		err := temporalx.AskQueue(ctx, c.sdk, steps.QueueControl)
		if _, absent := errors.AsType[*serviceerror.NamespaceNotFound](err); !absent {
			return translate("ask "+c.target.String(), err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for namespace %s: the server does not know it after %s: %w", c.target.Namespace, namespacePatience, err)
		case <-tick.C:
		}
	}
}
