package store

import (
	"context"
	"slices"
	"time"
)

// aged is a row that may be old enough to go: at is what it is found by, since what
// its age counts from.
type aged struct {
	key, at, since int64
	campaign       string
}

func (a aged) row() aged { return a }

func scanAged(s scanner) (a aged, err error) {
	return a, s.Scan(&a.key, &a.at, &a.since, &a.campaign)
}

// eachAged reads rows by time and number, a window at a time, and hands on those
// that go. The query wants the row to begin after, the latest moment, and a limit.
func eachAged[T interface{ row() aged }](ctx context.Context, c *cleaning, of keep, scan func(scanner) (T, error), query string, do func([]T) error) error {
	latest := c.latest(of)
	for at, key := int64(0), int64(0); latest > 0; {
		list, err := collect(c.store.reader(ctx), scan, query, at, key, latest, cleanWindow)
		if err != nil || len(list) == 0 {
			return err
		}
		last := list[len(list)-1].row()
		at, key = last.at, last.key
		if err := do(old(c, of, list)); err != nil {
			return err
		}
	}
	return nil
}

// old leaves what its campaign's rule lets go.
func old[T interface{ row() aged }](c *cleaning, of keep, list []T) []T {
	return slices.DeleteFunc(list, func(one T) bool { return !c.goes(one.row().campaign, one.row().since, of) })
}

func keysOf(list []aged) []int64 {
	keys := make([]int64, len(list))
	for i, a := range list {
		keys[i] = a.key
	}
	return keys
}

// drop runs a statement for rows by their keys, of which there are at most
// cleanBatch in one transaction. The statement wants the keys as JSON first.
func (s *Store) drop(ctx context.Context, keys []int64, statement string, args ...any) (total int, err error) {
	for part := range slices.Chunk(keys, cleanBatch) {
		var n int64
		err := s.cleanOnce(ctx, func(t *tx) (err error) {
			n, err = t.exec(statement, append([]any{text(part)}, args...)...)
			return err
		})
		if err != nil {
			return total, err
		}
		total += int(n)
	}
	return total, nil
}

// theKeys selects from the first argument of a statement for drop.
const theKeys = `(SELECT CAST(value AS BIGINT) FROM json_each(?))`

// cleanOnce runs one of many small transactions, and then lets others write for as
// long as it took.
func (s *Store) cleanOnce(ctx context.Context, fn func(*tx) error) error {
	began := time.Now()
	if err := s.write(ctx, "clean", "", fn); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(time.Since(began)):
		return nil
	}
}
