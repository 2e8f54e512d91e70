package engine

import (
	"context"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/operatorservice/v1"

	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/workflows"
)

// SearchAttributes returns the namespace's search attributes: type by name.
func (c *Client) SearchAttributes(ctx context.Context) (map[string]string, error) {
	types, err := temporalx.SearchAttributes(ctx, c.sdk, c.target.Namespace)
	return types, translate("list search attributes", err)
}

// AddSearchAttributes makes attributes, where the server allows it: ErrForbidden
// or ErrUnsupported where not.
func (c *Client) AddSearchAttributes(ctx context.Context, add []workflows.Attribute) error {
	kinds := map[string]enumspb.IndexedValueType{}
	for _, a := range add {
		kind, err := enumspb.IndexedValueTypeFromString(a.Type)
		if err != nil {
			return err
		}
		kinds[a.Name] = kind
	}
	_, err := c.sdk.OperatorService().AddSearchAttributes(ctx, &operatorservice.AddSearchAttributesRequest{
		Namespace: c.target.Namespace, SearchAttributes: kinds,
	})
	if err != nil && strings.Contains(err.Error(), "already exist") {
		return nil
	}
	return translate("create search attributes", err)
}
