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
	// keepUnused is how long lists stay that nothing names, and states of hosts that
	// say nothing.
	keepUnused = 30 * 24 * time.Hour
)

// Clean removes what each campaign's keep allows, in one pass for all of them. A
// campaign whose definition cannot be read keeps everything, and does not keep the
// others.
func (a *Activities) Clean(ctx context.Context, _ steps.CleanIn) (steps.Cleaned, error) {
	all, err := a.Store.Campaigns(ctx, "", true)
	if err != nil {
		return steps.Cleaned{}, err
	}
	var rules []rows.Retention
	var failed []error
	for _, row := range all {
		c, err := a.definition(ctx, row.Name, row.Definition.Version)
		if err != nil {
			failed = append(failed, fmt.Errorf("clean campaign %s: %w", row.Name, err))
			continue
		}
		rules = append(rules, retention(row.Name, c.Keep, a.Now()))
	}
	r, err := a.Store.Clean(ctx, append(rules, shared(rules, len(failed) == 0, a.Now()))...)
	out := steps.Cleaned{
		Runs: r.Runs, Items: r.Items, Ledger: r.Ledger, Versions: r.Versions, Failures: r.Failures, Blobs: r.Blobs,
		Events: r.Events, Lists: r.Lists, Hosts: r.Hosts,
	}
	return out, errors.Join(append(failed, err)...)
}

// shared is what holds for what belongs to no campaign: events stay as long as the
// runs of the campaign that keeps them longest, if all campaigns are known.
func shared(rules []rows.Retention, all bool, now time.Time) rows.Retention {
	r := rows.Retention{Unused: now.Add(-keepUnused)}
	if !all || len(rules) == 0 {
		return r
	}
	r.Events = rules[0].Runs
	for _, one := range rules[1:] {
		if one.Runs.Before(r.Events) {
			r.Events = one.Runs
		}
	}
	return r
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
