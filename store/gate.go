package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// OpenRun asks the one gate for a run. The answer to the same run id is the
// same run, however often it is asked; a waiting run that asks again moves up
// when its turn has come.
func (s *Store) OpenRun(ctx context.Context, n rows.NewRun) (rows.Gate, error) {
	if n.StartedAt.IsZero() {
		n.StartedAt = time.Now()
	}
	var gate rows.Gate
	err := s.writeLocked(ctx, lockGate(n.Campaign, n.Lane), "open run", n.WorkflowID, func(t *tx) (err error) {
		gate, err = s.askGate(t, n)
		return err
	})
	if err != nil {
		return rows.Gate{}, err
	}
	return gate, nil
}

const selectRun = `SELECT ` + runColumns + ` FROM runs `

func (s *Store) askGate(t *tx, n rows.NewRun) (rows.Gate, error) {
	known, found, err := first(t, scanRun, selectRun+`WHERE run_id = ?`, n.RunID)
	if err != nil {
		return rows.Gate{}, err
	}
	if found && known.State != rows.RunWaiting {
		return rows.Gate{Run: known}, nil
	}
	holder, err := holderOf(t, n, known.ID)
	if err != nil {
		return rows.Gate{}, err
	}
	switch {
	case holder == nil:
		return s.enter(t, n, known)
	case found:
		return rows.Gate{Run: known, Holder: holder}, nil
	case n.MayWait:
		return s.line(t, n, holder)
	default:
		return rows.Gate{Holder: holder}, nil
	}
}

// line lets a run wait behind its holder, where there is room.
func (s *Store) line(t *tx, n rows.NewRun, holder *rows.Run) (rows.Gate, error) {
	full, err := lineFull(t, n)
	if err != nil || full {
		return rows.Gate{Holder: holder}, err
	}
	return s.newRun(t, n, rows.RunWaiting, holder)
}

// holderOf finds who is in the way: the open run, else the first in line before
// us.
func holderOf(t *tx, n rows.NewRun, self int64) (*rows.Run, error) {
	if !n.Exclusive {
		return nil, nil
	}
	const inTheWay = `WHERE campaign = ? AND lane = ? AND exclusive = 1 AND (state IN ('opening', 'open') OR state = 'waiting' AND (CAST(? AS BIGINT) = 0 OR id < ?))
		ORDER BY state = 'waiting', id LIMIT 1`
	r, found, err := first(t, scanRun, selectRun+inTheWay, n.Campaign, n.Lane, self, self)
	if err != nil || !found {
		return nil, err
	}
	return &r, nil
}

// lineFull reports whether no further run may wait.
func lineFull(t *tx, n rows.NewRun) (bool, error) {
	if n.MaxWaiting <= 0 {
		return false, nil
	}
	waiting, err := number(t, `SELECT count(*) FROM runs WHERE campaign = ? AND lane = ? AND state = 'waiting'`, n.Campaign, n.Lane)
	return waiting >= int64(n.MaxWaiting), err
}

// admit lets in a run that waited: it begins now.
func admit(t *tx, r rows.Run, now time.Time) (rows.Gate, error) {
	if !now.IsZero() {
		r.StartedAt = now
	}
	_, err := t.exec(`UPDATE runs SET state = 'opening', started_at = ? WHERE id = ?`, micros(r.StartedAt), r.ID)
	r.State = rows.RunOpening
	return rows.Gate{Run: r}, err
}

func (s *Store) newRun(t *tx, n rows.NewRun, state rows.RunState, holder *rows.Run) (rows.Gate, error) {
	n.State = state
	id, err := insertRun(t, n.Run, n.Exclusive)
	if err != nil {
		return rows.Gate{}, err
	}
	r, _, err := first(t, scanRun, selectRun+`WHERE id = ?`, id)
	return rows.Gate{Run: r, Holder: holder}, err
}

func insertRun(t *tx, r rows.Run, exclusive bool) (int64, error) {
	epoch, err := number(t, selectEpoch)
	if err != nil {
		return 0, err
	}
	return t.insert(`INSERT INTO runs (run_id, workflow_id, campaign, lane, version, state, exclusive, trigger_by, started_by, retry_of, overrides,
		processors, due_at, started_at, deadline, epoch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.RunID, r.WorkflowID, r.Campaign, r.Lane, r.Version, string(r.State), exclusive, r.Trigger, r.By, r.RetryOf, string(r.Overrides),
		r.Processors, micros(r.DueAt), micros(r.StartedAt), micros(r.Deadline), epoch)
}
