package activities

import (
	"cmp"
	"context"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// seal ends the opening of a run and returns what there is to do. Twice is
// alike.
func (a *Activities) seal(ctx context.Context, run rows.Run, c *campaigns.Campaign) (steps.Sealed, error) {
	if run.State == rows.RunOpening {
		if _, err := a.Store.SealRun(ctx, run.ID, run.Processors, deadline(c, run)); err != nil {
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
		sealed.Ranges = append(sealed.Ranges, steps.Range{
			Entry: s.Entry, Queue: a.queue(e), Lo: s.Lo, Hi: s.Hi, Chunk: chunkSize(c.Chunk, sealed.Items), Priority: e.Priority.Key(),
		})
	}
	return a.labels(ctx, run.ID, sealed)
}

// labels names the items of a run that is small enough for it.
func (a *Activities) labels(ctx context.Context, run int64, sealed steps.Sealed) (steps.Sealed, error) {
	if sealed.Items == 0 || sealed.Items > steps.MaxLabels {
		return sealed, nil
	}
	items, err := a.Store.RunItems(ctx, run, rows.ItemFilter{})
	if err != nil {
		return sealed, err
	}
	byOrd := make(map[int64]string, len(items))
	for _, item := range items {
		byOrd[item.Ord] = cmp.Or(item.Label, harvest.Redact(item.Key))
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

// zone is where a campaign's times are said; UTC when its zone is not known
// here.
func zone(c *campaigns.Campaign) *time.Location {
	if c.Schedule == nil || c.Schedule.TimeZone == "" {
		return time.UTC
	}
	z, err := time.LoadLocation(c.Schedule.TimeZone)
	if err != nil {
		return time.UTC
	}
	return z
}
