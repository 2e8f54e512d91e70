package scope

import (
	"context"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// Tagged are the campaigns that have all of these tags, removed ones included;
// without a tag it is nil. A tag that no campaign has is a usage error.
func Tagged(ctx context.Context, s program.Store, tags []string) ([]string, error) {
	if len(tags) == 0 {
		return nil, nil
	}
	list, err := s.Campaigns(ctx, "", true)
	if err != nil {
		return nil, err
	}
	names, known := []string{}, []string{}
	for _, row := range list {
		c, err := campaigns.Decode(row.Definition.Spec)
		if err != nil {
			continue // `campaigns show` tells; a list must not depend on it
		}
		known = append(known, c.Tags...)
		if !slices.ContainsFunc(tags, func(t string) bool { return !slices.Contains(c.Tags, t) }) {
			names = append(names, row.Name)
		}
	}
	return names, checkTags(tags, known)
}

func checkTags(tags, known []string) error {
	slices.Sort(known)
	known = slices.Compact(known)
	for _, tag := range tags {
		if slices.Contains(known, tag) {
			continue
		}
		if near := wording.Nearest(tag, known); near != "" {
			return program.Usage("--tag %s: no campaign has it; did you mean %s?", tag, near)
		}
		return program.Usage("--tag %s: no campaign has it; there are: %s", tag, strings.Join(known, ", "))
	}
	return nil
}
