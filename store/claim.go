package store

import (
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

func (b *batchWriter) claimItems(c rows.Claim) (rows.Claimed, error) {
	run, err := b.run(c.Run)
	if err != nil {
		return rows.Claimed{}, err
	}
	n, err := takeCensus(b.t, c)
	if err != nil {
		return rows.Claimed{}, err
	}
	got := rows.Claimed{Stop: run.stop, Paused: run.paused}
	if zombie, err := outdated(b.t, c); err != nil || zombie {
		return got, err
	}
	if err := reopen(b.t, c, &n); err != nil {
		return got, err
	}
	if run.stop == "" && run.paused == "" && run.state != rows.RunClosed {
		if got.Items, err = pick(b.t, c, run, &n); err != nil {
			return got, err
		}
	}
	got.Left, got.NextAt = n.left(c.Now)
	return got, nil
}

// census counts what is not closed in a range, in one pass.
type census struct {
	stranded   int64 // claimed by an older attempt
	flying     int64 // claimed by this one
	flyingLost int64
	open       int64
	due        int64 // open, due, never lost
	dueLost    int64
	next       int64 // earliest not_before after now
}

func takeCensus(t *tx, c rows.Claim) (n census, err error) {
	now := micros(c.Now)
	err = t.row(`SELECT coalesce(sum(state = 'claimed' AND epoch < ?1), 0),
			coalesce(sum(state = 'claimed' AND epoch = ?1), 0),
			coalesce(sum(state = 'claimed' AND epoch = ?1 AND lost > 0), 0),
			coalesce(sum(state = 'open'), 0),
			coalesce(sum(state = 'open' AND not_before <= ?2 AND lost = 0), 0),
			coalesce(sum(state = 'open' AND not_before <= ?2 AND lost > 0), 0),
			coalesce(min(CASE WHEN state = 'open' AND not_before > ?2 THEN not_before END), 0)
		FROM run_items WHERE run = ?3 AND ord BETWEEN ?4 AND ?5 AND state <> 'closed'`, c.Epoch, now, c.Run, c.Lo, c.Hi).
		Scan(&n.stranded, &n.flying, &n.flyingLost, &n.open, &n.due, &n.dueLost, &n.next)
	return n, err
}

// left says what is open after a claim, and when the earliest is due.
func (n *census) left(now time.Time) (int, time.Time) {
	switch {
	case n.open == 0:
		return 0, time.Time{}
	case n.due+n.dueLost > 0:
		return int(n.open), now
	default:
		return int(n.open), moment(n.next)
	}
}

// outdated reports whether a younger attempt has asked for any of the range, and
// notes this one where it is the youngest.
func outdated(t *tx, c rows.Claim) (bool, error) {
	seen, err := number(t, `SELECT coalesce(max(epoch), 0) FROM claims WHERE run = ? AND lo <= ? AND hi >= ?`, c.Run, c.Hi, c.Lo)
	if err != nil || seen >= c.Epoch {
		return seen > c.Epoch, err
	}
	_, err = t.exec(`INSERT INTO claims (run, lo, hi, epoch) VALUES (?, ?, ?, ?) ON CONFLICT (run, lo, hi) DO UPDATE SET epoch = excluded.epoch`, c.Run, c.Lo, c.Hi, c.Epoch)
	return false, err
}

// reopen opens again what was in flight when an older attempt died.
func reopen(t *tx, c rows.Claim, n *census) error {
	if n.stranded == 0 {
		return nil
	}
	_, err := t.exec(`UPDATE run_items SET state = 'open', lost = lost + 1 WHERE run = ? AND ord BETWEEN ? AND ? AND state = 'claimed' AND epoch < ?`, c.Run, c.Lo, c.Hi, c.Epoch)
	if err != nil {
		return err
	}
	*n, err = takeCensus(t, c)
	return err
}

// pick chooses: due items that were never lost, else one lost item when nothing
// of the range is in flight.
func pick(t *tx, c rows.Claim, run liveRun, n *census) ([]rows.ClaimedItem, error) {
	switch {
	case n.flyingLost > 0 || c.Max <= 0:
		return nil, nil
	case n.due > 0:
		items, err := take(t, c, run, 0, c.Max)
		n.due -= int64(len(items))
		n.open -= int64(len(items))
		return items, err
	case n.dueLost > 0 && n.flying == 0:
		items, err := take(t, c, run, 1, 1)
		n.dueLost -= int64(len(items))
		n.open -= int64(len(items))
		return items, err
	default:
		return nil, nil
	}
}

// take reads and marks the first due items; lost is 0 for those that never
// were, 1 for the others.
func take(t *tx, c rows.Claim, run liveRun, lost, limit int) ([]rows.ClaimedItem, error) {
	now := micros(c.Now)
	order := "ri.ord"
	if lost > 0 {
		order = "ri.lost, ri.ord" // whoever had the least bad luck first: more of it ends an item
	}
	items, err := collect(t, func(s scanner) (rows.ClaimedItem, error) { return scanClaimed(s, run, c.Now) },
		`SELECT ri.ord, i.entry, i.key, ri.label, ri.fetcher, ri.params, ri.host, ri.policy, ri.attempts, ri.throttles, ri.lost, ri.seq, ri.started_at,
			coalesce(c.version, 0), coalesce(c.value, ''), coalesce(c.params, ''), coalesce(c.extraction, ''), i.last_listed, i.paused, i.first_seen, coalesce(c.run, 0), `+passColumns+`
		FROM run_items ri JOIN items i ON i.id = ri.item LEFT JOIN checkpoints c ON c.item = ri.item AND c.lane = ?
		WHERE ri.run = ? AND ri.ord BETWEEN ? AND ? AND ri.state = 'open' AND ri.not_before <= ? AND (ri.lost > 0) = ? ORDER BY `+order+` LIMIT ?`,
		run.lane, c.Run, c.Lo, c.Hi, now, lost, limit)
	if err != nil || len(items) == 0 {
		return nil, err
	}
	_, err = t.exec(`UPDATE run_items SET state = 'claimed', epoch = ?, worker = ?, started_at = CASE WHEN started_at = 0 THEN ? ELSE started_at END
		WHERE run = ? AND ord BETWEEN ? AND ? AND state = 'open' AND not_before <= ? AND (lost > 0) = ?`,
		c.Epoch, c.Worker, now, c.Run, items[0].Ord, items[len(items)-1].Ord, now, lost)
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
		item.RunItem, err = scanRunItem(t.row(`SELECT `+runItemColumns+` FROM run_items ri JOIN items i ON i.id = ri.item WHERE ri.run = ? AND ri.ord = ?`, c.Run, item.Ord))
		return err
	}
	item.Run, item.State, item.Epoch, item.Worker = c.Run, rows.ItemClaimed, c.Epoch, c.Worker
	if item.StartedAt.IsZero() {
		item.StartedAt = moment(micros(c.Now))
	}
	return nil
}

func scanClaimed(s scanner, run liveRun, now time.Time) (rows.ClaimedItem, error) {
	c := rows.ClaimedItem{Campaign: run.campaign, Lane: run.lane}
	var params, policy, value, paused string
	var started, listed, seen int64
	p := &storedPass{}
	err := s.Scan(append([]any{
		&c.Ord, &c.Entry, &c.Key, &c.Label, &c.Fetcher, &params, &c.Host, &policy, &c.Attempts, &c.Throttles, &c.Lost, &c.Seq, &started,
		&c.Checkpoint.Version, &value, &c.Checkpoint.Params, &c.Checkpoint.Extraction, &listed, &paused, &seen, &c.Moved,
	}, p.into()...)...)
	if err != nil {
		return c, err
	}
	c.Params, c.Policy, c.StartedAt = raw(params), raw(policy), moment(started)
	c.Checkpoint.Value, c.Always, c.FirstSeen, c.Pass = raw(value), listed > 0, moment(seen), p.pass()
	if c.Paused, err = readPause(paused); err == nil && c.Paused != nil && !c.Paused.Until.IsZero() && !now.Before(c.Paused.Until) {
		c.Paused = nil
	}
	return c, err
}
