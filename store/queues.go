package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// queueState sorts the items of runs that are going on: those that can be taken
// at ?1, those in work, those whose moment is to come, and those that a run keeps
// back.
const queueState = `SELECT queue, count(CASE WHEN state = 'open' AND held = 0 AND not_before <= ?1 THEN 1 END), count(CASE WHEN state = 'claimed' THEN 1 END),
		count(CASE WHEN state = 'open' AND held = 0 AND not_before > ?1 THEN 1 END), count(CASE WHEN state = 'open' AND held = 1 THEN 1 END),
		coalesce(min(CASE WHEN state = 'open' AND held = 0 AND not_before <= ?1 THEN since END), 0),
		coalesce(min(CASE WHEN state = 'open' AND held = 0 AND not_before > ?1 THEN not_before END), 0)
	FROM (SELECT ri.queue, ri.state, ri.not_before, CASE WHEN ri.not_before > r.started_at THEN ri.not_before ELSE r.started_at END AS since,
			CASE WHEN r.state = 'opening' OR r.paused <> '' OR r.stop <> '' THEN 1 ELSE 0 END AS held
		FROM runs r JOIN run_items ri ON ri.run = r.id AND ri.state <> 'closed' WHERE r.state IN ('opening', 'open')) q
	GROUP BY queue ORDER BY queue`

// Queues counts what waits and what is in work at a moment, by task queue. A queue
// without an open item is not among them.
func (s *Store) Queues(ctx context.Context, now time.Time) ([]rows.Queue, error) {
	list, err := collect(s.reader(ctx), func(sc scanner) (q rows.Queue, err error) {
		var oldest, next int64
		err = sc.Scan(&q.Queue, &q.Due, &q.Running, &q.Resting, &q.Held, &oldest, &next)
		q.OldestDue, q.NextDue = moment(oldest), moment(next)
		return q, err
	}, queueState, micros(now))
	return list, fault("count queues", s.Address(), err)
}

// RunStates counts the runs that have not ended, by state.
func (s *Store) RunStates(ctx context.Context) (map[rows.RunState]int, error) {
	counts := map[rows.RunState]int{}
	_, err := collect(s.reader(ctx), func(sc scanner) (none struct{}, err error) {
		var state rows.RunState
		var n int
		err = sc.Scan(&state, &n)
		counts[state] = n
		return none, err
	}, `SELECT state, count(*) FROM runs WHERE state <> 'closed' GROUP BY state`)
	return counts, fault("count open runs", s.Address(), err)
}
