package workflows

import (
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
)

func fromPayloads(p *commonpb.Payloads, into any) error {
	return converter.GetDefaultDataConverter().FromPayloads(p, into)
}

func sorted(s []string) []string {
	slices.Sort(s)
	return s
}
