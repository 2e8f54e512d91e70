package temporalx

import (
	"context"
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// SearchAttributes returns the type of every search attribute that runs in a
// namespace may set, by name. It needs no operator rights: what a cluster calls
// Keyword01 and the namespace calls Campaign is found by the namespace's own
// description.
func SearchAttributes(ctx context.Context, c client.Client, namespace string) (map[string]string, error) {
	if own, err := ownAttributes(ctx, c, namespace); err == nil {
		return own, nil
	}
	known, err := c.GetSearchAttributes(ctx) // older servers refuse the other one to all but operators
	if err != nil {
		return nil, fmt.Errorf("list search attributes: %w", err)
	}
	d, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: namespace})
	if err != nil {
		return nil, fmt.Errorf("describe namespace %s: %w", namespace, err)
	}
	types := map[string]string{}
	for name, kind := range known.GetKeys() {
		types[name] = kind.String()
	}
	for field, alias := range d.GetConfig().GetCustomSearchAttributeAliases() {
		if kind, ok := types[field]; ok {
			types[alias] = kind
		} else {
			types[alias] = fieldType(field)
		}
	}
	return types, nil
}

// ownAttributes asks within the namespace: a role there is enough, while what the
// whole cluster has is for roles of the cluster.
func ownAttributes(ctx context.Context, c client.Client, namespace string) (map[string]string, error) {
	list, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: namespace})
	if err != nil {
		return nil, err
	}
	types := map[string]string{}
	for _, attributes := range []map[string]enumspb.IndexedValueType{list.GetSystemAttributes(), list.GetCustomAttributes()} {
		for name, kind := range attributes {
			types[name] = kind.String()
		}
	}
	return types, nil
}

// fieldType reads the type off the name of a preallocated column: KeywordList02.
func fieldType(field string) string {
	name := strings.TrimRight(field, "0123456789")
	if kind, err := enumspb.IndexedValueTypeFromString(name); err == nil {
		return kind.String()
	}
	return name
}
