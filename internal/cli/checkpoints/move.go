package checkpoints

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/cli/print"
	"github.com/vendemmia/vendemmia/internal/cli/program"
	"github.com/vendemmia/vendemmia/internal/units"
)

// Move is a checkpoint to be set.
type Move struct {
	Item   units.Item      `json:"item"`
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after"`
}

// move sets checkpoints and tells before and after.
func move(ctx context.Context, p *program.Program, s program.Store, lane string, moves []Move) error {
	if err := before(ctx, s, lane, moves); err != nil {
		return err
	}
	if err := inFlight(ctx, s, lane, moves); err != nil {
		return err
	}
	if err := p.Aim(ctx, false, "set "+print.Count(len(moves), "checkpoint")); err != nil {
		return err
	}
	for i, m := range moves {
		if err := s.SetCheckpoint(ctx, m.Item, lane, m.After); err != nil {
			return fmt.Errorf("%w; %d of %d checkpoints were set", err, i, len(moves))
		}
		if err := s.Record(ctx, rows.Event{At: p.Env.Now(), By: p.Who(), Verb: "set checkpoint", On: m.Item.String(), Note: print.End(string(m.After), 500)}); err != nil {
			return err
		}
	}
	moved(p, moves)
	return nil
}

func moved(p *program.Program, moves []Move) {
	list := p.Out.List()
	table := print.NewTable(print.Flex("ITEM"), print.Flex("BEFORE"), print.Flex("AFTER"))
	for _, m := range moves {
		list.Add(m)
		table.Row(m.Item.String(), print.Dash(string(m.Before)), string(m.After))
	}
	list.End()
	if len(moves) == 1 {
		p.Out.Printf("item     %s\nbefore   %s\nafter    %s\n", moves[0].Item, print.Wrap(print.Dash(string(moves[0].Before)), 9, 9), print.Wrap(string(moves[0].After), 9, 9))
		return
	}
	p.Out.Table(table)
	p.Out.Printf("%s set\n", print.Count(len(moves), "checkpoint"))
}

// before fills in where the items stand.
func before(ctx context.Context, s program.Store, lane string, moves []Move) error {
	now := map[units.Item]json.RawMessage{}
	seen := map[string]bool{}
	for _, m := range moves {
		if seen[m.Item.Campaign] {
			continue
		}
		seen[m.Item.Campaign] = true
		found, err := s.Checkpoints(ctx, rows.CheckpointFilter{Campaign: m.Item.Campaign, Lane: &lane})
		if err != nil {
			return err
		}
		for _, cp := range found {
			now[cp.Item] = cp.Value
		}
	}
	for i := range moves {
		moves[i].Before = now[moves[i].Item]
	}
	return nil
}

// inFlight refuses items that a worker has in hand: its page would be lost, and
// what it asks next would not be from here.
func inFlight(ctx context.Context, s program.Store, lane string, moves []Move) error {
	meant := map[units.Item]bool{}
	for _, m := range moves {
		meant[m.Item] = true
	}
	open, err := s.OpenRuns(ctx)
	if err != nil {
		return err
	}
	for _, r := range open {
		if r.Lane != lane {
			continue
		}
		items, err := s.RunItems(ctx, r.ID, rows.ItemFilter{States: []rows.ItemState{rows.ItemClaimed}})
		if err != nil {
			return err
		}
		for _, it := range items {
			if item := (units.Item{Campaign: r.Campaign, Entry: it.Entry, Key: it.Key}); meant[item] {
				return fmt.Errorf("%s is in flight in run %s; nothing was changed. Wait for it, or stop it: starter runs pause %s", item, r.WorkflowID, r.WorkflowID)
			}
		}
	}
	return nil
}
