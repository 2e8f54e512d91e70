package store

import (
	"context"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Log keeps the exchanges of an asking in the ledger, all or none. Called twice
// it keeps them twice: they are what was asked, not what was meant.
func (s *Store) Log(ctx context.Context, a rows.Asking) error {
	return s.write(ctx, "keep exchanges of", a.Item.String(), func(t *tx) error {
		id, err := itemID(t, a.Item)
		if err != nil {
			return err
		}
		k := s.engine.sink(t)
		for i := range a.Lines {
			err := k.keepExchange(exchangeRow{run: a.Run, ord: rows.OrdAsking, attempt: a.Attempt, item: id, worker: a.Worker, Exchange: &a.Lines[i]})
			if err != nil {
				return err
			}
		}
		return k.finish(0)
	})
}
