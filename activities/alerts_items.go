package activities

import (
	"cmp"
	"context"
	"slices"

	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// judgeItems looks at the items of a run and at the same items before: one message
// names all that are newly bad, another all that have recovered.
func (r *ruling) judgeItems(ctx context.Context, n *notice) error {
	bad, err := r.newlyBad(ctx)
	if err != nil {
		return err
	}
	if len(bad) > 0 {
		m := Message{Event: string(bad[0].Outcome), InARow: max(1, r.rule.After), Items: named(bad)}
		begins := make([]rows.Alert, 0, len(bad))
		for _, it := range bad {
			begins = append(begins, rows.Alert{Entry: it.Entry, Key: it.Key, Outcome: it.Outcome})
		}
		if err := r.post(n, m, begins, nil); err != nil {
			return err
		}
	}
	return r.recoverItems(ctx, n)
}

// newlyBad are the items that fit the rule for the after-th time in a row and that
// nobody was told of.
func (r *ruling) newlyBad(ctx context.Context) ([]rows.RunItem, error) {
	told := map[uint64]bool{}
	for _, a := range r.open {
		told[keyHash(a.Entry, a.Key)] = !a.Untold
	}
	bad, err := r.Store.RunItems(ctx, r.run.ID, rows.ItemFilter{Outcomes: fitting(r.rule), Worst: true, Limit: maxAlertItems + len(told)})
	if err != nil {
		return nil, err
	}
	bad = slices.DeleteFunc(bad, func(it rows.RunItem) bool { return told[keyHash(it.Entry, it.Key)] })
	if r.rule.After > 1 {
		if bad, err = r.longEnough(ctx, bad); err != nil {
			return nil, err
		}
	}
	return bad[:min(len(bad), maxAlertItems)], nil
}

// longEnough keeps the items that fitted the rule in their runs before, too. A run
// that an item was not in says nothing about it.
func (r *ruling) longEnough(ctx context.Context, bad []rows.RunItem) ([]rows.RunItem, error) {
	before, err := r.history(ctx, r.run, r.rule.After)
	if err != nil {
		return nil, err
	}
	rest, kept := bad, map[uint64]int{}
	for _, run := range before {
		if len(rest) == 0 {
			break
		}
		then, err := r.outcomesIn(ctx, run, rest)
		if err != nil {
			return nil, err
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(it rows.RunItem) bool {
			key := keyHash(it.Entry, it.Key)
			o, there := then[key]
			switch {
			case !there || !tells(o):
				return false
			case fits(r.rule, o):
				kept[key]++
				return kept[key] >= r.rule.After-1
			default:
				return true
			}
		})
	}
	return slices.DeleteFunc(bad, func(it rows.RunItem) bool { return kept[keyHash(it.Entry, it.Key)] < r.rule.After-1 }), nil
}

// outcomesIn tells how items ended in another run.
func (r *ruling) outcomesIn(ctx context.Context, run rows.Run, of []rows.RunItem) (map[uint64]outcomes.Outcome, error) {
	keys := make([]string, 0, len(of))
	for _, item := range of {
		keys = append(keys, item.Key)
	}
	found, err := r.Store.RunItems(ctx, run.ID, rows.ItemFilter{Keys: keys})
	then := make(map[uint64]outcomes.Outcome, len(found))
	for _, item := range found {
		then[keyHash(item.Entry, item.Key)] = item.Outcome
	}
	return then, err
}

// recoverItems ends the alerts of items that were in the run and ended better.
func (r *ruling) recoverItems(ctx context.Context, n *notice) error {
	if len(r.open) == 0 {
		return nil
	}
	of := make([]rows.RunItem, 0, len(r.open))
	for _, a := range r.open {
		of = append(of, rows.RunItem{Entry: a.Entry, Key: a.Key})
	}
	now, err := r.outcomesIn(ctx, r.run, of)
	if err != nil {
		return err
	}
	var well []rows.Alert
	for _, a := range r.open {
		if o, there := now[keyHash(a.Entry, a.Key)]; there && len(well) < maxAlertItems && r.better(o, a) {
			well = append(well, a)
		}
	}
	m := Message{InARow: max(1, r.rule.After)}
	for _, a := range well {
		if !a.Untold {
			m.Items = append(m.Items, MessageItem{Entry: a.Entry, Item: a.Key, Outcome: now[keyHash(a.Entry, a.Key)]})
		}
	}
	return r.recover(n, m, well)
}

func named(list []rows.RunItem) []MessageItem {
	out := make([]MessageItem, 0, len(list))
	for _, r := range list {
		out = append(out, MessageItem{Entry: r.Entry, Item: r.Key, Outcome: r.Outcome, Why: clip(cmp.Or(r.Error, r.Why), maxText)})
	}
	return out
}
