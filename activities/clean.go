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

// Clean removes what each campaign's keep allows. One campaign that cannot be
// cleaned does not keep the others.
func (a *Activities) Clean(ctx context.Context, _ steps.CleanIn) (steps.Cleaned, error) {
	all, err := a.Store.Campaigns(ctx, "", true)
	if err != nil {
		return steps.Cleaned{}, err
	}
	out := steps.Cleaned{}
	var failed []error
	for i, row := range all {
		beat(ctx, i*addBatch)
		c, err := a.definition(ctx, row.Name, row.Definition.Version)
		if err == nil {
			var r rows.Removed
			r, err = a.Store.Clean(ctx, retention(row.Name, c.Keep, a.Now()))
			out.Runs, out.Items, out.Ledger, out.Versions, out.Blobs = out.Runs+r.Runs, out.Items+r.Items, out.Ledger+r.Ledger, out.Versions+r.Versions, out.Blobs+r.Blobs
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("clean campaign %s: %w", row.Name, err))
		}
	}
	// Bodies that nothing names any more belong to no campaign.
	r, err := a.Store.Clean(ctx, rows.Retention{})
	if out.Blobs += r.Blobs; err != nil {
		failed = append(failed, fmt.Errorf("clean the bucket: %w", err))
	}
	return out, errors.Join(failed...)
}

func retention(campaign string, k campaigns.Keep, now time.Time) rows.Retention {
	before := func(age time.Duration) time.Time {
		if age <= 0 {
			return time.Time{} // for ever
		}
		return now.Add(-age)
	}
	return rows.Retention{
		Campaign: campaign, Raw: before(k.Raw), Versions: before(k.Versions), Ledger: before(k.Ledger), Runs: before(k.Runs),
		Items: now.Add(-keepItems), KeepRuns: keepRuns,
	}
}
