package store

import (
	"context"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Record keeps who did what to what; a zero time is now.
func (s *Store) Record(ctx context.Context, e rows.Event) error {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	return s.write(ctx, "record event", e.On, func(t *tx) error { return record(t, e) })
}

func record(t *tx, e rows.Event) error {
	_, err := t.exec(`INSERT INTO events (at, who, verb, what, note) VALUES (?, ?, ?, ?, ?)`, micros(e.At), e.By, e.Verb, e.On, e.Note)
	return err
}

// Events lists what was done to a thing (on "": to anything) since a moment,
// the newest first; limit 0 is all.
func (s *Store) Events(ctx context.Context, on string, since time.Time, limit int) ([]rows.Event, error) {
	list, err := collect(s.reader(ctx), scanEvent, `SELECT at, who, verb, what, note FROM events
		WHERE (? = '' OR what = ?) AND at >= ? ORDER BY at DESC, id DESC LIMIT ?`, on, on, micros(since), limited(limit))
	return list, fault("list events", on, err)
}

func scanEvent(s scanner) (e rows.Event, err error) {
	var at int64
	err = s.Scan(&at, &e.By, &e.Verb, &e.On, &e.Note)
	e.At = moment(at)
	return e, err
}

// limited turns "0 is all" into SQL.
func limited(n int) int64 {
	if n <= 0 {
		return 1 << 62
	}
	return int64(n)
}
