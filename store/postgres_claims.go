package store

import (
	"fmt"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// claim answers claims in rounds: two that may want the same item are not in
// one, so that each statement serves all claims of its round.
func (k *pgSink) claim(list []*claiming) error {
	if err := k.settle(); err != nil {
		return err
	}
	k.lockClaims(list)
	for len(list) > 0 {
		var round, rest []*claiming
		for _, c := range list {
			if slices.ContainsFunc(round, c.overlaps) || slices.ContainsFunc(rest, c.overlaps) {
				rest = append(rest, c)
			} else {
				round = append(round, c)
			}
		}
		if err := k.claimRound(round); err != nil {
			return err
		}
		list = rest
	}
	return nil
}

func (c *claiming) overlaps(other *claiming) bool {
	return c.Run == other.Run && c.Lo <= other.Hi && other.Lo <= c.Hi
}

// lockClaims makes other processes wait that hand out items of the same runs. It
// is held for moments: claims come at the end of their transaction.
func (k *pgSink) lockClaims(list []*claiming) {
	runs := make([]int64, len(list))
	for i, c := range list {
		runs[i] = c.Run
	}
	slices.Sort(runs)
	k.w.out.ask(func(scanner) error { return nil }, `SELECT pg_advisory_xact_lock($1, (r % 2147483647)::int) FROM unnest($2::bigint[]) AS r`, lockClaims, slices.Compact(runs))
}

func (k *pgSink) claimRound(round []*claiming) error {
	var known []*claiming
	for _, c := range round {
		if c.run, c.refused = k.run(c.Run); c.refused == nil {
			known = append(known, c)
		}
	}
	if len(known) == 0 {
		return nil
	}
	k.census(known)
	if err := k.w.send(); err != nil {
		return err
	}
	k.noteClaims(known)
	plain, lost, err := k.choose(known)
	if err != nil {
		return err
	}
	handPlain, handLost := k.take(plain, false), k.take(lost, true)
	if err := k.w.send(); err != nil {
		return err
	}
	handPlain()
	handLost()
	for _, c := range known {
		if !c.outdated() {
			c.conclude()
		}
	}
	return nil
}

// choose opens again what was stranded, and tells the claims that are handed items
// as they come from those that are handed one which has lost two workers.
func (k *pgSink) choose(list []*claiming) (plain, lost []*claiming, err error) {
	for _, c := range list {
		ready := c.ready()
		if c.outdated() {
			continue
		}
		if err := reopen(&tx{k.w}, c.Claim, &c.n); err != nil {
			return nil, nil, err
		}
		switch which := c.choose(); {
		case !ready || which.limit == 0:
		case which.lost:
			lost = append(lost, c)
		default:
			plain = append(plain, c)
		}
	}
	return plain, lost, nil
}

// census counts for each claim what is not closed in its range, and finds the
// youngest attempt that has asked for any of it.
func (k *pgSink) census(list []*claiming) {
	at := 0
	columns := claimColumns()
	k.w.out.ask(func(s scanner) error {
		c := list[at]
		at++
		return s.Scan(append([]any{&c.seen}, c.n.into()...)...)
	}, `SELECT (SELECT coalesce(max(c.epoch), 0) FROM claims c WHERE c.run = k.run AND c.lo <= k.hi AND c.hi >= k.lo),
			n.stranded, n.flying, n.flying_lost, n.open, n.due, n.due_lost, n.next
		FROM `+fromNumbered(columns)+` CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE r.state = 'claimed' AND r.epoch < k.epoch) AS stranded,
			count(*) FILTER (WHERE r.state = 'claimed' AND r.epoch = k.epoch) AS flying,
			count(*) FILTER (WHERE r.state = 'claimed' AND r.epoch = k.epoch AND r.lost > 1) AS flying_lost,
			count(*) FILTER (WHERE r.state = 'open') AS open,
			count(*) FILTER (WHERE r.state = 'open' AND r.not_before <= k.now AND r.lost < 2) AS due,
			count(*) FILTER (WHERE r.state = 'open' AND r.not_before <= k.now AND r.lost > 1) AS due_lost,
			coalesce(min(r.not_before) FILTER (WHERE r.state = 'open' AND r.not_before > k.now), 0) AS next
			FROM run_items r WHERE r.run = k.run AND r.ord BETWEEN k.lo AND k.hi AND r.state <> 'closed') n
		ORDER BY k.at`, arrays(columns, list)...)
}

// fromNumbered is fromRows with the place of each row as column at.
func fromNumbered[T any](columns []column[T]) string {
	from := fromRows(columns)
	return fmt.Sprintf("%s WITH ORDINALITY AS k(%s, at)", from[:len(from)-len(" AS k("+names(columns)+")")], names(columns))
}

// noteClaims notes the attempts that are the youngest of their range.
func (k *pgSink) noteClaims(list []*claiming) {
	var younger []*claiming
	for _, c := range list {
		if c.seen < c.Epoch {
			younger = append(younger, c)
		}
	}
	over(&k.w.out, claimColumns(), younger, `INSERT INTO claims (run, lo, hi, epoch) SELECT k.run, k.lo, k.hi, k.epoch FROM %s
		ON CONFLICT (run, lo, hi) DO UPDATE SET epoch = excluded.epoch`)
}

// take marks the first due items of each claim, with the next message; then they
// can be handed out.
func (k *pgSink) take(list []*claiming, lost bool) (hand func()) {
	if len(list) == 0 {
		return func() {}
	}
	luck, order := "r.lost < 2", "r.ord"
	if lost {
		luck, order = "r.lost > 1", "r.lost, r.ord" // whoever had the least bad luck first: more of it ends an item
	}
	columns := claimColumns()
	items := make([][]rows.ClaimedItem, len(list))
	k.w.out.ask(func(s scanner) error {
		var at int
		item, err := scanTaken(s, &at, list)
		if err == nil {
			items[at-1] = append(items[at-1], item)
		}
		return err
	}, `WITH k AS MATERIALIZED (SELECT * FROM `+fromNumbered(columns)+`),
		picked AS MATERIALIZED (SELECT k.at, k.run, t.ord, k.epoch, k.now, k.worker, k.lane FROM k CROSS JOIN LATERAL (SELECT r.ord FROM run_items r
			WHERE r.run = k.run AND r.ord BETWEEN k.lo AND k.hi AND r.state = 'open' AND r.not_before <= k.now AND `+luck+` ORDER BY `+order+` LIMIT k.most) t),
		ri AS (UPDATE run_items r SET state = 'claimed', epoch = p.epoch, worker = p.worker, started_at = CASE WHEN r.started_at = 0 THEN p.now ELSE r.started_at END
			FROM picked p WHERE r.run = p.run AND r.ord = p.ord AND r.state = 'open' RETURNING r.*, p.at, p.lane)
		SELECT `+runItemColumns+`, ri.at, coalesce(c.version, 0), coalesce(c.value, ''), coalesce(c.params, ''), coalesce(c.extraction, ''), i.last_listed, i.paused, i.first_seen, coalesce(c.run, 0), `+passColumns+`
		FROM ri JOIN items i ON i.id = ri.item LEFT JOIN checkpoints c ON c.item = ri.item AND c.lane = ri.lane ORDER BY ri.at, ri.ord`, arrays(columns, list)...)
	return func() {
		for i, c := range list {
			c.hand(items[i], lost)
		}
	}
}

func scanTaken(s scanner, at *int, list []*claiming) (c rows.ClaimedItem, err error) {
	var value, paused string
	var listed, seen int64
	p := &storedPass{}
	c.RunItem, err = scanRunItem(s, append([]any{at, &c.Checkpoint.Version, &value, &c.Checkpoint.Params, &c.Checkpoint.Extraction, &listed, &paused, &seen, &c.Moved}, p.into()...)...)
	if err != nil {
		return c, err
	}
	by := list[*at-1]
	c.Campaign, c.Lane = by.run.campaign, by.run.lane
	c.Checkpoint.Value, c.Always, c.FirstSeen, c.Pass = raw(value), listed > 0, moment(seen), p.pass()
	c.Quarantined = p.quarantined
	c.Paused, err = pauseAt(paused, by.Now)
	return c, err
}

// claimColumns name the claims of a round.
func claimColumns() []column[*claiming] {
	return []column[*claiming]{
		integers("run", func(c **claiming) int64 { return (*c).Run }),
		integers("lo", func(c **claiming) int64 { return (*c).Lo }),
		integers("hi", func(c **claiming) int64 { return (*c).Hi }),
		integers("epoch", func(c **claiming) int64 { return (*c).Epoch }),
		integers("now", func(c **claiming) int64 { return micros((*c).Now) }),
		integers("most", func(c **claiming) int64 { return int64((*c).choose().limit) }),
		texts("worker", func(c **claiming) string { return (*c).Worker }),
		texts("lane", func(c **claiming) string { return (*c).run.lane }),
	}
}
