package activities

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// commit makes one page durable. It is the only place where a page can stop an
// item: after it, never within it.
func (r *flight) commit(_ context.Context, page harvest.Page) (harvest.Tally, error) {
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
	r.fliesAt(r.name, &page, r.tally)
	r.page.page()
	switch {
	case r.closed != nil:
		return t, nil
	case err != nil:
		return t, err
	case r.quitting():
		return t, errHandBack
	case r.late(r.Now()):
		return t, errNextTick
	}
	return t, nil
}

// store writes a page, with the end of the item when it is the last one. A trial
// only counts.
func (r *flight) store(page harvest.Page) (harvest.Tally, error) {
	if r.start.Limit > 0 {
		t := harvest.PageTally(&page)
		t.New = len(page.Documents)
		return t, nil
	}
	r.finishDocuments(page)
	page.Warnings = append(r.moves.Warnings(r.params), page.Warnings...)
	page = r.mask.Page(page)
	w := r.write()
	w.Page = &rows.PageWrite{
		Seq: r.seq + 1, Collection: r.entry.Collection(r.campaign.Name), Page: page, Version: r.version,
		Params: r.prints.params, Extraction: r.prints.extraction, Sighting: r.pass.sighting(),
	}
	w.Progress = rows.Progress{Done: page.Done, Total: page.Total}
	due, ahead := linesOf(r.ledger, r.seq-r.item.Seq+1)
	w.Ledger = due
	if page.Last && !r.pass.underWay { // a pass has something to do yet
		w.Settle = &rows.Settle{State: rows.ItemClosed, Judge: r.judge.settle}
	}
	out := r.send(w)
	if out.Err == nil || errors.Is(out.Err, rows.ErrStopped) {
		r.version, r.seq, r.ledger, r.pass.unlisted, r.unread = r.version+1, r.seq+1, ahead, false, out.Unread
		if w.Settle != nil {
			r.closed, r.over = &out.Outcome, true
		}
	}
	return out.Tally, out.Err
}

// linesOf parts the lines that go with the n-th page of this attempt from those
// of what was asked ahead of it.
func linesOf(lines []harvest.Exchange, n int) (due, ahead []harvest.Exchange) {
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
func (r *flight) finishDocuments(page harvest.Page) {
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

// write is what every write of this attempt has in common. The ledger lines stay
// with the flight until they are known to be kept.
func (r *flight) write() rows.Write {
	return rows.Write{
		Run: r.chunk.run.ID, Ord: r.item.Ord, Epoch: r.epoch,
		Item: harvest.Item{Campaign: r.campaign.Name, Entry: r.item.Entry, Key: r.item.Key},
		Lane: r.item.Lane, Fetcher: r.item.Fetcher, At: r.Now(), Ledger: r.ledger, Attempt: r.attempt, Worker: r.Worker,
		Progress: rows.Progress{Done: r.listed, Total: r.total},
	}
}

// send writes, again after a failure of the store: a page whose commit was lost
// is found there by its number.
func (r *flight) send(w rows.Write) rows.Written {
	wait := 100 * time.Millisecond
	for {
		out := r.Store.Write(r.keep, w)
		if out.Err == nil || errors.Is(out.Err, rows.ErrFenced) || errors.Is(out.Err, rows.ErrStopped) || wait > maxStoreWait {
			return out
		}
		r.log.Debug("the store did not take a write; trying again", "item", r.name, "wait", wait, "error", out.Err)
		time.Sleep(wait)
		wait *= 3
	}
}

// maxStoreWait ends the repeats of one write: about fifteen seconds in all.
const maxStoreWait = 10 * time.Second

// prints are the fingerprints of an item's params and of those of them that
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
	names := harvest.ExtractionParams(kind.Params)
	maps.DeleteFunc(values, func(name string, _ json.RawMessage) bool { return !names[name] })
	if len(values) == 0 {
		return prints{params: all}, nil
	}
	extraction, err := fingerprint(values)
	return prints{params: all, extraction: extraction}, err
}

// fingerprint decodes first, so that white space and the order of keys do not
// count.
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
func (p prints) extractionChanged(c harvest.Checkpoint) bool {
	return c.Version > 0 && c.Params != "" && c.Extraction != p.extraction && (c.Extraction != "" || p.extraction != "")
}
