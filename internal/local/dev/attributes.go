package dev

import (
	"context"
	"fmt"
	"strings"

	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/client"
)

// Namespace is the development server's own.
const Namespace = "default"

// searchAttributes are ours, as the server's flag takes them.
func searchAttributes() []string {
	return []string{
		"Campaign=Keyword", "Outcome=Keyword", "Trigger=Keyword", "Tags=KeywordList", "Documents=Int", "FailedItems=Int",
	}
}

// attributesReady reports whether the server knows them all: it answers before
// it has made them, and a worker asks once.
func attributesReady(ctx context.Context, c client.Client) error {
	known, err := c.OperatorService().ListSearchAttributes(ctx, &operatorservice.ListSearchAttributesRequest{Namespace: Namespace})
	if err != nil {
		return fmt.Errorf("ask for search attributes: %w", err)
	}
	for _, a := range searchAttributes() {
		name, _, _ := strings.Cut(a, "=")
		if _, ok := known.CustomAttributes[name]; !ok {
			return fmt.Errorf("the search attribute %s is not there yet", name)
		}
	}
	return nil
}
