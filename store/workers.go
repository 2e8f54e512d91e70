package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// ReportWorker keeps what a worker reports of itself; if it stays silent for longer
// than patience, it counts as gone. A wish that it drain ends with the process.
func (s *Store) ReportWorker(ctx context.Context, w rows.Worker, patience time.Duration) error {
	return s.brief(ctx, "report worker", w.Identity, `INSERT INTO workers (identity, process, host, version, queues, state, why, slots,
			memory_limit, memory_max, memory_used, started_at, seen_at, until)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, {now}, {now} + ?13)
		ON CONFLICT (identity) DO UPDATE SET process = excluded.process, host = excluded.host, version = excluded.version, queues = excluded.queues,
			state = excluded.state, why = excluded.why, slots = excluded.slots, memory_limit = excluded.memory_limit, memory_max = excluded.memory_max,
			memory_used = excluded.memory_used, started_at = excluded.started_at, seen_at = excluded.seen_at, until = excluded.until,
			drain = CASE WHEN workers.process = excluded.process THEN workers.drain ELSE '' END`,
		w.Identity, w.Process, w.Host, w.Version, text(w.Queues), string(w.State), clean(w.Why), int64(w.Slots),
		w.MemoryLimit, w.MemoryMax, w.MemoryUsed, micros(w.Started), patience.Microseconds())
}

// LeaveWorker takes a worker from the roster, unless another process has its name now.
func (s *Store) LeaveWorker(ctx context.Context, w rows.Worker) error {
	return s.brief(ctx, "take worker from the roster", w.Identity, `DELETE FROM workers WHERE identity = ?1 AND process = ?2`, w.Identity, w.Process)
}

// ForgetWorkers removes those that have been gone for a day.
func (s *Store) ForgetWorkers(ctx context.Context) error {
	return s.brief(ctx, "forget workers", s.Address(), `DELETE FROM workers WHERE until < {now} - ?1`, (24 * time.Hour).Microseconds())
}

// Workers lists the workers by identity; those that died are Gone.
func (s *Store) Workers(ctx context.Context) ([]rows.Worker, error) {
	list, err := collect(s.reader(ctx), scanWorker, s.engine.timed(`SELECT identity, process, host, version, queues, state, why, slots,
		memory_limit, memory_max, memory_used, started_at, seen_at, until, drain, {now} FROM workers ORDER BY identity`))
	return list, fault("list workers", s.Address(), err)
}

func scanWorker(s scanner) (w rows.Worker, err error) {
	var queues, drain string
	var started, seen, until, now int64
	err = s.Scan(&w.Identity, &w.Process, &w.Host, &w.Version, &queues, &w.State, &w.Why, &w.Slots,
		&w.MemoryLimit, &w.MemoryMax, &w.MemoryUsed, &started, &seen, &until, &drain, &now)
	if err != nil {
		return w, err
	}
	if err = json.Unmarshal([]byte(queues), &w.Queues); err != nil {
		return w, err
	}
	w.Started, w.Seen, w.Gone = moment(started), moment(seen).Add(-skew(now)), until < now
	w.Drain, err = readPause(drain)
	return w, err
}

// DrainWorker asks a worker that is there to take nothing new; nil takes that back.
// rows.ErrNotFound when it is not there.
func (s *Store) DrainWorker(ctx context.Context, identity string, p *rows.Pause) error {
	return s.write(ctx, "drain worker", identity, func(t *tx) error {
		n, err := t.exec(s.engine.timed(`UPDATE workers SET drain = ? WHERE identity = ? AND until >= {now}`), pauseText(p), identity)
		if err == nil && n == 0 {
			err = notFound("worker %s", identity)
		}
		return err
	})
}

// Draining returns who asked a process to take nothing new; nil: nobody.
func (s *Store) Draining(ctx context.Context, w rows.Worker) (*rows.Pause, error) {
	asked, _, err := first(s.reader(ctx), func(sc scanner) (p *rows.Pause, err error) {
		var text string
		if err := sc.Scan(&text); err != nil {
			return nil, err
		}
		return readPause(text)
	}, `SELECT drain FROM workers WHERE identity = ? AND process = ?`, w.Identity, w.Process)
	return asked, fault("look whether to drain", w.Identity, err)
}

// HeldItems lists what workers hold, by worker, run and item.
func (s *Store) HeldItems(ctx context.Context) ([]rows.HeldItem, error) {
	list, err := collect(s.reader(ctx), func(sc scanner) (h rows.HeldItem, err error) {
		var since int64
		err = sc.Scan(&h.Worker, &h.Run, &h.Campaign, &h.Entry, &h.Key, &h.Label, &h.Queue, &since, &h.Done, &h.Total)
		h.Since = moment(since)
		return h, err
	}, `SELECT ri.worker, r.workflow_id, r.campaign, i.entry, i.key, ri.label, ri.queue, ri.claimed_at, ri.done, ri.total
		FROM runs r JOIN run_items ri ON ri.run = r.id AND ri.state = 'claimed' JOIN items i ON i.id = ri.item
		WHERE r.state <> 'closed' ORDER BY ri.worker, r.id, ri.ord`)
	return list, fault("list what workers hold", s.Address(), err)
}
