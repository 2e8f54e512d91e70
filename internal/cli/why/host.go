package why

import (
	"context"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/diagnose"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/cli/scope"
)

// hostRuns is in how many runs verdicts of robots.txt are looked for.
const hostRuns = 3

// host answers for a host; false: there is none of that name, or a campaign is
// meant.
func (c *why) host(ctx context.Context, s program.Store, name string) (diagnose.Answer, bool, error) {
	if _, err := s.Campaign(ctx, name); err == nil || c.ItemFlags.Campaign != "" {
		return diagnose.Answer{}, false, nil
	}
	all, err := scope.Hosts(ctx, c.Program, s)
	if err != nil {
		return diagnose.Answer{}, false, err
	}
	i := slices.IndexFunc(all, func(v scope.HostView) bool { return v.Name == strings.ToLower(name) })
	if i < 0 {
		return diagnose.Answer{}, false, nil
	}
	f := diagnose.HostFacts{Clock: c.Clock, Host: all[i].Host}
	if d := slices.IndexFunc(all, func(v scope.HostView) bool { return v.Name == "*" }); d >= 0 {
		f.Default = &all[d].Host
	}
	if f.Robots, err = verdicts(ctx, s, all[i]); err != nil {
		return diagnose.Answer{}, true, err
	}
	f.Waiting, err = waiters(ctx, s, func(w diagnose.Waiter) bool { return w.Host == all[i].Name })
	return diagnose.WhyHost(f), true, err
}

// verdicts are what robots.txt said in the last runs of the host's items, each
// once, the newest first.
func verdicts(ctx context.Context, s program.Store, v scope.HostView) ([]diagnose.Verdict, error) {
	var found []diagnose.Verdict
	for _, name := range lastRuns(v.On) {
		run, err := s.FindRun(ctx, name)
		if err != nil {
			continue // cleaned meanwhile
		}
		for line, err := range s.Ledger(ctx, rows.LedgerFilter{Run: run.ID, Host: v.Name}) {
			if err != nil {
				return nil, err
			}
			if text, ok := strings.CutPrefix(line.Note, "robots: "); ok {
				found = append(found, diagnose.Verdict{At: line.At, Text: text})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b diagnose.Verdict) int { return b.At.Compare(a.At) })
	seen := map[string]bool{}
	return slices.DeleteFunc(found, func(v diagnose.Verdict) bool {
		known := seen[v.Text]
		seen[v.Text] = true
		return known
	}), nil
}

// lastRuns names the newest runs of some items.
func lastRuns(items []rows.Item) []string {
	sorted := slices.Clone(items)
	slices.SortStableFunc(sorted, func(a, b rows.Item) int { return b.LastAt.Compare(a.LastAt) })
	var names []string
	for _, it := range sorted {
		if it.LastRun != "" && !slices.Contains(names, it.LastRun) && len(names) < hostRuns {
			names = append(names, it.LastRun)
		}
	}
	return names
}

// waiters are the items of open runs that are not closed, of those wanted.
func waiters(ctx context.Context, s program.Store, wanted func(diagnose.Waiter) bool) ([]diagnose.Waiter, error) {
	open, err := s.OpenRuns(ctx)
	if err != nil {
		return nil, err
	}
	var all []diagnose.Waiter
	for _, r := range open {
		items, err := s.RunItems(ctx, r.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemOpen, rows.ItemClaimed}, Limit: whyItems})
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			if w := (diagnose.Waiter{Run: r.WorkflowID, RunItem: it}); wanted(w) {
				all = append(all, w)
			}
		}
	}
	return all, nil
}
