package activities

import (
	"context"
	"encoding/json"
	"errors"
	"iter"

	"go.temporal.io/sdk/activity"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/temporalx"
	"github.com/vendemmia/vendemmia/internal/units"
)

// askSoon is the error that makes Temporal ask again, while the rules allow it
// and the wait is short; else nil.
func askSoon(ctx context.Context, e *campaigns.Entry, failure *harvest.Error) error {
	if _, spent := errors.AsType[*overBudget](failure); spent {
		return ctx.Err()
	}
	attempt := int(activity.GetInfo(ctx).Attempt)
	d := retry.Decide(e.Retry, retry.Failure{Kind: failure.Kind, Attempts: attempt, RetryAfter: failure.RetryAfter, Spread: 0.5})
	if !d.Retry || attempt >= maxAsks || d.Wait > temporalx.MaxDelay || ctx.Err() != nil {
		return ctx.Err()
	}
	return temporalx.RetryIn(failure, d.Wait)
}

// ask lists what the source says there is, each element once.
func (a *Activities) ask(ctx context.Context, run rows.Run, c *campaigns.Campaign, e *campaigns.Entry) (list []rows.ListRow, err error) {
	start, err := startOf(run)
	if err != nil {
		return nil, err
	}
	m, err := a.maker(c, e.Name, start, nil)
	if err != nil {
		return nil, err
	}
	params, err := e.ItemParams(campaigns.Row{}, m.over())
	if err != nil {
		return nil, misconfigured(e.Name, err)
	}
	whole, found, err := a.Secrets.JSON(params)
	if err != nil {
		return nil, err
	}
	auth, hidden, err := a.Secrets.Auth(e.Auth)
	if err != nil {
		return nil, err
	}
	hides := secrets.NewGrowing(append(found, hidden...))
	spent := a.budgetOf(c, e, run.ID, e.Name)
	asked := &askLog{Activities: a, hides: hides, run: run.ID, item: units.Item{Campaign: c.Name, Entry: e.Name, Key: splitKey}, budget: spent}
	defer func() { err = errors.Join(err, asked.keep(ctx)) }()
	v := visitor(c, e, m.kind, asked.record)
	v.Auth, v.Spend, v.Granted = auth, spent.request, hides.Granted
	s, ok := m.kind.New(a.Client(v)).(harvest.Splitter)
	if !ok {
		return nil, harvest.Errorf(harvest.KindMisconfigured, "list items", e.Name, "fetcher %s cannot list items; take away split.ask", m.kind.Name)
	}
	request := harvest.Request{Item: e.Name + " / " + e.Split.Ask, Params: whole, Attempt: int(activity.GetInfo(ctx).Attempt)}
	err = harvest.Safely("list items", e.Name, func() error {
		list, err = collect(ctx, m, hides, s.Split(ctx, request))
		return err
	})
	if o := spent.met(); o != nil && err != nil {
		return nil, &harvest.Error{Kind: harvest.KindThrottled, Op: "list items", On: e.Name, Err: o}
	}
	return list, hides.Mask().Error(e.Auth.Explain(err))
}

func collect(ctx context.Context, m *itemMaker, hides *secrets.Growing, elements iter.Seq2[harvest.Element, error]) ([]rows.ListRow, error) {
	var list []rows.ListRow
	seen := map[uint64]bool{}
	for el, err := range elements {
		if err != nil {
			return nil, err
		}
		if len(list) == maxElements {
			return nil, harvest.Errorf(harvest.KindBroken, "list items", m.entry.Name, "the source lists more than %d items", maxElements)
		}
		beat(ctx, len(list))
		mask := hides.Mask()
		row := campaigns.Row{Label: mask.Text(el.Label), Params: mask.Keep(el.Params), Kept: mask != nil}
		params, err := m.entry.ItemParams(row, nil)
		if err != nil {
			return nil, misconfigured(m.entry.Name, err)
		}
		if row.Key, err = m.entry.ItemKey(params, m.kind.Identity, row); err != nil {
			return nil, misconfigured(m.entry.Name, err)
		}
		if hash := keyHash("", row.Key); !seen[hash] {
			seen[hash] = true
			raw, err := json.Marshal(row)
			if err != nil {
				return nil, err
			}
			list = append(list, raw)
		}
	}
	return list, ctx.Err()
}
