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
		for i := range a.Lines {
			if err := keepExchange(t, []any{a.Run, rows.OrdAsking, 0, a.Attempt, id}, &a.Lines[i], a.Worker); err != nil {
				return err
			}
		}
		return nil
	})
}
