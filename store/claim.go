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
	n       census
	seen    int64 // the youngest attempt that has asked for any of the range
	got     rows.Claimed
	refused error
}

// ready begins the answer and reports whether the run hands out anything.
func (c *claiming) ready() bool {
	c.got = rows.Claimed{Stop: c.run.stop, Paused: c.run.paused}
	return c.run.stop == "" && c.run.paused == "" && c.run.state != rows.RunClosed
}

// outdated reports whether a younger attempt has asked for any of the range.
func (c *claiming) outdated() bool { return c.seen > c.Epoch }

// choice is which items a claim takes, and how many.
type choice struct {
	lost  bool
	limit int
}

// choose takes due items that have not lost two workers, else one that has when
// nothing of the range is in flight: one death may have been bad luck.
func (c *claiming) choose() choice {
	switch {
	case c.n.flyingLost > 0 || c.Max <= 0:
		return choice{}
	case c.n.due > 0:
		return choice{limit: c.Max}
	case c.n.dueLost > 0 && c.n.flying == 0:
		return choice{lost: true, limit: 1}
	default:
		return choice{}
	}
}

// hand answers with the items that were taken.
func (c *claiming) hand(items []rows.ClaimedItem, lost bool) {
	n := int64(len(items))
	if c.n.open -= n; lost {
		c.n.dueLost -= n
	} else {
		c.n.due -= n
	}
	c.got.Items = items
}

// conclude says what is left.
func (c *claiming) conclude() { c.got.Left, c.got.NextAt = c.n.left(c.Now) }

// census counts what is not closed in a range, in one pass.
type census struct {
	stranded   int64 // claimed by an older attempt
	flying     int64 // claimed by this one
	flyingLost int64
	open       int64
	due        int64 // open, due, at most one worker lost
	dueLost    int64
	next       int64 // earliest not_before after now
}

func takeCensus(t *tx, c rows.Claim) (n census, err error) {
	now := micros(c.Now)
	err = scanOne(t, n.into(), `SELECT count(*) FILTER (WHERE state = 'claimed' AND epoch < ?1),
			count(*) FILTER (WHERE state = 'claimed' AND epoch = ?1),
			count(*) FILTER (WHERE state = 'claimed' AND epoch = ?1 AND lost > 1),
			count(*) FILTER (WHERE state = 'open'),
			count(*) FILTER (WHERE state = 'open' AND not_before <= ?2 AND lost < 2),
			count(*) FILTER (WHERE state = 'open' AND not_before <= ?2 AND lost > 1),
			coalesce(min(CASE WHEN state = 'open' AND not_before > ?2 THEN not_before END), 0)
		FROM run_items WHERE run = ?3 AND ord BETWEEN ?4 AND ?5 AND state <> 'closed'`, c.Epoch, now, c.Run, c.Lo, c.Hi)
	return n, err
}

func (n *census) into() []any {
	return []any{&n.stranded, &n.flying, &n.flyingLost, &n.open, &n.due, &n.dueLost, &n.next}
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
	c.Quarantined = p.quarantined
	c.Paused, err = pauseAt(paused, now)
	return c, err
}

// pauseAt is a stored pause, unless it has ended by itself.
func pauseAt(stored string, now time.Time) (*rows.Pause, error) {
	p, err := readPause(stored)
	if err == nil && p != nil && !p.Holds(now) {
		return nil, nil
	}
	return p, err
}
