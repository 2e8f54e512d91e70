package store

import (
	"context"
	"errors"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

const (
	// cleanBatch and cleanLinks bound how long a cleaning keeps other writers
	// waiting: rows, and versions that take some statements each, of one transaction.
	cleanBatch = 200
	cleanLinks = 100
	// cleanWindow is how many rows a cleaning reads at a time.
	cleanWindow = 20_000
)

// orphanAge is how long a blob without a row stays: its row may be on its way.
const orphanAge = 24 * time.Hour

// cleaning is one pass over the store for the rules of all campaigns. What is to go
// is found by reading, without a lock, and removed by key in small transactions
// beside other writers.
type cleaning struct {
	store *Store
	rules map[string]rows.Retention
}

// Clean removes what the rules allow, in small transactions: it may be interrupted
// and called again. A campaign without a rule has that of campaign "", if there is
// one. A version counts from the moment it was replaced and goes after those that
// are older; the current version of a document is never removed. Blobs without a
// row are looked at only with a rule for campaign "". A step that fails does not
// keep the others.
func (s *Store) Clean(ctx context.Context, list ...rows.Retention) (rows.Removed, error) {
	c := &cleaning{store: s, rules: make(map[string]rows.Retention, len(list))}
	for _, r := range list {
		c.rules[r.Campaign] = r
	}
	done, err := c.all(ctx)
	if _, all := c.rules[""]; !all {
		return done, err
	}
	stale := s.brief(ctx, "clean", "places in line", `DELETE FROM waiters WHERE until < {now} - 3600000000`)
	limit := time.Now().Add(-orphanAge)
	files, bad := s.engine.folder().clean(ctx, limit, s.named)
	kept, worse := s.cleanBlobs(ctx, limit)
	done.Blobs = files + kept
	return done, errors.Join(err, stale, fault("clean blobs in", s.engine.folder().root, bad), fault("clean", "blobs", worse))
}

func (c *cleaning) all(ctx context.Context) (done rows.Removed, err error) {
	for _, step := range []struct {
		what  string
		count *int
		do    func(context.Context) (int, error)
	}{
		{"items", &done.Items, c.items},
		{"runs", &done.Runs, c.runs},
		{"ledger", &done.Ledger, c.ledger},
		{"versions", &done.Versions, c.versions},
		{"raw pages", new(int), c.raw},
		{"settled failures", &done.Failures, c.failures},
		{"events", &done.Events, c.events},
		{"what was spent", new(int), c.spending},
		{"lists", &done.Lists, c.lists},
		{"states of hosts", &done.Hosts, c.hosts},
	} {
		n, failed := step.do(ctx)
		*step.count = n
		err = errors.Join(err, fault("clean", step.what, failed))
	}
	return done, err
}

// rule is what holds for a campaign; the rule that keeps everything if none does.
func (c *cleaning) rule(campaign string) rows.Retention {
	if own, ok := c.rules[campaign]; ok {
		return own
	}
	return c.rules[""]
}

// keep is one of the moments of a rule.
type keep = func(rows.Retention) time.Time

// latest is the moment before which anything may go, in any campaign; 0: nothing.
func (c *cleaning) latest(of keep) (most int64) {
	for _, r := range c.rules {
		if moment := of(r); !moment.IsZero() {
			most = max(most, micros(moment))
		}
	}
	return most
}

// goes reports whether something of a campaign is old enough.
func (c *cleaning) goes(campaign string, since int64, of keep) bool {
	moment := of(c.rule(campaign))
	return !moment.IsZero() && since < micros(moment)
}
