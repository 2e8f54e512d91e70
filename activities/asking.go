package activities

import (
	"context"
	"fmt"
	"sync"

	"go.temporal.io/sdk/activity"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// askLog gathers the ledger lines of asking a source for its items.
type askLog struct {
	*Activities
	run   int64
	item  units.Item
	mu    sync.Mutex
	lines []visit.Exchange
	hides *secrets.Growing

	budget *budget
}

func (k *askLog) record(e visit.Exchange) {
	k.Meter.Exchange(e)
	k.budget.add(e.Bytes, 0)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines = append(k.lines, k.hides.Mask().Exchange(e))
}

// keep writes what was asked, however it ended: the ledger tells of every
// request, also of those that brought no list.
func (k *askLog) keep(ctx context.Context) error {
	k.budget.flush(context.WithoutCancel(ctx))
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.lines) == 0 {
		return nil
	}
	err := k.Store.Log(context.WithoutCancel(ctx), rows.Asking{
		Run: k.run, Item: k.item, Attempt: int(activity.GetInfo(ctx).Attempt), Worker: k.Worker, Lines: k.lines,
	})
	if err != nil {
		return fmt.Errorf("keep what %s was asked: %w", k.item, err)
	}
	return nil
}

// askedApart counts the requests of a run that belong to none of its items.
func (a *Activities) askedApart(ctx context.Context, run int64) (n int, err error) {
	ord := int64(rows.OrdAsking)
	for _, err := range a.Store.Ledger(ctx, rows.LedgerFilter{Run: run, Ord: &ord}) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
