package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
)

// Server returns where the campaigns were applied to; the zero value when nobody
// has said so.
func (s *Store) Server(ctx context.Context) (at rows.Server, err error) {
	var text string
	err = scanOne(s.reader(ctx), []any{&text}, "SELECT value FROM meta WHERE name = 'server'")
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return at, nil
	case err != nil:
		return at, fault("read where campaigns were applied to", s.Address(), err)
	}
	if err := json.Unmarshal([]byte(text), &at); err != nil {
		return at, fmt.Errorf("read where campaigns were applied to: %w", err)
	}
	return at, nil
}

// SetServer keeps where the campaigns were applied to.
func (s *Store) SetServer(ctx context.Context, at rows.Server) error {
	text, err := json.Marshal(at)
	if err != nil {
		return err
	}
	return s.write(ctx, "keep where campaigns were applied to", s.Address(), func(t *tx) error {
		_, err := t.exec("INSERT INTO meta (name, value) VALUES ('server', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", string(text))
		return err
	})
}
