package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// clockStep is the step of the coarsest clock of a database: by so much a moment
// may be too early.
const clockStep = time.Millisecond

// booker is an engine that books in one message, beside the writer of pages.
type booker interface {
	// book answers whether the departure is booked, else how long the gap lasts
	// and how many others go first.
	book(ctx context.Context, b rows.Booking) (booking, error)
	// release gives a departure back, with a place for who waits still.
	release(ctx context.Context, b rows.Booking) error
	// brief runs one statement that a power cut may undo.
	brief(ctx context.Context, query string, args ...any) error
}

// booking is the answer to a process that asked for a departure.
type booking struct {
	booked bool
	left   int64 // microseconds of the gap
	ahead  int64 // who goes first
}

// brief is for writes of a moment's worth, of which there are many.
func (s *Store) brief(ctx context.Context, op, on, query string, args ...any) error {
	if b, ok := s.engine.(booker); ok {
		return fault(op, on, b.brief(ctx, query, args...))
	}
	return s.write(ctx, op, on, func(t *tx) error {
		_, err := t.exec(s.engine.timed(query), args...)
		return err
	})
}

// BookHost asks for the next departure to a host. It is booked when no process
// holds one, the gap after the last answer is over, and nobody more urgent, or as
// urgent and earlier, waits elsewhere; a holder that asks again, because the answer
// was lost, gets it when its gap is over. Else nothing is booked but a place among
// those who wait, and wait is when the turn may come: what is left of the gap, and
// a gap for everyone ahead. It is 0 when somebody's answer is all there is to wait
// for.
//
// All moments are the database's own, so the clocks of processes do not matter.
func (s *Store) BookHost(ctx context.Context, b rows.Booking) (booked bool, wait time.Duration, err error) {
	const op = "book departure to"
	var got booking
	if e, ok := s.engine.(booker); ok {
		got, err = e.book(ctx, b)
		err = fault(op, b.Host, err)
	} else {
		err = s.write(ctx, op, b.Host, func(t *tx) (err error) {
			got, err = s.book(t, b)
			return err
		})
	}
	if err != nil || got.booked {
		return got.booked, 0, err
	}
	return false, time.Duration(max(0, got.left))*time.Microsecond + time.Duration(got.ahead)*b.Gap, nil
}

// book does it step by step, on an engine where that costs nothing.
func (s *Store) book(t *tx, b rows.Booking) (booking, error) {
	n, err := t.exec(s.engine.timed(bookDeparture), b.Host, b.Holder, b.Lease.Microseconds(), b.Gap.Microseconds(), b.Priority)
	if err != nil {
		return booking{}, err
	}
	if n == 1 {
		_, err = t.exec(`DELETE FROM waiters WHERE host = ? AND holder = ?`, b.Host, b.Holder)
		return booking{booked: true}, err
	}
	if err := s.takePlace(t, b); err != nil {
		return booking{}, err
	}
	got, _, err := first(t, func(s scanner) (g booking, err error) { return g, s.Scan(&g.left, &g.ahead) }, s.engine.timed(whenBooked), b.Host, b.Holder)
	return got, err
}

func (s *Store) takePlace(t *tx, b rows.Booking) error {
	_, err := t.exec(s.engine.timed(takePlace), b.Host, b.Holder, b.Priority, b.Gap.Microseconds(), b.Place.Microseconds())
	return err
}

// A departure counts its gap from the booking at first, so that one whose holder
// dies leaves a gap behind it all the same.
const bookDeparture = `INSERT INTO departures (host, holder, lease_until, next_at) VALUES (?1, ?2, {now} + ?3, {now} + ?4)
	ON CONFLICT (host) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until, next_at = excluded.next_at
	WHERE (departures.holder = '' OR departures.holder = ?2 OR departures.lease_until <= {now}) AND departures.next_at <= {now}
	AND NOT EXISTS (SELECT 1 FROM waiters w WHERE w.host = ?1 AND w.holder <> ?2 AND w.until > {now} AND (w.priority < ?5
		OR w.priority = ?5 AND w.since < coalesce((SELECT m.since FROM waiters m WHERE m.host = ?1 AND m.holder = ?2 AND m.until > {now}), {now})))`

const takePlace = `INSERT INTO waiters (host, holder, priority, since, until)
	SELECT ?1, ?2, ?3, {now}, max({now}, coalesce((SELECT next_at FROM departures WHERE host = ?1), 0)) + ?5
		+ ?4 * (SELECT count(*) FROM waiters o WHERE o.host = ?1 AND o.holder <> ?2 AND o.until > {now} AND (o.priority < ?3 OR o.priority = ?3
			AND o.since < coalesce((SELECT m.since FROM waiters m WHERE m.host = ?1 AND m.holder = ?2 AND m.until > {now}), {now}))) WHERE true
	ON CONFLICT (host, holder) DO UPDATE SET priority = excluded.priority, until = excluded.until,
	since = CASE WHEN waiters.until > {now} THEN waiters.since ELSE excluded.since END`

const whenBooked = `SELECT d.next_at - {now}, (SELECT count(*) FROM waiters w JOIN waiters m ON m.host = w.host AND m.holder = ?2
	WHERE w.host = ?1 AND w.holder <> ?2 AND w.until > {now} AND (w.priority < m.priority OR w.priority = m.priority AND w.since < m.since))
	FROM departures d WHERE d.host = ?1`

// RenewHost holds a booked departure for another lease. It does nothing when it is
// held no more.
func (s *Store) RenewHost(ctx context.Context, b rows.Booking) error {
	return s.brief(ctx, "hold departure to", b.Host, `UPDATE departures SET lease_until = {now} + ?3, next_at = {now} + ?4 WHERE host = ?1 AND holder = ?2`,
		b.Host, b.Holder, b.Lease.Microseconds(), b.Gap.Microseconds())
}

// ReleaseHost gives a departure back once its answer is there: the next one is due
// a gap from now. One that is held no more stays as it is. With a priority, the holder
// takes a place among those who wait, as BookHost does.
func (s *Store) ReleaseHost(ctx context.Context, b rows.Booking) error {
	const op = "release departure to"
	if b.Gap > 0 {
		b.Gap += clockStep
	}
	if e, ok := s.engine.(booker); ok {
		return fault(op, b.Host, e.release(ctx, b))
	}
	return s.write(ctx, op, b.Host, func(t *tx) error {
		if _, err := t.exec(s.engine.timed(giveBack), b.Host, b.Holder, b.Gap.Microseconds()); err != nil || b.Priority == 0 {
			return err
		}
		return s.takePlace(t, b)
	})
}

const giveBack = `UPDATE departures SET holder = '', lease_until = 0, next_at = {now} + ?3 WHERE host = ?1 AND holder = ?2`

// WithdrawHost gives up a process's place among those who wait.
func (s *Store) WithdrawHost(ctx context.Context, host, holder string) error {
	return s.brief(ctx, "withdraw from", host, `DELETE FROM waiters WHERE host = ?1 AND holder = ?2`, host, holder)
}
