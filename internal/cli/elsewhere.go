package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/internal/rollout"
)

// elsewhereWithin bounds the question to a server that may not be there.
const elsewhereWithin = 2 * time.Second

// elsewhere is asked when a store has nothing to show. That is an error where
// the store knows no campaign while the schedules on the server are another
// store's: somebody stands in the wrong folder, and "nothing" would be a lie.
func (p *program) elsewhere(ctx context.Context, s Store) error {
	list, err := s.Campaigns(ctx, "", true)
	if err != nil || len(list) > 0 {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, elsewhereWithin)
	defer cancel()
	e, err := p.Engine(ctx)
	if err != nil {
		return nil //nolint:nilerr // without a server nothing speaks against the store
	}
	other, err := rollout.OtherStore(ctx, e.Schedules(), p.instance())
	if err != nil || other == "" {
		return nil //nolint:nilerr // as above
	}
	return fmt.Errorf("%s knows no campaign, and those of %s belong to store #%s: wrong folder, or --store", p.storeName(s), e.Target(), other)
}
