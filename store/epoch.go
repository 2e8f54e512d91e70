package store

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

const selectEpoch = `SELECT CAST(value AS BIGINT) FROM meta WHERE name = 'epoch'`

// Epoch counts how often the store was put back from a copy, from 1. It is read
// each time: another process may have raised it.
func (s *Store) Epoch(ctx context.Context) (int64, error) {
	epoch, err := number(s.reader(ctx), selectEpoch)
	return epoch, fault("read epoch of store", s.id, err)
}

// Restored raises the epoch, once the store was put back from a copy: whoever
// knew the store before must not take it for the same. The runs that were open
// when the copy was made end as store-restored. It returns the new epoch and how
// many runs it ended; called again after a failure it goes on.
func (s *Store) Restored(ctx context.Context, by string) (epoch int64, ended int, err error) {
	err = s.write(ctx, "raise epoch", s.Address(), func(t *tx) error {
		if epoch, err = number(t, selectEpoch); err != nil {
			return err
		}
		epoch++
		if _, err := t.exec(`UPDATE meta SET value = ? WHERE name = 'epoch'`, strconv.FormatInt(epoch, 10)); err != nil {
			return err
		}
		return record(t, rows.Event{At: time.Now(), By: by, Verb: "restore", On: s.id, Note: fmt.Sprintf("epoch %d", epoch)})
	})
	if err != nil {
		return epoch, 0, err
	}
	open, err := s.OpenRuns(ctx)
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
	const why = string(harvest.WhyStoreRestored)
	if _, err := s.CloseOpenItems(ctx, run, harvest.OutcomeCancelled, why); err != nil {
		return err
	}
	return s.FinishRun(ctx, rows.Finish{Run: run, Outcome: harvest.OutcomeCancelled, Why: why, At: time.Now()})
}
