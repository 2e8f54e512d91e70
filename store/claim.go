package store

import (
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// claiming is a claim on its way to its answer.
type claiming struct {
	rows.Claim
	job     *job
	run     liveRun
	seen    int64 // the youngest attempt that has asked on the same seat
	got     rows.Claimed
	refused error
}

const (
	// deadSeat keeps the moment before which all attempts are over.
	deadSeat = -1
	// leftClaim and leftLook bound what is counted of what is left.
	leftClaim, leftLook = 100, 1000
)

// atMost is a LIMIT whose value does not matter to the plan: SQLite prepares a
// statement anew whenever the value of a plain LIMIT ? is set.
const atMost = ` LIMIT CAST(? AS BIGINT)`

// answerClaims answers claims in their order, which makes a few messages for all
// of them where the database is a server.
func answerClaims(k sink, list []*claiming) error {
	if err := k.settle(); err != nil {
		return err
	}
	known := list[:0:0]
	for _, c := range list {
		if c.run, c.refused = k.run(c.Run); c.refused != nil && !refusal(c.refused) {
			return c.refused
		}
		if c.refused == nil {
			c.got = rows.Claimed{Stop: c.run.stop, Paused: c.run.paused}
			known = append(known, c)
		}
	}
	for _, step := range []func(*claiming, sink) error{(*claiming).askSeen, (*claiming).begin, (*claiming).takePlain, (*claiming).takeDangerous} {
		for _, c := range known {
			if err := step(c, k); err != nil {
				return err
			}
		}
		if err := k.send(); err != nil {
			return err
		}
	}
	return nil
}

// seat is the claim's row in claims.
func (c *claiming) seat() (queue string, seat int64) {
	if c.Shared {
		return c.Queue, c.Seat
	}
	return "", c.Ord
}

// within is the condition for the items that a claim asks for.
func (c *claiming) within() (string, []any) {
	if c.Shared {
		return `run = ? AND queue = ? AND state <> 'closed'`, []any{c.Run, c.Queue}
	}
	return `run = ? AND ord = ?`, []any{c.Run, c.Ord}
}

func (c *claiming) askSeen(k sink) error {
	queue, seat := c.seat()
	return k.ask(func(s scanner) error { return s.Scan(&c.seen) },
		`SELECT coalesce(max(epoch), 0) FROM claims WHERE run = ? AND queue = ? AND seat IN (?, ?)`, c.Run, queue, seat, int64(deadSeat))
}

// outdated reports whether a younger attempt has asked on the same seat.
func (c *claiming) outdated() bool { return c.seen > c.Epoch }

// begin notes an attempt that asks for the first time, and opens again what older
// ones left behind.
func (c *claiming) begin(k sink) error {
	if c.seen >= c.Epoch {
		return nil
	}
	queue, seat := c.seat()
	for _, row := range [][2]int64{{seat, c.Epoch}, {deadSeat, c.Dead}} {
		if row[1] == 0 {
			continue
		}
		err := k.do(`INSERT INTO claims (run, queue, seat, epoch) VALUES (?, ?, ?, ?) ON CONFLICT (run, queue, seat)
			DO UPDATE SET epoch = CASE WHEN claims.epoch < excluded.epoch THEN excluded.epoch ELSE claims.epoch END`, c.Run, queue, row[0], row[1])
		if err != nil {
			return err
		}
	}
	older, args := c.older()
	if err := k.do(insertAttempt+older+` ON CONFLICT DO NOTHING`, append([]any{micros(c.Now), rows.TryLost, "", ""}, args...)...); err != nil {
		return err
	}
	return k.do(reopen+older, args...)
}

const reopen = `UPDATE run_items SET state = 'open', lost = lost + 1, stuck = CASE WHEN seq > stuck_at THEN 1 ELSE stuck + 1 END, stuck_at = seq WHERE `

// older is the condition for what older attempts hold, which is opened again. Without
// the condition on not_before SQLite reads the whole run instead of the queue's index.
func (c *claiming) older() (string, []any) {
	within, args := c.within()
	older, seats := ` AND epoch < ?`, []any{c.Epoch}
	if c.Shared {
		older, seats = ` AND not_before >= 0 AND (epoch < ? OR seat = ? AND epoch < ?)`, []any{c.Dead, c.Seat, c.Epoch}
	}
	return within + ` AND state = 'claimed'` + older, append(args, seats...)
}

// takes reports whether the claim may get items at all.
func (c *claiming) takes() bool {
	return c.Max > 0 && !c.outdated() && c.run.stop == "" && c.run.paused == "" && c.run.state != rows.RunClosed
}

// takePlain takes what is due and has lost at most one worker.
func (c *claiming) takePlain(k sink) error {
	if c.takes() {
		query, args := c.due(k.lock())
		if err := k.take(c, query, args); err != nil {
			return err
		}
	}
	return c.look(k)
}

// takeDangerous takes one item that has lost two workers, when nothing else is
// due: one death may have been bad luck.
func (c *claiming) takeDangerous(k sink) error {
	if !c.takes() || !c.Idle || len(c.got.Items) > 0 || c.got.Left == 0 {
		return nil
	}
	within, args := c.within()
	err := k.take(c, `SELECT ord FROM run_items WHERE `+within+` AND state = 'open' AND not_before <= ? AND lost > 1 ORDER BY lost, place, ord LIMIT 1`+k.lock(),
		append(args, micros(c.Now)))
	if err != nil {
		return err
	}
	return c.look(k)
}

// due selects what is due: half of it what waited for another try, the longest
// first, then what was not tried yet in its order, so that neither waits for the
// end of the other.
func (c *claiming) due(lock string) (string, []any) {
	within, args := c.within()
	now, half := micros(c.Now), (c.Max+1)/2
	open := `SELECT ord FROM run_items WHERE ` + within + ` AND state = 'open' AND lost < 2 AND `
	waited := `SELECT * FROM (` + open + `not_before > 0 AND not_before <= ? ORDER BY not_before` + atMost + ` OFFSET ?` + lock + `) w`
	fresh := `SELECT * FROM (` + open + `not_before = 0 ORDER BY place, ord` + atMost + lock + `) f`
	all := append(append([]any{}, args...), now, half, 0)
	all = append(append(all, args...), c.Max)
	all = append(append(all, args...), now, c.Max, half)
	return waited + ` UNION ALL ` + fresh + ` UNION ALL ` + waited + atMost, append(all, c.Max)
}

// look says what is left, and whether anything is not closed.
func (c *claiming) look(k sink) error {
	within, args := c.within()
	most := leftClaim
	if c.Max == 0 {
		most = leftLook
	}
	var next int64
	return k.ask(func(s scanner) error {
		if err := s.Scan(&c.got.Left, &next, &c.got.Busy); err != nil {
			return err
		}
		c.got.NextAt = time.Time{}
		if c.got.Left > 0 {
			c.got.NextAt = moment(max(next, micros(c.Now)))
		}
		return nil
	}, `SELECT count(*), coalesce(min(not_before), 0), EXISTS (SELECT 1 FROM run_items WHERE `+within+` AND state = 'claimed')
		FROM (SELECT not_before FROM run_items WHERE `+within+` AND state = 'open' ORDER BY not_before`+atMost+`) n`, append(append(append([]any{}, args...), args...), most)...)
}

// claimedColumns is what a claimed item is made of; ri is run_items.
const claimedColumns = runItemColumns + `, coalesce(c.version, 0), coalesce(c.value, ''), coalesce(c.params, ''), coalesce(c.extraction, ''),
	i.last_listed, i.paused, i.first_seen, coalesce(c.run, 0), ` + passColumns

// add scans one item that was taken.
func (c *claiming) add(s scanner) error {
	item := rows.ClaimedItem{Campaign: c.run.campaign, Lane: c.run.lane}
	var value, paused string
	var listed, seen int64
	p := &storedPass{}
	var err error
	item.RunItem, err = scanRunItem(s, append([]any{
		&item.Checkpoint.Version, &value, &item.Checkpoint.Params, &item.Checkpoint.Extraction, &listed, &paused, &seen, &item.Moved,
	}, p.into()...)...)
	if err != nil {
		return err
	}
	item.Checkpoint.Value, item.Always, item.FirstSeen = raw(value), listed > 0, moment(seen)
	item.Pass, item.Quarantined = p.pass(), p.quarantined
	item.Paused, err = pauseAt(paused, c.Now)
	c.got.Items = append(c.got.Items, item)
	return err
}

// pauseAt is a stored pause, unless it has ended by itself.
func pauseAt(stored string, now time.Time) (*rows.Pause, error) {
	p, err := readPause(stored)
	if err == nil && p != nil && !p.Holds(now) {
		return nil, nil
	}
	return p, err
}
