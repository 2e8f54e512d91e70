package activities

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// noLongerListed is why a vanished item ends.
const noLongerListed = "the source no longer lists it"

// follows makes the checkpoint of a new list after the one before. A run that
// takes all items tells which are no longer listed; one of some items leaves that
// to the next.
func follows(was lastGood, list string, items int, run rows.Run, start steps.Start) lastGood {
	now := lastGood{List: list, Items: items, Run: run.ID, Told: was.Told}
	if now.Told == "" {
		now.Told = was.List
	}
	if len(start.Items) == 0 && start.RetryOf == "" {
		now.Before, now.Told = now.Told, list
	}
	return now
}

// vanished writes, once, an item that ends as gone for each element that was
// listed before and is not any more. Its documents and its checkpoint stay.
func (a *Activities) vanished(ctx context.Context, run rows.Run, p *population, good lastGood) error {
	if good.Run != run.ID || good.Before == "" || good.Before == good.List {
		return nil
	}
	listed := map[uint64]bool{}
	for r, err := range a.listRows(ctx, good.List) {
		if err != nil {
			return err
		}
		listed[keyHash("key", r.Key)], listed[keyHash("params", string(r.Params))] = true, true
	}
	policy, err := json.Marshal(policy{Ended: &ended{Outcome: outcomes.Gone, Kind: harvest.KindGone, Why: noLongerListed}})
	if err != nil {
		return fmt.Errorf("make items of %s that are no longer listed: %w", p.entry.Name, err)
	}
	var batch []rows.RunItem
	for r, err := range a.listRows(ctx, good.Before) {
		if err != nil {
			return err
		}
		// Of the same element under another key only the file was changed.
		if listed[keyHash("key", r.Key)] || listed[keyHash("params", string(r.Params))] {
			continue
		}
		item, wanted, err := p.vanished(r, policy, run.ID, len(batch))
		if err != nil {
			return err
		}
		if wanted {
			batch = append(batch, item)
		}
	}
	return a.flush(ctx, run.ID, batch)
}

func (p *population) vanished(r campaigns.Row, policy json.RawMessage, run int64, n int) (rows.RunItem, bool, error) {
	item, wanted, err := p.make(r)
	item.Run, item.Policy = run, policy
	p.put(&item, int64(p.n+n))
	return item, wanted, err
}
