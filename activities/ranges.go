package activities

import (
	"cmp"
	"context"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/wording"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// seal ends the opening of a run and returns what there is to do. Twice is
// alike.
func (a *Activities) seal(ctx context.Context, run rows.Run, c *campaigns.Campaign) (steps.Sealed, error) {
	if run.State == rows.RunOpening {
		if _, err := a.seam.SealRun(ctx, run.ID, run.Processors, deadline(c, run)); err != nil {
			return steps.Sealed{}, err
		}
	}
	spans, err := a.Store.EntryRanges(ctx, run.ID)
	if err != nil {
		return steps.Sealed{}, err
	}
	sealed := steps.Sealed{}
	for _, s := range spans {
		sealed.Items += s.Items
	}
	for _, s := range spans {
		e, _, err := entry(c, s.Entry)
		if err != nil {
			return sealed, err
		}
		part := steps.Range{Entry: s.Entry, Queue: a.queue(e), Lo: s.Lo, Hi: s.Hi, Priority: e.Priority.Key()}
		if chunk := steps.ChunkSize(c.Chunk, sealed.Items); chunk > 1 {
			sealed.Ranges = share(sealed.Ranges, part, s.Items, chunk)
		} else {
			sealed.Ranges = append(sealed.Ranges, part)
		}
	}
	return a.labels(ctx, run.ID, sealed)
}

// share adds the items of an entry to what is shared on its queue, which is as
// urgent as the most urgent of them.
func share(all []steps.Range, part steps.Range, items, chunk int) []steps.Range {
	for i := range all {
		if all[i].Queue == part.Queue {
			all[i].Left += items
			all[i].Priority = min(all[i].Priority, part.Priority)
			return all
		}
	}
	return append(all, steps.Range{Queue: part.Queue, Shared: true, Chunk: chunk, Priority: part.Priority, Left: items})
}

// labels names the items of a run that is small enough for it.
func (a *Activities) labels(ctx context.Context, run int64, sealed steps.Sealed) (steps.Sealed, error) {
	if sealed.Items == 0 || sealed.Ranges[0].Shared {
		return sealed, nil
	}
	items, err := a.Store.RunItems(ctx, run, rows.ItemFilter{})
	if err != nil {
		return sealed, err
	}
	byOrd := make(map[int64]string, len(items))
	for _, item := range items {
		byOrd[item.Ord] = short(cmp.Or(item.Label, harvest.Redact(item.Key)))
		sealed.Label = byOrd[item.Ord]
	}
	if sealed.Items > 1 {
		sealed.Label = ""
	}
	for i := range sealed.Ranges {
		r := &sealed.Ranges[i]
		for ord := r.Lo; ord <= r.Hi && len(r.Labels) < steps.MaxLabels; ord++ {
			r.Labels = append(r.Labels, byOrd[ord])
		}
	}
	return sealed, nil
}

// short cuts a label between two characters.
func short(label string) string {
	if len(label) <= steps.MaxLabel {
		return label
	}
	return wording.Clip(label, steps.MaxLabel-len("…"))
}
