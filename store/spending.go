package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Spend counts what was spent and returns what the limits leave, in their order: less
// than 1 where one is reached, and then the requests are not counted and must not be
// made. Processes that spend for one campaign wait for each other, so that together
// they make no request too many.
func (s *Store) Spend(ctx context.Context, sp rows.Spend) (left []int64, err error) {
	err = s.write(ctx, "spend", sp.Campaign, func(t *tx) error {
		left = nil
		if err := lockSpending(t, sp.Campaign); err != nil {
			return err
		}
		if err := addSpent(t, sp, 0); err != nil {
			return err
		}
		full := false
		for _, l := range sp.Limits {
			used, err := spent(t, sp.Campaign, l)
			if err != nil {
				return err
			}
			left = append(left, l.N-used)
			full = full || used >= l.N
		}
		if full || sp.Requests == 0 {
			return nil
		}
		return addSpent(t, rows.Spend{Campaign: sp.Campaign, Entry: sp.Entry, Run: sp.Run, Day: sp.Day}, sp.Requests)
	})
	return left, err
}

// lockSpending makes others who spend for the campaign wait for the end of the
// transaction.
func lockSpending(t *tx, campaign string) error {
	_, err := t.exec(`INSERT INTO spending (campaign, entry, day, run, requests, bytes, documents) VALUES (?, '', 0, 0, 0, 0, 0)
		ON CONFLICT (campaign, entry, day, run) DO UPDATE SET requests = 0`, campaign)
	return err
}

func addSpent(t *tx, sp rows.Spend, requests int64) error {
	if requests == 0 && sp.Bytes == 0 && sp.Documents == 0 {
		return nil
	}
	_, err := t.exec(`INSERT INTO spending (campaign, entry, day, run, requests, bytes, documents) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (campaign, entry, day, run) DO UPDATE SET requests = spending.requests + excluded.requests,
		bytes = spending.bytes + excluded.bytes, documents = spending.documents + excluded.documents`,
		sp.Campaign, sp.Entry, sp.Day, sp.Run, requests, sp.Bytes, sp.Documents)
	return err
}

// Spent returns what was spent of a campaign's limit.
func (s *Store) Spent(ctx context.Context, campaign string, l rows.SpendLimit) (int64, error) {
	n, err := spent(s.reader(ctx), campaign, l)
	return n, fault("read what was spent", campaign, err)
}

func spent(q querier, campaign string, l rows.SpendLimit) (int64, error) {
	columns := map[string]string{"requests": "requests", "bytes": "bytes", "documents": "documents"}
	column, ok := columns[l.What]
	if !ok {
		return 0, harvest.Errorf(harvest.KindInternal, "read what was spent", campaign, "there is no budget of %q", l.What)
	}
	return number(q, `SELECT coalesce(sum(`+column+`), 0) FROM spending
		WHERE campaign = ? AND (? = '' OR entry = ?) AND day >= ? AND (? = 0 OR run = ?)`, campaign, l.Entry, l.Entry, l.From, l.Run, l.Run)
}

// spendingKept is how long what was spent stays, however short runs are kept: a month of
// any zone, and the one before.
const spendingKept = 62 * 24 * time.Hour

// spending removes what was spent before the runs that are kept, and in no current month.
func (c *cleaning) spending(ctx context.Context) (total int, err error) {
	names, err := collect(c.store.reader(ctx), scanText, `SELECT DISTINCT campaign FROM spending`)
	for _, campaign := range names {
		until := c.rule(campaign).Runs
		if latest := time.Now().Add(-spendingKept); until.After(latest) {
			until = latest
		}
		if until.IsZero() || err != nil {
			continue
		}
		y, m, d := until.UTC().Date()
		err = c.store.cleanOnce(ctx, func(t *tx) error {
			n, err := t.exec(`DELETE FROM spending WHERE campaign = ? AND day > 0 AND day < ?
				AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.id = spending.run AND r.state <> 'closed')`, campaign, y*10000+int(m)*100+d)
			total += int(n)
			return err
		})
	}
	return total, err
}

// renameSpending keeps what was spent with what it was spent for.
func renameSpending(t *tx, was, now string) error {
	if _, err := t.exec(`DELETE FROM spending WHERE campaign = ? AND day = 0`, was); err != nil {
		return err
	}
	_, err := t.exec(`UPDATE spending SET campaign = ? WHERE campaign = ?`, now, was)
	return err
}
