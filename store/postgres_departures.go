package store

import (
	"context"
	"database/sql"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// lazily is a column that lets a statement's commit not wait for the disk.
const lazily = `set_config('synchronous_commit', 'off', true)`

// bookAtOnce is bookDeparture, and what follows from it, in one message: what a
// part of it writes the others do not see, so each says by itself who is ahead.
const bookAtOnce = `WITH mine AS (
		SELECT coalesce((SELECT since FROM waiters WHERE host = ?1 AND holder = ?2 AND until > {now}), {now}) AS since
	), ahead AS (
		SELECT count(*) AS n FROM waiters w, mine WHERE w.host = ?1 AND w.holder <> ?2 AND w.until > {now}
			AND (w.priority < ?5 OR w.priority = ?5 AND w.since < mine.since)
	), booked AS (
		INSERT INTO departures (host, holder, lease_until, next_at) SELECT ?1, ?2, {now} + ?3, {now} + ?4 FROM ahead WHERE n = 0
		ON CONFLICT (host) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until, next_at = excluded.next_at
		WHERE (departures.holder = '' OR departures.holder = ?2 OR departures.lease_until <= {now}) AND departures.next_at <= {now}
		RETURNING 1
	), left_line AS (
		DELETE FROM waiters WHERE host = ?1 AND holder = ?2 AND EXISTS (SELECT 1 FROM booked)
	), placed AS (
		INSERT INTO waiters (host, holder, priority, since, until)
		SELECT ?1, ?2, ?5, mine.since, greatest({now}, (SELECT next_at FROM departures WHERE host = ?1)) + ahead.n * ?4 + ?6
		FROM mine, ahead WHERE NOT EXISTS (SELECT 1 FROM booked)
		ON CONFLICT (host, holder) DO UPDATE SET priority = excluded.priority, until = excluded.until, since = excluded.since
	)
	SELECT EXISTS (SELECT 1 FROM booked), coalesce((SELECT next_at - {now} FROM departures WHERE host = ?1), 0), ahead.n, ` + lazily + ` FROM ahead`

// releaseAtOnce is giveBack and a place for who waits still, in one message.
const releaseAtOnce = `WITH mine AS (
		SELECT coalesce((SELECT since FROM waiters WHERE host = ?1 AND holder = ?2 AND until > {now}), {now}) AS since
	), ahead AS (
		SELECT count(*) AS n FROM waiters w, mine WHERE w.host = ?1 AND w.holder <> ?2 AND w.until > {now}
			AND (w.priority < ?4 OR w.priority = ?4 AND w.since < mine.since)
	), released AS (
		` + giveBack + `
	), placed AS (
		INSERT INTO waiters (host, holder, priority, since, until)
		SELECT ?1, ?2, ?4, mine.since, {now} + (1 + ahead.n) * ?3 + ?5 FROM mine, ahead WHERE ?4 > 0
		ON CONFLICT (host, holder) DO UPDATE SET priority = excluded.priority, until = excluded.until, since = excluded.since
	)
	SELECT ` + lazily

func (p *postgres) release(ctx context.Context, b rows.Booking) error {
	query := p.timed(releaseAtOnce)
	return patiently(ctx, func(int) error {
		return p.one(ctx, query, []any{new(sql.RawBytes)}, b.Host, b.Holder, b.Gap.Microseconds(), int64(b.Priority), b.Place.Microseconds())
	})
}

// book borrows one of the reading connections: pages must not make it wait.
func (p *postgres) book(ctx context.Context, b rows.Booking) (got booking, err error) {
	query := p.timed(bookAtOnce)
	err = patiently(ctx, func(int) error {
		return p.one(ctx, query, []any{&got.booked, &got.left, &got.ahead, new(sql.RawBytes)},
			b.Host, b.Holder, b.Lease.Microseconds(), b.Gap.Microseconds(), int64(b.Priority), b.Place.Microseconds())
	})
	return got, err
}

// one reads one row, and what the statement came to.
func (p *postgres) one(ctx context.Context, query string, into []any, args ...any) error {
	rs, err := p.pool.QueryContext(ctx, numbered(query), plain(args)...)
	if err != nil {
		return err
	}
	defer rs.Close()
	for rs.Next() {
		if err := rs.Scan(into...); err != nil {
			return err
		}
	}
	return rs.Err()
}

func (p *postgres) brief(ctx context.Context, query string, args ...any) error {
	query = numbered(p.timed(query + ` RETURNING ` + lazily))
	return patiently(ctx, func(int) error {
		_, err := p.pool.ExecContext(ctx, query, plain(args)...)
		return err
	})
}
