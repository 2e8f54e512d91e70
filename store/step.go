package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

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
	run, err := b.sink.run(j.Run)
	if err != nil {
		return rows.Written{Err: err}
	}
	held, err := b.item(j)
	if err != nil {
		return rows.Written{Err: err}
	}
	written := b.repeated
	if held.epoch == j.Epoch && held.state == rows.ItemClaimed && run.state != rows.RunClosed && (j.Page == nil || j.Page.Seq > held.seq) {
		written = b.do
	}
	out, err := written(j, held, run)
	if err != nil {
		return rows.Written{Err: err}
	}
	if j.Page != nil && j.Settle == nil && run.stop != "" {
		out.Err = rows.ErrStopped
	}
	if j.Settle != nil {
		out.Outcome = held.outcome
	}
	return out
}

// repeated answers a write whose claim is gone or whose page is stored already. If it
// is the last write of the same claim, the answer to its COMMIT was lost, and it gets
// the same answer again. Only the last one can be repeated: an item has one write in
// flight.
func (b *batchWriter) repeated(j *job, held *heldItem, run liveRun) (out rows.Written, err error) {
	mine := held.epoch == j.Epoch
	switch {
	case mine && j.Page != nil && j.Page.Seq == held.seq:
		out.Tally, err = readTally(held.page)
	case mine && j.Page == nil && j.Settle != nil && held.state == j.Settle.State && (j.Settle.Evaluate != nil || held.outcome == j.Settle.Outcome):
	default:
		err = fenced(j)
	}
	if err == nil && held.quarantined > 0 {
		out.Unread, err = unreadOf(b.sink.tx(), held.item, run.lane, j.Run)
	}
	return out, err
}

// do writes everything, the checkpoint first, because a moved checkpoint refuses the
// write.
func (b *batchWriter) do(j *job, h *heldItem, run liveRun) (out rows.Written, err error) {
	changes, before := span{first: b.change}, h.live
	if out.Tally, err = b.bring(j, h, run); err != nil {
		return out, err
	}
	if out.Unread, err = b.quarantine(j, h, run.lane); err != nil {
		return out, err
	}
	if j.Settle != nil {
		judged := j.Settle.Evaluated(h.tally, out.Unread)
		j.Settle = &judged
	}
	if err := b.ledger(j, h.item); err != nil {
		return out, err
	}
	if err := b.evidence(j, h, run.lane); err != nil {
		return out, err
	}
	if err := b.noteItem(j, h); err != nil {
		return out, err
	}
	changes.last = b.change
	return out, b.end(j, h, run, h.live-before, changes)
}

// end keeps across runs what the end of an item tells, if it has ended.
func (b *batchWriter) end(j *job, h *heldItem, run liveRun, live int64, changes span) error {
	if h.state != rows.ItemClosed {
		return b.sink.noteChanges(h.item, live, changes)
	}
	if err := b.endPass(j, h.item); err != nil {
		return err
	}
	return b.sink.closeItem(h.item, ending{
		run: j.Run, lane: run.lane, at: micros(j.At), outcome: j.Settle.Outcome, kind: j.Settle.Kind, why: j.Settle.Why,
		tally: h.tally, live: live, changes: changes,
	})
}

// bring does the page of a write, if it has one, and adds what it brought to the
// item.
func (b *batchWriter) bring(j *job, h *heldItem, run liveRun) (tally harvest.Tally, err error) {
	if j.Page != nil {
		var live int64
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
	return tally, nil
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
	tally.Same += len(j.Page.Page.Documents) - len(j.documents) // listed twice on this page
	if live, err = b.upsert(j, h.item, &tally); err != nil {
		return tally, 0, err
	}
	if err := b.sighted(j, h.item); err != nil {
		return tally, 0, err
	}
	return tally, live, nil
}

func (b *batchWriter) moveCheckpoint(j *job, item int64, lane string) error {
	p := j.Page
	moved, err := b.sink.moveCheckpoint(checkpointMove{
		item: item, lane: lane, from: p.Version, value: string(p.Page.Checkpoint), params: p.Params, extraction: p.Extraction, at: micros(j.At), run: j.Run,
	})
	if err == nil && !moved {
		return fmt.Errorf("checkpoint version %d has moved: %w", p.Version, fenced(j))
	}
	return err
}

func (b *batchWriter) ledger(j *job, item int64) error {
	seq := 0
	if j.Page != nil {
		seq = j.Page.Seq
	}
	for i := range j.Ledger {
		if err := b.sink.keepExchange(exchangeRow{run: j.Run, ord: j.Ord, seq: seq, attempt: j.Attempt, item: item, worker: j.Worker, Exchange: &j.Ledger[i]}); err != nil {
			return err
		}
	}
	return b.sink.keepRaw(j.raw)
}

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
	if j.Settle == nil {
		return b.sink.noteItem(place{j.Run, j.Ord}, h, nil)
	}
	end := endOf(j, h)
	if err := b.keepTry(j, h); err != nil {
		return err
	}
	h.state, h.outcome, h.attempts, h.throttles = end.state, end.outcome, end.attempts, end.throttles
	if err := b.sink.noteItem(place{j.Run, j.Ord}, h, &end); err != nil || j.Settle.HostRests.IsZero() {
		return err
	}
	until := micros(j.Settle.HostRests)
	return b.sink.do(deferHost(b.sink.lock()), until, j.Run, j.Run, j.Run, j.Ord, until, deferBatch)
}

// deferBatch bounds how long deferring a host's items keeps other writers waiting;
// the next item that the host refuses defers as many again.
const deferBatch = 5000

// deferHost lets the items of an item's host that were not tried yet wait.
func deferHost(lock string) string {
	return `UPDATE run_items SET not_before = ? WHERE run = ? AND ord IN (SELECT ord FROM run_items WHERE run = ?
		AND host = (SELECT h.host FROM run_items h WHERE h.run = ? AND h.ord = ?) AND host <> ''
		AND state = 'open' AND started_at = 0 AND not_before < ?` + atMost + lock + `)`
}

// endOf says what a settle makes of an item.
func endOf(j *job, h *heldItem) itemEnd {
	s := j.Settle
	end := itemEnd{
		state: s.State, outcome: s.Outcome, why: s.Why, kind: s.Kind, err: clean(s.Error), queue: s.Queue, notBefore: micros(s.NotBefore),
		attempts: h.attempts + s.Attempts, throttles: h.throttles + s.Throttles, at: micros(j.At),
	}
	if s.State == rows.ItemClosed {
		end.closedAt = end.at
		end.plain = s.Why == "" && s.Kind == "" && s.Error == "" && s.Throttles == 0
	}
	return end
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
	for _, w := range j.Page.Page.Warnings {
		if !slices.Contains(list, w) { // of an earlier attempt
			list = append(list, w)
		}
	}
	h.warnings = text(list[:min(len(list), maxWarnings)])
	return nil
}
