package store

import (
	"github.com/vendemmia/vendemmia/harvest/rows"
)

func (f *sqliteFile) items(t *tx, campaign string, names [][2]string) ([]knownItem, error) {
	return collect(t, scanKnownItem, `SELECT j.key, i.id, i.fetcher, i.label, i.host FROM json_each(?) j
		CROSS JOIN items i ON i.campaign = ? AND i.entry = j.value ->> 0 AND i.key = j.value ->> 1`, text(names), campaign)
}

func (f *sqliteFile) newItems(t *tx, list []newItem) ([]int64, error) {
	ids := make([]int64, len(list))
	for i, it := range list {
		var err error
		ids[i], err = t.insert(`INSERT INTO items (campaign, entry, key, fetcher, label, host, first_seen) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (campaign, entry, key) DO NOTHING`, it.campaign, it.entry, it.key, it.fetcher, it.label, it.host, it.seen)
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func (f *sqliteFile) addItems(t *tx, list []addedItem) (added int64, err error) {
	for _, it := range list {
		n, err := t.exec(`INSERT INTO run_items (run, ord, item, label, fetcher, host, policy, params) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			it.run, it.ord, it.item, it.label, it.fetcher, it.host, it.policy, it.params)
		if err != nil {
			return 0, err
		}
		added += n
	}
	return added, nil
}

// claim answers claims one after the other.
func (k *sqliteSink) claim(list []*claiming) error {
	for _, c := range list {
		if err := k.claimOne(c); err != nil && !refusal(err) {
			return err
		} else if err != nil {
			c.refused = err
		}
	}
	return nil
}

func (k *sqliteSink) claimOne(c *claiming) (err error) {
	if c.run, err = k.run(c.Run); err != nil {
		return err
	}
	if c.n, err = takeCensus(k.t, c.Claim); err != nil {
		return err
	}
	ready := c.ready()
	if err := noteClaim(k.t, c); err != nil || c.outdated() {
		return err
	}
	if err := reopen(k.t, c.Claim, &c.n); err != nil {
		return err
	}
	if ready {
		if err := pick(k.t, c); err != nil {
			return err
		}
	}
	c.conclude()
	return nil
}

// noteClaim looks who has asked for any of the range, and notes this attempt
// where it is the youngest.
func noteClaim(t *tx, c *claiming) (err error) {
	c.seen, err = number(t, `SELECT coalesce(max(epoch), 0) FROM claims WHERE run = ? AND lo <= ? AND hi >= ?`, c.Run, c.Hi, c.Lo)
	if err != nil || c.seen >= c.Epoch {
		return err
	}
	_, err = t.exec(`INSERT INTO claims (run, lo, hi, epoch) VALUES (?, ?, ?, ?) ON CONFLICT (run, lo, hi) DO UPDATE SET epoch = excluded.epoch`, c.Run, c.Lo, c.Hi, c.Epoch)
	return err
}

// pick takes what was chosen.
func pick(t *tx, c *claiming) error {
	which := c.choose()
	if which.limit == 0 {
		return nil
	}
	items, err := take(t, c.Claim, c.run, which)
	c.hand(items, which.lost)
	return err
}

// reopen opens again what was in flight when an older attempt died.
func reopen(t *tx, c rows.Claim, n *census) error {
	if n.stranded == 0 {
		return nil
	}
	_, err := t.exec(`UPDATE run_items SET state = 'open', lost = lost + 1, stuck = CASE WHEN seq > stuck_at THEN 1 ELSE stuck + 1 END, stuck_at = seq
		WHERE run = ? AND ord BETWEEN ? AND ? AND state = 'claimed' AND epoch < ?`, c.Run, c.Lo, c.Hi, c.Epoch)
	if err != nil {
		return err
	}
	*n, err = takeCensus(t, c)
	return err
}

// take reads and marks the first due items.
func take(t *tx, c rows.Claim, run liveRun, which choice) ([]rows.ClaimedItem, error) {
	now := micros(c.Now)
	order, luck := "ri.ord", "lost < 2"
	if which.lost {
		order, luck = "ri.lost, ri.ord", "lost > 1" // whoever had the least bad luck first: more of it ends an item
	}
	items, err := collect(t, func(s scanner) (rows.ClaimedItem, error) { return scanClaimed(s, run, c.Now) },
		`SELECT ri.ord, i.entry, i.key, ri.label, ri.fetcher, ri.params, ri.host, ri.policy, ri.attempts, ri.throttles, ri.lost, ri.seq, ri.started_at,
			coalesce(c.version, 0), coalesce(c.value, ''), coalesce(c.params, ''), coalesce(c.extraction, ''), i.last_listed, i.paused, i.first_seen, coalesce(c.run, 0), `+passColumns+`
		FROM run_items ri JOIN items i ON i.id = ri.item LEFT JOIN checkpoints c ON c.item = ri.item AND c.lane = ?
		WHERE ri.run = ? AND ri.ord BETWEEN ? AND ? AND ri.state = 'open' AND ri.not_before <= ? AND ri.`+luck+` ORDER BY `+order+` LIMIT ?`,
		run.lane, c.Run, c.Lo, c.Hi, now, which.limit)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	_, err = t.exec(`UPDATE run_items SET state = 'claimed', epoch = ?, worker = ?, started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END
		WHERE run = ? AND ord BETWEEN ? AND ? AND state = 'open' AND not_before <= ? AND `+luck,
		c.Epoch, c.Worker, now, c.Run, items[0].Ord, items[len(items)-1].Ord, now)
	for i := range items {
		if err == nil {
			err = complete(t, c, &items[i])
		}
	}
	return items, err
}

// complete fills in what only an item that was worked on before has.
func complete(t *tx, c rows.Claim, item *rows.ClaimedItem) (err error) {
	if item.Seq > 0 || item.Attempts > 0 || item.Throttles > 0 || item.Lost > 0 {
		item.RunItem, err = firstRunItem(t, c.Run, item.Ord)
		return err
	}
	item.Run, item.State, item.Epoch, item.Worker = c.Run, rows.ItemClaimed, c.Epoch, c.Worker
	if item.StartedAt.IsZero() {
		item.StartedAt = moment(micros(c.Now))
	}
	return nil
}

func firstRunItem(t *tx, run, ord int64) (rows.RunItem, error) {
	item, _, err := first(t, func(s scanner) (rows.RunItem, error) { return scanRunItem(s) },
		`SELECT `+runItemColumns+` FROM run_items ri JOIN items i ON i.id = ri.item WHERE ri.run = ? AND ri.ord = ?`, run, ord)
	return item, err
}
