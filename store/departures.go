package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// placeKept is how long a process keeps its place among those who wait, beyond
// the moment at which it should ask again.
const placeKept = 2 * time.Second

// clockStep is the step of the coarsest clock of a database: by so much a moment
// may be too early.
const clockStep = time.Millisecond

// briefer is an engine on which short writes need not wait for the turn.
type briefer interface {
	// brief runs fn in a transaction of its own, which a power cut may undo.
	brief(ctx context.Context, fn func(*tx) error) error
}

// brief is for writes of a moment's worth, of which there are many.
func (s *Store) brief(ctx context.Context, op, on string, fn func(*tx) error) error {
	if b, ok := s.engine.(briefer); ok {
		return fault(op, on, b.brief(ctx, fn))
	}
	return s.writeBeside(ctx, besideOthers, op, on, fn)
}

// BookHost asks for the next departure to a host. It is booked when no process
// holds one, the gap after the last answer is over, and nobody more urgent, or as
// urgent and earlier, waits elsewhere; a holder that asks again, because the answer
// was lost, gets it when its gap is over. Else nothing is booked but a place among those who wait, and wait is how
// long the gap still lasts: 0 when it is over and others go first.
//
// All moments are the database's own, so the clocks of processes do not matter.
func (s *Store) BookHost(ctx context.Context, b rows.Booking) (booked bool, wait time.Duration, err error) {
	err = s.brief(ctx, "book departure to", b.Host, func(t *tx) error {
		n, err := t.exec(s.engine.timed(bookDeparture), b.Host, b.Holder, b.Lease.Microseconds(), b.Gap.Microseconds(), b.Priority)
		if booked = n == 1; err != nil {
			return err
		}
		if booked {
			_, err = t.exec(`DELETE FROM waiters WHERE host = ? AND holder = ?`, b.Host, b.Holder)
			return err
		}
		left, err := number(t, s.engine.timed(`SELECT next_at - {now} FROM departures WHERE host = ?`), b.Host)
		if err != nil {
			return err
		}
		wait = time.Duration(max(0, left)) * time.Microsecond
		_, err = t.exec(s.engine.timed(takePlace), b.Host, b.Holder, b.Priority, (wait + placeKept).Microseconds())
		return err
	})
	return booked, wait, err
}

// A departure counts its gap from the booking at first, so that one whose holder
// dies leaves a gap behind it all the same.
const bookDeparture = `INSERT INTO departures (host, holder, lease_until, next_at) VALUES (?1, ?2, {now} + ?3, {now} + ?4)
	ON CONFLICT (host) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until, next_at = excluded.next_at
	WHERE (departures.holder = '' OR departures.holder = ?2 OR departures.lease_until <= {now}) AND departures.next_at <= {now}
	AND NOT EXISTS (SELECT 1 FROM waiters w WHERE w.host = ?1 AND w.holder <> ?2 AND w.until > {now} AND (w.priority < ?5
		OR w.priority = ?5 AND w.since < coalesce((SELECT m.since FROM waiters m WHERE m.host = ?1 AND m.holder = ?2 AND m.until > {now}), {now})))`

const takePlace = `INSERT INTO waiters (host, holder, priority, since, until) VALUES (?1, ?2, ?3, {now}, {now} + ?4)
	ON CONFLICT (host, holder) DO UPDATE SET priority = excluded.priority, until = excluded.until,
	since = CASE WHEN waiters.until > {now} THEN waiters.since ELSE excluded.since END`

// RenewHost holds a booked departure for another lease. It does nothing when it is
// held no more.
func (s *Store) RenewHost(ctx context.Context, b rows.Booking) error {
	return s.brief(ctx, "hold departure to", b.Host, func(t *tx) error {
		_, err := t.exec(s.engine.timed(`UPDATE departures SET lease_until = {now} + ?3, next_at = {now} + ?4 WHERE host = ?1 AND holder = ?2`),
			b.Host, b.Holder, b.Lease.Microseconds(), b.Gap.Microseconds())
		return err
	})
}

// ReleaseHost gives a departure back once its answer is there: the next one is due
// a gap from now. It does nothing when it is held no more.
func (s *Store) ReleaseHost(ctx context.Context, host, holder string, gap time.Duration) error {
	if gap > 0 {
		gap += clockStep
	}
	return s.brief(ctx, "release departure to", host, func(t *tx) error {
		_, err := t.exec(s.engine.timed(`UPDATE departures SET holder = '', lease_until = 0, next_at = {now} + ?3 WHERE host = ?1 AND holder = ?2`),
			host, holder, gap.Microseconds())
		return err
	})
}

// WithdrawHost gives up a process's place among those who wait.
func (s *Store) WithdrawHost(ctx context.Context, host, holder string) error {
	return s.brief(ctx, "withdraw from", host, func(t *tx) error {
		_, err := t.exec(`DELETE FROM waiters WHERE host = ? AND holder = ?`, host, holder)
		return err
	})
}
