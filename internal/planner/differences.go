package planner

import (
	"slices"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// differences compares two campaigns value by value, sorted by path. Items have
// their own comparison. former maps entries' new names to old ones.
func differences(old, now campaigns.Campaign, former map[string]string) []Difference {
	single := len(old.Entries) == 1 && len(now.Entries) == 1 && entryName(now.Entries[0], nil) == entryName(old.Entries[0], invert(former))
	before, after := allValues(old, single, invert(former)), allValues(now, single, nil)
	var out []Difference
	for _, path := range union(before, after) {
		if a, b := before[path], after[path]; a != b {
			out = append(out, Difference{Path: path, Old: a, New: b})
		}
	}
	return out
}

func invert(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[v] = k
	}
	return out
}

func entryName(e campaigns.Entry, renamed map[string]string) string {
	if name := renamed[e.Name]; name != "" {
		return name
	}
	return e.Name
}

func union(a, b flat) []string {
	var out []string
	for path := range a {
		out = append(out, path)
	}
	for path := range b {
		if _, both := a[path]; !both {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// about returns what is known about a fetcher; the zero value if it is unknown.
func (r *Planner) about(fetcher string) campaigns.FetcherInfo {
	if r.settings.Lookup == nil {
		return campaigns.FetcherInfo{}
	}
	info, err := r.settings.Lookup(fetcher)
	if err != nil {
		return campaigns.FetcherInfo{}
	}
	return info
}

func (r *Planner) fields(fetcher string) []paramspec.Field {
	return paramspec.Fields(r.about(fetcher).Params)
}

func (r *Planner) identity(fetcher string) []string { return r.about(fetcher).Identity }
