package store

import (
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// batchWriter does the writes of one transaction, one after the other.
type batchWriter struct {
	t      *tx
	runs   map[int64]liveRun
	known  map[docName]*docState
	change int64 // last change number handed out
	first  int64 // the number before this transaction
}

// load reads what many writes need at once.
func (b *batchWriter) load(batch []*job) (err error) {
	if b.first, err = number(b.t, `SELECT value FROM sequences WHERE name = 'change'`); err != nil {
		return err
	}
	b.change = b.first
	return b.loadDocuments(batch)
}

// finish notes the change numbers that were handed out.
func (b *batchWriter) finish() error {
	if b.change == b.first {
		return nil
	}
	_, err := b.t.exec(`UPDATE sequences SET value = ? WHERE name = 'change'`, b.change)
	return err
}

func (b *batchWriter) run(id int64) (liveRun, error) {
	if r, ok := b.runs[id]; ok {
		return r, nil
	}
	r, err := runRow(b.t, id)
	if err == nil {
		b.runs[id] = r
	}
	return r, err
}

// heldItem is what a write reads of its item: the claim and the counters.
type heldItem struct {
	state       rows.ItemState
	epoch, item int64
	seq         int
	outcome     harvest.Outcome
	warnings    string
	live        int64
	done, total int64
	attempts    int
	throttles   int
	tally       harvest.Tally
}

func scanHeld(s scanner) (h heldItem, err error) {
	into := append([]any{&h.state, &h.epoch, &h.item, &h.seq, &h.outcome, &h.warnings, &h.live, &h.done, &h.total, &h.attempts, &h.throttles}, tallyInto(&h.tally)...)
	return h, s.Scan(into...)
}

const selectHeld = `SELECT state, epoch, item, seq, outcome, warnings, live, done, total, attempts, throttles,
	seq, listed, new, changed, same, deleted, quarantined, asked, bytes, not_modified, partial FROM run_items WHERE run = ? AND ord = ?`

// apply does one write. An answer that is a refusal has written nothing.
func (b *batchWriter) apply(j *job) rows.Written {
	run, err := b.run(j.Run)
	if err != nil {
		return rows.Written{Err: err}
	}
	held, found, err := first(b.t, scanHeld, selectHeld, j.Run, j.Ord)
	if err == nil && !found {
		err = notFound("item %d of run %d", j.Ord, j.Run)
	}
	if err != nil {
		return rows.Written{Err: err}
	}
	if held.epoch != j.Epoch || held.state != rows.ItemClaimed || run.state == rows.RunClosed || j.Page != nil && j.Page.Seq <= held.seq {
		return b.again(j, held, run)
	}
	written, err := b.do(j, held, run)
	if err == nil && j.Page != nil && j.Settle == nil && run.stop != "" {
		err = rows.ErrStopped
	}
	if err != nil && err != rows.ErrStopped {
		return rows.Written{Err: err}
	}
	return rows.Written{Tally: written, Err: err}
}

// again answers a write whose claim is gone or whose page is there: if it is our
// own, the answer to its COMMIT was lost, and it is answered as it was then.
func (b *batchWriter) again(j *job, held heldItem, run liveRun) rows.Written {
	if j.Page == nil {
		if j.Settle != nil && held.epoch == j.Epoch && held.state == j.Settle.State && held.outcome == j.Settle.Outcome {
			return rows.Written{}
		}
		return rows.Written{Err: fenced(j)}
	}
	tally, found, err := first(b.t, scanText, `SELECT tally FROM pages WHERE run = ? AND ord = ? AND seq = ? AND epoch = ?`, j.Run, j.Ord, j.Page.Seq, j.Epoch)
	if err != nil {
		return rows.Written{Err: err}
	}
	if !found {
		return rows.Written{Err: fenced(j)}
	}
	var w rows.Written
	w.Err = json.Unmarshal([]byte(tally), &w.Tally)
	if w.Err == nil && j.Settle == nil && run.stop != "" {
		w.Err = rows.ErrStopped
	}
	return w
}

// do writes everything, the checkpoint first: it is what may still refuse.
func (b *batchWriter) do(j *job, held heldItem, run liveRun) (harvest.Tally, error) {
	tally := harvest.Tally{Asked: len(j.Ledger), Bytes: j.bytes}
	if j.Page != nil {
		brought, live, err := b.page(j, held, run)
		if err != nil {
			return tally, err
		}
		tally = brought
		tally.Asked, tally.Bytes = len(j.Ledger), j.bytes
		held.live += live
		held.seq = j.Page.Seq
		if err := b.notePage(j, tally); err != nil {
			return tally, err
		}
	}
	held.tally = held.tally.Add(tally)
	if err := b.ledger(j, held.item); err != nil {
		return tally, err
	}
	if err := b.noteItem(j, held); err != nil {
		return tally, err
	}
	if j.Settle != nil && j.Settle.State == rows.ItemClosed {
		return tally, closeItem(b.t, held.item, ending{
			run: j.Run, lane: run.lane, at: micros(j.At), outcome: j.Settle.Outcome, kind: j.Settle.Kind, why: j.Settle.Why,
			tally: held.tally, live: held.live,
		})
	}
	return tally, nil
}

// page moves the checkpoint and stores documents and rejects.
func (b *batchWriter) page(j *job, held heldItem, run liveRun) (tally harvest.Tally, live int64, err error) {
	if j.Page.Seq != held.seq+1 {
		return tally, 0, harvest.Errorf(harvest.KindInternal, "write page", j.Item.String(), "page %d after page %d: %w", j.Page.Seq, held.seq, errGap)
	}
	if err := b.moveCheckpoint(j, held.item, run.lane); err != nil {
		return tally, 0, err
	}
	tally = harvest.PageTally(&j.Page.Page)
	if live, err = b.upsert(j, held.item, &tally); err != nil {
		return tally, 0, err
	}
	return tally, live, b.rejects(j, held.item)
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

func (b *batchWriter) notePage(j *job, tally harvest.Tally) error {
	_, err := b.t.exec(`INSERT INTO pages (run, ord, seq, epoch, at, tally) VALUES (?, ?, ?, ?, ?, ?)`,
		j.Run, j.Ord, j.Page.Seq, j.Epoch, micros(j.At), text(tally))
	return err
}

// maxRejectBytes caps what is kept of an unreadable record.
const maxRejectBytes = 64 << 10

func (b *batchWriter) rejects(j *job, item int64) error {
	for _, r := range j.Page.Page.Rejects {
		_, err := b.t.exec(`INSERT INTO quarantine (item, run, seq, at, kind, record, reason, size, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			item, j.Run, j.Page.Seq, micros(j.At), string(harvest.KindBadRecord), clean(r.ID), clean(r.Reason), len(r.Bytes), r.Bytes[:min(len(r.Bytes), maxRejectBytes)])
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *batchWriter) ledger(j *job, item int64) error {
	seq := 0
	if j.Page != nil {
		seq = j.Page.Seq
	}
	for i := range j.Ledger {
		e := &j.Ledger[i]
		_, err := b.t.exec(`INSERT INTO ledger (run, ord, seq, attempt, item, at, status, bytes, took, waited, retry_after, method, url, host, kind, error, raw, note, worker)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			j.Run, j.Ord, seq, j.Attempt, item, micros(e.At), e.Status, e.Bytes, e.Took.Microseconds(), e.Waited.Microseconds(), e.RetryAfter.Microseconds(),
			e.Method, clean(e.URL), e.Host, string(e.Kind), clean(e.Error), e.Raw, clean(e.Note), j.Worker)
		if err != nil {
			return err
		}
	}
	return nil
}

// maxWarnings is how many warnings an item keeps.
const maxWarnings = 10

// noteItem writes the item's counters and, when it settles, its end.
func (b *batchWriter) noteItem(j *job, h heldItem) error {
	if j.Progress != (rows.Progress{}) {
		h.done, h.total = j.Progress.Done, j.Progress.Total
	}
	if err := addWarnings(&h, j.warnings); err != nil {
		return err
	}
	t := &h.tally
	_, err := b.t.exec(`UPDATE run_items SET seq = ?, done = ?, total = ?, listed = ?, new = ?, changed = ?, same = ?, deleted = ?, quarantined = ?,
		asked = ?, bytes = ?, not_modified = ?, partial = ?, live = ?, warnings = ? WHERE run = ? AND ord = ?`,
		h.seq, h.done, h.total, t.Listed, t.New, t.Changed, t.Same, t.Deleted, t.Quarantined,
		t.Asked, t.Bytes, t.NotModified, t.Partial, h.live, h.warnings, j.Run, j.Ord)
	if err != nil || j.Settle == nil {
		return err
	}
	s := j.Settle
	closed := int64(0)
	if s.State == rows.ItemClosed {
		closed = micros(j.At)
	}
	_, err = b.t.exec(`UPDATE run_items SET state = ?, outcome = ?, why = ?, kind = ?, error = ?, not_before = ?, attempts = ?, throttles = ?, closed_at = ?
		WHERE run = ? AND ord = ?`,
		string(s.State), string(s.Outcome), s.Why, string(s.Kind), clean(s.Error), micros(s.NotBefore), h.attempts+s.Attempts, h.throttles+s.Throttles, closed,
		j.Run, j.Ord)
	return err
}

func addWarnings(h *heldItem, more []string) error {
	if len(more) == 0 {
		return nil
	}
	var list []string
	if h.warnings != "" {
		if err := json.Unmarshal([]byte(h.warnings), &list); err != nil {
			return err
		}
	}
	list = append(list, more...)
	h.warnings = text(list[:min(len(list), maxWarnings)])
	return nil
}
