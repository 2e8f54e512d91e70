package items

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/planner"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/store"
)

// budgetOf returns what is used of the limits that hold for an item.
func budgetOf(ctx context.Context, s *store.Store, it units.Item, now time.Time) ([]planner.BudgetUse, error) {
	row, err := s.Campaign(ctx, it.Campaign)
	if errors.Is(err, rows.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	c, err := campaigns.Decode(row.Definition.Spec)
	if err != nil {
		return nil, err
	}
	all, err := planner.BudgetOf(ctx, s, &c, now)
	return slices.DeleteFunc(all, func(u planner.BudgetUse) bool { return u.Entry != "" && u.Entry != it.Entry }), err
}
