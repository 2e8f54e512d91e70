package activities

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/paramspec"
	"github.com/vendemmia/vendemmia/internal/units"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// commit makes one page durable. An item stops here, after a page, and nowhere else.
func (r *itemRun) commit(_ context.Context, page harvest.Page) (harvest.Tally, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return harvest.Tally{}, errLeftBehind
	}
	t, err := r.store(page)
	if err != nil && !errors.Is(err, rows.ErrStopped) {
		return t, err
	}
	r.tally = r.tally.Add(t)
	r.listed, r.total = page.Done, page.Total
	r.Meter.Page(r.kind.Name, t)
	r.noteProgress(r.name, &page, r.tally)
	r.log.Debug("a page was committed", "item", r.name, "page", r.seq, "new", t.New, "changed", t.Changed, "same", t.Same, "done", page.Done, "total", page.Total)
	r.page.page()
	spent := r.budget.page(r.keep, t)
	switch {
	case r.closed != nil:
		return t, nil
	case err != nil:
		return t, err
	case spent != nil:
		return t, spent
	case r.quitting():
		return t, errHandBack
	case r.late(r.Now()):
		return t, errNextTick
	}
	return t, nil
}

// store writes a page, and closes the item with the last one. A trial only counts.
func (r *itemRun) store(page harvest.Page) (harvest.Tally, error) {
	if r.start.Limit > 0 {
		t := harvest.PageTally(&page)
		t.New = len(page.Documents)
		return t, nil
	}
	r.finishDocuments(page)
	page.Warnings = append(r.moves.Warnings(r.params), page.Warnings...)
	page = r.mask().Page(page)
	w := r.write()
	w.Page = &rows.PageWrite{
		Seq: r.seq + 1, Collection: r.entry.Collection(r.campaign.Name), Page: page, Version: r.version,
		Params: r.prints.params, Extraction: r.prints.extraction, Sighting: r.pass.sighting(),
	}
	w.Progress = rows.Progress{Done: page.Done, Total: page.Total}
	due, ahead := linesOf(r.ledger, r.seq-r.item.Seq+1)
	w.Ledger = due
	if page.Last && !r.pass.underWay { // a pass has something to do yet
		w.Settle = &rows.Settle{State: rows.ItemClosed, Evaluate: r.evaluation.settle}
	}
	out := r.send(w)
	if out.Err == nil || errors.Is(out.Err, rows.ErrStopped) {
		r.version, r.seq, r.ledger, r.pass.unlisted, r.unread = r.version+1, r.seq+1, ahead, false, out.Unread
		r.dropRaw(due)
		if w.Settle != nil {
			r.closed, r.over = &out.Outcome, true
		}
	}
	return out.Tally, out.Err
}

// linesOf splits ledger lines into those up to the n-th page of this attempt and those
// of requests made ahead.
func linesOf(lines []visit.Exchange, n int) (due, ahead []visit.Exchange) {
	for _, x := range lines {
		if x.Page <= n {
			due = append(due, x)
		} else {
			ahead = append(ahead, x)
		}
	}
	return due, ahead
}

// finishDocuments adds the entry's constant fields.
func (r *itemRun) finishDocuments(page harvest.Page) {
	if len(r.entry.Add) == 0 {
		return
	}
	for i := range page.Documents {
		d := &page.Documents[i]
		if d.Deleted {
			continue
		}
		fields := maps.Clone(d.Fields)
		for name, value := range r.entry.Add {
			if name == "collection" {
				continue
			}
			if fields == nil {
				fields = map[string]any{}
			}
			if _, taken := fields[name]; !taken {
				fields[name] = value
			}
		}
		d.Fields = fields
	}
}

// write returns the fields that all writes of this attempt share. Ledger lines stay
// here until they are known to be stored.
func (r *itemRun) write() rows.Write {
	return rows.Write{
		Run: r.session.run.ID, Ord: r.item.Ord, Epoch: r.epoch,
		Item: units.Item{Campaign: r.campaign.Name, Entry: r.item.Entry, Key: r.item.Key},
		Lane: r.item.Lane, Fetcher: r.item.Fetcher, At: r.Now(), Ledger: r.ledger, Attempt: r.attempt, Worker: r.Worker,
		Progress: rows.Progress{Done: r.listed, Total: r.total},
	}
}

// send writes and retries after a failure of the store, which recognizes a repeated
// page by its number.
func (r *itemRun) send(w rows.Write) (out rows.Written) {
	w.Raw = r.rawOf(w.Ledger)
	out.Err = r.persist(r.name, func(ctx context.Context) error {
		out = r.Store.Write(ctx, w)
		return out.Err
	})
	return out
}

// prints are the fingerprints of an item's params: of all of them, and of those that
// shape extraction.
type prints struct{ params, extraction string }

func printsOf(kind fetchers.Kind, params json.RawMessage) (prints, error) {
	values := map[string]json.RawMessage{}
	if len(params) > 0 {
		if err := json.Unmarshal(params, &values); err != nil {
			return prints{}, harvest.Errorf(harvest.KindMisconfigured, "read params", kind.Name, "%w", err)
		}
	}
	all, err := fingerprint(values)
	if err != nil {
		return prints{}, err
	}
	names := paramspec.Extraction(kind.Params)
	maps.DeleteFunc(values, func(name string, _ json.RawMessage) bool { return !names[name] })
	if len(values) == 0 {
		return prints{params: all}, nil
	}
	extraction, err := fingerprint(values)
	return prints{params: all, extraction: extraction}, err
}

// fingerprint decodes first: white space and the order of keys do not matter.
func fingerprint(values map[string]json.RawMessage) (string, error) {
	plain := make(map[string]any, len(values))
	for name, raw := range values {
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			return "", harvest.Errorf(harvest.KindMisconfigured, "read param", name, "%w", err)
		}
		plain[name] = v
	}
	return harvest.Fingerprint(plain)
}

// extractionChanged: the checkpoint was made by another extraction. One that was
// set by hand was made by none: it carries no fingerprint at all.
func (p prints) extractionChanged(c units.Checkpoint) bool {
	return c.Version > 0 && c.Params != "" && c.Extraction != p.extraction && (c.Extraction != "" || p.extraction != "")
}
