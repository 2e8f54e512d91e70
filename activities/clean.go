package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

const (
	// keepItems is how long the items of closed runs are kept.
	keepItems = 5 * 24 * time.Hour
	// keepRuns of each campaign stay, however old.
	keepRuns = 20
)

// Clean removes what each campaign's keep allows, in one pass for all of them. A
// campaign whose definition cannot be read keeps everything, and does not keep the
// others.
func (a *Activities) Clean(ctx context.Context, _ steps.CleanIn) (steps.Cleaned, error) {
	all, err := a.Store.Campaigns(ctx, "", true)
	if err != nil {
		return steps.Cleaned{}, err
	}
	rules := []rows.Retention{{}} // bodies that nothing names any more belong to no campaign
	var failed []error
	for _, row := range all {
		c, err := a.definition(ctx, row.Name, row.Definition.Version)
		if err != nil {
			failed = append(failed, fmt.Errorf("clean campaign %s: %w", row.Name, err))
			continue
		}
		rules = append(rules, retention(row.Name, c.Keep, a.Now()))
	}
	r, err := a.Store.Clean(ctx, rules...)
	out := steps.Cleaned{Runs: r.Runs, Items: r.Items, Ledger: r.Ledger, Versions: r.Versions, Failures: r.Failures, Blobs: r.Blobs}
	return out, errors.Join(append(failed, err)...)
}

func retention(campaign string, k campaigns.Keep, now time.Time) rows.Retention {
	before := func(age time.Duration) time.Time {
		if age <= 0 {
			return time.Time{} // for ever
		}
		return now.Add(-age)
	}
	return rows.Retention{
		Campaign: campaign, Raw: before(k.Raw), Versions: before(k.Versions), Ledger: before(k.Ledger), Runs: before(k.Runs), Settled: before(k.Runs),
		Items: now.Add(-keepItems), KeepRuns: keepRuns,
	}
}
