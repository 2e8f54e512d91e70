package program

import (
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/internal/planner"
)

// elsewhereWithin bounds the question to a server that may not be there.
const elsewhereWithin = 2 * time.Second

// Elsewhere is asked when a store has nothing to show. That is an error where
// the store knows no campaign while the schedules on the server are another
// store's: somebody stands in the wrong folder, and "nothing" would be a lie.
func (p *Program) Elsewhere(ctx context.Context, s Store) error {
	list, err := s.Campaigns(ctx, "", true)
	if err != nil || len(list) > 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, elsewhereWithin)
	defer cancel()
	e, err := p.Engine(ctx)
	if err != nil {
		return nil // without a server nothing speaks against the store
	}
	other, err := planner.OtherStore(ctx, e.Schedules(), p.Instance())
	if err != nil || other == "" {
		return nil // as above
	}
	return fmt.Errorf("%s knows no campaign, and those of %s belong to store #%s: wrong folder, or --store", p.StoreName(s), e.Target(), other)
}
