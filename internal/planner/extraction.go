package planner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// extractionChanges warns if a param changes that shapes the extraction, because stored
// documents were extracted differently.
func (r *Planner) extractionChanges(ctx context.Context, t *task, former map[string]string) error {
	var changed []string
	for _, e := range t.source.Campaign.Entries {
		was := e.Name
		if name, ok := former[e.Name]; ok {
			was = name
		}
		i := slices.IndexFunc(t.old.Entries, func(o campaigns.Entry) bool { return o.Name == was && o.Fetcher == e.Fetcher })
		if i >= 0 {
			changed = append(changed, r.otherwise(t.old.Entries[i], e)...)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	n, err := r.documents(ctx, t.name)
	if err != nil || n == 0 {
		return err
	}
	t.change.Warnings = append(t.change.Warnings, fmt.Sprintf("%s were taken with other %s; the next run reads again what it lists",
		wording.Count(int(n), "document"), strings.Join(slices.Compact(changed), ", ")))
	return nil
}

// otherwise names the params of an entry that shape the extraction and differ.
func (r *Planner) otherwise(old, now campaigns.Entry) (names []string) {
	before, after, shaping := flat{}, flat{}, paramspec.Extraction(r.about(now.Fetcher).Params)
	before.json("", old.Params)
	after.json("", now.Params)
	for _, path := range union(before, after) {
		if name, _, _ := strings.Cut(path, "."); shaping[name] && before[path] != after[path] {
			names = append(names, name)
		}
	}
	return names
}
