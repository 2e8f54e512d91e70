package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

const selectEpoch = `SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'epoch'`

// Epoch counts how often the store was put back from a copy, from 1. It is read
// each time: another process may have raised it.
func (s *Store) Epoch(ctx context.Context) (int64, error) {
	epoch, err := number(s.reader(ctx), selectEpoch)
	return epoch, fault("read epoch of store", s.id, err)
}

// Feed names the line of change numbers as it is now.
func (s *Store) Feed(ctx context.Context) (f rows.Feed, err error) {
	var epoch int64
	err = scanOne(s.reader(ctx), []any{&epoch, &f.Common}, `SELECT CAST(e.value AS BIGINT), coalesce((SELECT CAST(c.value AS BIGINT) FROM meta c WHERE c.name = 'common'), -1)
		FROM meta e WHERE e.name = 'epoch'`)
	if f.ID = s.id; epoch > 1 {
		f.ID += fmt.Sprintf(".%d", epoch)
	}
	return f, fault("read epoch of store", s.id, err)
}

// Restored raises the epoch, once the store was put back from a copy: whoever
// knew the store before must not take it for the same. The runs that were open
// when the copy was made end as store-restored. It returns the new epoch and how
// many runs it ended; called again after a failure it goes on.
func (s *Store) Restored(ctx context.Context, by string) (epoch int64, ended int, err error) {
	err = s.writeLocked(ctx, lockExclusive, "raise epoch", s.Address(), func(t *tx) error {
		if epoch, err = number(t, selectEpoch); err != nil {
			return err
		}
		epoch++
		_, err := t.exec(`INSERT INTO meta (name, value) SELECT 'common', CAST(s.value AS TEXT) FROM sequences s WHERE s.name = 'change' ON CONFLICT (name) DO UPDATE SET value = excluded.value`)
		if err != nil {
			return err
		}
		if _, err := t.exec(`UPDATE meta SET value = ? WHERE name = 'epoch'`, strconv.FormatInt(epoch, 10)); err != nil {
			return err
		}
		return record(t, rows.Event{At: time.Now(), By: by, Verb: "restore", On: s.id, Note: fmt.Sprintf("epoch %d", epoch)})
	})
	if err != nil {
		return epoch, 0, err
	}
	open, err := s.Unfinished(ctx)
	if err != nil {
		return epoch, 0, err
	}
	for _, run := range open {
		if run.Epoch < epoch {
			if err := s.endRestored(ctx, run.ID); err != nil {
				return epoch, ended, err
			}
			ended++
		}
	}
	return epoch, ended, nil
}

// endRestored closes a run whose workflow goes on, or ended, in another world.
func (s *Store) endRestored(ctx context.Context, run int64) error {
	const why = string(outcomes.WhyStoreRestored)
	if _, err := s.CloseOpenItems(ctx, run, outcomes.Cancelled, why); err != nil {
		return err
	}
	return s.FinishRun(ctx, rows.Finish{Run: run, Outcome: outcomes.Cancelled, Why: why, At: time.Now()})
}
