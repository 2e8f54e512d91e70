package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// items removes the items of closed runs, with the claims on them.
func (c *cleaning) items(ctx context.Context) (total int, err error) {
	of := func(r rows.Retention) time.Time { return r.Items }
	list, err := collect(c.store.reader(ctx), scanAged, `SELECT r.id, r.closed_at, r.closed_at, r.campaign FROM runs r
		WHERE r.cleaned = 0 AND r.state = 'closed' AND r.closed_at < ?
		AND (EXISTS (SELECT 1 FROM run_items ri WHERE ri.run = r.id) OR EXISTS (SELECT 1 FROM claims cl WHERE cl.run = r.id)) ORDER BY r.id`, c.latest(of))
	if err != nil {
		return 0, err
	}
	for _, run := range keysOf(old(c, of, list)) {
		n, err := c.store.dropItems(ctx, run)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (s *Store) dropItems(ctx context.Context, run int64) (int, error) {
	ords, err := collect(s.reader(ctx), scanNumber, `SELECT ord FROM run_items WHERE run = ? ORDER BY ord`, run)
	if err != nil {
		return 0, err
	}
	n, err := s.drop(ctx, ords, `DELETE FROM run_items WHERE ord IN `+theKeys+` AND run = ?`, run)
	if err != nil {
		return n, err
	}
	return n, s.cleanOnce(ctx, func(t *tx) error {
		for _, table := range []string{"claims", "attempts", "run_logs", "run_log_counts"} {
			if _, err := t.exec(`DELETE FROM `+table+` WHERE run = ?`, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// runs empties the rows of old runs, but of each campaign not the last KeepRuns;
// the items of a run that goes, go too.
func (c *cleaning) runs(ctx context.Context) (total int, err error) {
	list, err := collect(c.store.reader(ctx), scanAged, `
		SELECT id, nth, closed_at, campaign FROM (SELECT id, campaign, state, closed_at,
			row_number() OVER (PARTITION BY campaign, recorded ORDER BY started_at DESC, id DESC) AS nth FROM runs WHERE cleaned = 0) aged
		WHERE state = 'closed' AND closed_at < ? ORDER BY id`, c.latest(keepRuns))
	if err != nil {
		return 0, err
	}
	for _, a := range old(c, keepRuns, list) {
		if a.at <= int64(c.rule(a.campaign).KeepRuns) {
			continue
		}
		if err := c.store.stub(ctx, a.key); err != nil {
			return total, err
		}
		total++
	}
	return total, nil
}

func keepRuns(r rows.Retention) time.Time { return r.Runs }

// stub leaves of a run what others go on naming.
func (s *Store) stub(ctx context.Context, run int64) error {
	if _, err := s.dropItems(ctx, run); err != nil {
		return err
	}
	return s.cleanOnce(ctx, func(t *tx) error {
		if _, err := t.exec(`DELETE FROM outbox WHERE run = ? AND sent_at > 0`, run); err != nil {
			return err
		}
		_, err := t.exec(`UPDATE runs SET cleaned = 1, overrides = '', totals = '', summary = '' WHERE id = ?`, run)
		return err
	})
}

// ledger removes old lines. Their numbers grow almost with time, so that only those
// before the latest moment are read, and there is no index to keep.
func (c *cleaning) ledger(ctx context.Context) (total int, err error) {
	of := func(r rows.Retention) time.Time { return r.Ledger }
	latest := c.latest(of)
	if latest == 0 {
		return 0, nil
	}
	last, err := c.store.ledgerSince(ctx, rows.LedgerFilter{Since: moment(latest).Add(2 * ledgerSlack)})
	if err != nil {
		return 0, err
	}
	from, err := number(c.store.reader(ctx), `SELECT coalesce(min(id), 0) - 1 FROM ledger`)
	for ; err == nil && from < last; from += cleanWindow {
		var list []aged
		list, err = collect(c.store.reader(ctx), scanAged, `SELECT l.id, l.at, l.at, coalesce(i.campaign, '') FROM ledger l LEFT JOIN items i ON i.id = l.item
			WHERE l.id > ? AND l.id <= ? AND l.at < ? ORDER BY l.id`, from, min(last, from+cleanWindow), latest)
		if err != nil {
			break
		}
		var n int
		n, err = c.store.drop(ctx, keysOf(old(c, of, list)), `DELETE FROM ledger WHERE id IN `+theKeys+` AND at < ?`, latest)
		total += n
	}
	return total, err
}

// raw lets go of kept answers; their blobs become orphans.
func (c *cleaning) raw(ctx context.Context) (total int, err error) {
	of := func(r rows.Retention) time.Time { return r.Raw }
	err = eachAged(ctx, c, of, scanAged, `SELECT l.id, l.at, l.at, coalesce(i.campaign, '') FROM ledger l LEFT JOIN items i ON i.id = l.item
		WHERE l.raw <> '' AND (l.at, l.id) > (?, ?) AND l.at < ? ORDER BY l.at, l.id LIMIT ?`, func(list []aged) error {
		n, err := c.store.drop(ctx, keysOf(list), `UPDATE ledger SET raw = '' WHERE id IN `+theKeys)
		total += n
		return err
	})
	return total, err
}

// isSettled selects what is accepted or resolved, as the index on it does.
const isSettled = `(accepted > 0 OR resolved > 0)`

// failures removes records in quarantine that are settled, so long after they were
// and after they were rejected last; an open one stays.
func (c *cleaning) failures(ctx context.Context) (total int, err error) {
	of := func(r rows.Retention) time.Time { return r.Settled }
	latest := c.latest(of)
	err = eachAged(ctx, c, of, scanSettled, `SELECT q.id, q.at, q.accepted, q.resolved, coalesce(i.campaign, '') FROM quarantine q LEFT JOIN items i ON i.id = q.item
		WHERE `+isSettled+` AND (q.at, q.id) > (?, ?) AND q.at < ? ORDER BY q.at, q.id LIMIT ?`, func(list []aged) error {
		n, err := c.store.drop(ctx, keysOf(list), `DELETE FROM quarantine WHERE id IN `+theKeys+` AND `+isSettled+` AND at < ? AND accepted < ? AND resolved < ?`, latest, latest, latest)
		total += n
		return err
	})
	return total, err
}

func scanSettled(s scanner) (a aged, err error) {
	var accepted, resolved int64
	err = s.Scan(&a.key, &a.at, &accepted, &resolved, &a.campaign)
	a.since = max(a.at, accepted, resolved)
	return a, err
}
