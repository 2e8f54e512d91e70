package store

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

var errGap = errors.New("a page is missing before this one")

// fenced says which write was refused.
func fenced(j *job) error {
	if j.Page != nil {
		return fmt.Errorf("page %d: %w", j.Page.Seq, rows.ErrFenced)
	}
	return rows.ErrFenced
}

// apply does one write. An answer that is a refusal has written nothing.
func (b *batchWriter) apply(j *job) rows.Written {
	run, err := b.run(j.Run)
	if err != nil {
		return rows.Written{Err: err}
	}
	held, err := b.item(j)
	if err != nil {
		return rows.Written{Err: err}
	}
	written := b.again
	if held.epoch == j.Epoch && held.state == rows.ItemClaimed && run.state != rows.RunClosed && (j.Page == nil || j.Page.Seq > held.seq) {
		written = b.do
	}
	tally, err := written(j, held, run)
	if err != nil {
		return rows.Written{Err: err}
	}
	if j.Page != nil && j.Settle == nil && run.stop != "" {
		err = rows.ErrStopped
	}
	return rows.Written{Tally: tally, Err: err}
}

// again answers a write whose claim is gone or whose page is there. If it is our
// own last one, the answer to its COMMIT was lost, and it is answered as it was
// then; an item has one write on its way, so only the last one can be that.
func (b *batchWriter) again(j *job, held *heldItem, _ liveRun) (harvest.Tally, error) {
	mine := held.epoch == j.Epoch
	switch {
	case mine && j.Page != nil && j.Page.Seq == held.seq:
		return readTally(held.page)
	case mine && j.Page == nil && j.Settle != nil && held.state == j.Settle.State && held.outcome == j.Settle.Outcome:
		return harvest.Tally{}, nil
	default:
		return harvest.Tally{}, fenced(j)
	}
}

// do writes everything, the checkpoint first: it is what may still refuse.
func (b *batchWriter) do(j *job, h *heldItem, run liveRun) (harvest.Tally, error) {
	tally, changes := harvest.Tally{}, span{first: b.change}
	if j.Page != nil {
		var live int64
		var err error
		if tally, live, err = b.page(j, h, run); err != nil {
			return tally, err
		}
		h.live += live
		h.seq = j.Page.Seq
	}
	tally.Asked, tally.Bytes = len(j.Ledger), j.bytes
	if j.Page != nil {
		h.page = tallyText(tally)
	}
	h.tally = sumOf(h.tally, tally)
	if j.Settle != nil {
		said := j.Settle.Judged(h.tally)
		j.Settle = &said
	}
	if err := b.ledger(j, h.item); err != nil {
		return tally, err
	}
	if err := b.evidence(j, h); err != nil {
		return tally, err
	}
	if err := b.noteItem(j, h); err != nil {
		return tally, err
	}
	changes.last = b.change
	if h.state != rows.ItemClosed {
		return tally, noteChanges(b.t, h.item, changes)
	}
	if err := b.endPass(j, h.item); err != nil {
		return tally, err
	}
	return tally, closeItem(b.t, h.item, ending{
		run: j.Run, lane: run.lane, at: micros(j.At), outcome: j.Settle.Outcome, kind: j.Settle.Kind, why: j.Settle.Why,
		tally: h.tally, live: h.live, changes: changes,
	})
}

// page moves the checkpoint and stores documents and rejects.
func (b *batchWriter) page(j *job, h *heldItem, run liveRun) (tally harvest.Tally, live int64, err error) {
	if j.Page.Seq != h.seq+1 {
		return tally, 0, harvest.Errorf(harvest.KindInternal, "write page", j.Item.String(), "page %d after page %d: %w", j.Page.Seq, h.seq, errGap)
	}
	if err := b.moveCheckpoint(j, h.item, run.lane); err != nil {
		return tally, 0, err
	}
	tally = harvest.PageTally(&j.Page.Page)
	if live, err = b.upsert(j, h.item, &tally); err != nil {
		return tally, 0, err
	}
	if err := b.sighted(j, h.item); err != nil {
		return tally, 0, err
	}
	return tally, live, b.rejects(j, h.item)
}

func (b *batchWriter) moveCheckpoint(j *job, item int64, lane string) error {
	p := j.Page
	var n int64
	var err error
	if p.Version == 0 {
		n, err = b.t.exec(`INSERT INTO checkpoints (item, lane, version, value, params, extraction, updated_at, run) VALUES (?, ?, 1, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			item, lane, string(p.Page.Checkpoint), p.Params, p.Extraction, micros(j.At), j.Run)
	} else {
		n, err = b.t.exec(`UPDATE checkpoints SET version = version + 1, value = ?, params = ?, extraction = ?, updated_at = ?, run = ? WHERE item = ? AND lane = ? AND version = ?`,
			string(p.Page.Checkpoint), p.Params, p.Extraction, micros(j.At), j.Run, item, lane, p.Version)
	}
	if err == nil && n == 0 {
		return fmt.Errorf("checkpoint version %d has moved: %w", p.Version, fenced(j))
	}
	return err
}

// maxRejectBytes caps what is kept of an unreadable record.
const maxRejectBytes = 64 << 10

func (b *batchWriter) rejects(j *job, item int64) error {
	for _, r := range j.Page.Page.Rejects {
		if err := b.putAside(j, item, j.Page.Seq, harvest.KindBadRecord, r); err != nil {
			return err
		}
	}
	return nil
}

// evidence keeps what came in place of what was due, once the item is given up.
func (b *batchWriter) evidence(j *job, h *heldItem) error {
	if j.Settle == nil || j.Settle.State != rows.ItemClosed || len(j.Settle.Evidence) == 0 {
		return nil
	}
	return b.putAside(j, h.item, h.seq+1, j.Settle.Kind, harvest.Reject{Reason: j.Settle.Error, Bytes: j.Settle.Evidence})
}

func (b *batchWriter) putAside(j *job, item int64, seq int, kind harvest.Kind, r harvest.Reject) error {
	_, err := b.t.exec(`INSERT INTO quarantine (item, run, seq, at, kind, record, reason, size, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		item, j.Run, seq, micros(j.At), string(kind), clean(r.ID), clean(r.Reason), len(r.Bytes), r.Bytes[:min(len(r.Bytes), maxRejectBytes)])
	return err
}

func (b *batchWriter) ledger(j *job, item int64) error {
	seq := 0
	if j.Page != nil {
		seq = j.Page.Seq
	}
	for i := range j.Ledger {
		e := &j.Ledger[i]
		if err := keepExchange(b.t, []any{j.Run, j.Ord, seq, j.Attempt, item}, e, j.Worker); err != nil {
			return err
		}
	}
	return nil
}

// keepExchange writes one line; whose are run, ord, seq, attempt and item.
func keepExchange(t *tx, whose []any, e *harvest.Exchange, worker string) error {
	_, err := t.exec(insertExchange, append(whose, micros(e.At), e.Status, e.Bytes, e.Took.Microseconds(), e.Waited.Microseconds(), e.RetryAfter.Microseconds(),
		e.Method, clean(e.URL), e.Host, string(e.Kind), clean(e.Error), e.Raw, clean(e.Note), worker)...)
	return err
}

const insertExchange = `INSERT INTO ledger (run, ord, seq, attempt, item, at, status, bytes, took, waited, retry_after, method, url, host, kind, error, raw, note, worker)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// maxWarnings is how many warnings an item keeps.
const maxWarnings = 10

// noteItem writes the item's counters and, when it settles, its end.
func (b *batchWriter) noteItem(j *job, h *heldItem) error {
	if j.Progress != (rows.Progress{}) {
		h.done, h.total = j.Progress.Done, j.Progress.Total
	}
	if err := h.warn(j); err != nil {
		return err
	}
	set, args := counters(h)
	h.touched = true // a further write of this batch reads what is written here
	if j.Settle != nil {
		more, moreArgs := settled(j, h)
		set, args = set+more, append(args, moreArgs...)
		h.state, h.settled = j.Settle.State, true
	}
	_, err := b.t.exec(`UPDATE run_items SET `+set+` WHERE run = ? AND ord = ?`, append(args, j.Run, j.Ord)...)
	return err
}

// counters are the columns that a write moves. The first write of an item that
// brings new documents and nothing odd is by far the most frequent one; it names
// only what is no longer 0.
func counters(h *heldItem) (set string, args []any) {
	t := &h.tally
	args = make([]any, 0, 27)
	odd := *t
	odd.Pages, odd.Listed, odd.New, odd.Same, odd.Asked, odd.Bytes = 0, 0, 0, 0, 0, 0
	if !h.touched && odd == (harvest.Tally{}) && h.done == 0 && h.total == 0 && h.warnings == "" {
		return `seq = ?, page = ?, listed = ?, new = ?, same = ?, asked = ?, bytes = ?, live = ?`,
			append(args, h.seq, h.page, t.Listed, t.New, t.Same, t.Asked, t.Bytes, h.live)
	}
	return `seq = ?, page = ?, done = ?, total = ?, listed = ?, new = ?, changed = ?, same = ?, deleted = ?, quarantined = ?, asked = ?, bytes = ?, not_modified = ?, partial = ?, live = ?, warnings = ?`,
		append(args, h.seq, h.page, h.done, h.total, t.Listed, t.New, t.Changed, t.Same, t.Deleted, t.Quarantined, t.Asked, t.Bytes, t.NotModified, t.Partial, h.live, h.warnings)
}

func settled(j *job, h *heldItem) (set string, args []any) {
	s := j.Settle
	if s.State == rows.ItemClosed && s.Why == "" && s.Kind == "" && s.Error == "" && s.Throttles == 0 && !h.settled {
		return `, state = 'closed', outcome = ?, attempts = ?, closed_at = ?`, []any{string(s.Outcome), h.attempts + s.Attempts, micros(j.At)}
	}
	closed := int64(0)
	if s.State == rows.ItemClosed {
		closed = micros(j.At)
	}
	return `, state = ?, outcome = ?, why = ?, kind = ?, error = ?, not_before = ?, attempts = ?, throttles = ?, closed_at = ?`,
		[]any{string(s.State), string(s.Outcome), s.Why, string(s.Kind), clean(s.Error), micros(s.NotBefore), h.attempts + s.Attempts, h.throttles + s.Throttles, closed}
}

// warn adds the warnings of a page to those of the item.
func (h *heldItem) warn(j *job) error {
	if j.Page == nil || len(j.Page.Page.Warnings) == 0 {
		return nil
	}
	var list []string
	if h.warnings != "" {
		if err := json.Unmarshal([]byte(h.warnings), &list); err != nil {
			return err
		}
	}
	list = append(list, j.Page.Page.Warnings...)
	h.warnings = text(list[:min(len(list), maxWarnings)])
	return nil
}
