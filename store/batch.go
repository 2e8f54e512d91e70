package store

import (
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

// batchWriter does the steps of one transaction, one after the other.
type batchWriter struct {
	t      *tx
	runs   map[int64]liveRun
	held   map[place]*heldItem
	known  map[docName]*docState
	change int64 // last change number handed out
	first  int64 // the number before this transaction
}

// place is where an item stands in a run.
type place struct{ run, ord int64 }

// load reads what many writes need at once.
func (b *batchWriter) load(batch []*job) (err error) {
	if err = b.begin(); err != nil {
		return err
	}
	if err := b.loadHeld(batch); err != nil {
		return err
	}
	return b.loadDocuments(batch)
}

// begin reads where the change numbers are.
func (b *batchWriter) begin() (err error) {
	b.first, err = number(b.t, `SELECT value FROM sequences WHERE name = 'change'`)
	b.change = b.first
	return err
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

// heldItem is what a write reads of its item: the claim, and the counters.
type heldItem struct {
	state       rows.ItemState
	epoch, item int64
	seq         int
	outcome     harvest.Outcome
	touched     bool // there are counters; they are read when they are needed
	settled     bool // it was given back before, and may say why
	heldCounters
}

type heldCounters struct {
	warnings, page      string
	live, done, total   int64
	attempts, throttles int
	tally               harvest.Tally
}

// loadHeld reads the claims that a batch needs, a run at a time.
func (b *batchWriter) loadHeld(batch []*job) error {
	ords := map[int64][]int64{}
	for _, j := range batch {
		if j.claim == nil {
			ords[j.Run] = append(ords[j.Run], j.Ord)
		}
	}
	b.held = make(map[place]*heldItem, len(batch))
	for run, list := range ords {
		_, err := collect(b.t, func(s scanner) (none struct{}, err error) {
			p, h := place{run: run}, &heldItem{}
			err = s.Scan(&p.ord, &h.state, &h.epoch, &h.item, &h.seq, &h.outcome, &h.touched, &h.settled)
			b.held[p] = h
			return none, err
		}, selectHeld, text(list), run)
		if err != nil {
			return err
		}
	}
	return nil
}

const selectHeld = `SELECT i.ord, i.state, i.epoch, i.item, i.seq, i.outcome, i.seq > 0 OR i.attempts > 0 OR i.throttles > 0 OR i.asked > 0 OR i.done > 0 OR i.deleted > 0,
	i.attempts > 0 OR i.throttles > 0 OR i.why <> '' OR i.kind <> '' OR i.not_before > 0
	FROM json_each(?) j CROSS JOIN run_items i ON i.run = ? AND i.ord = j.value`

// item returns what is held of an item, with its counters. Of two writes for one
// item the second reads anew: the first one has touched it.
func (b *batchWriter) item(j *job) (*heldItem, error) {
	p := place{j.Run, j.Ord}
	h, ok := b.held[p]
	if !ok {
		return nil, notFound("item %d of run %d", j.Ord, j.Run)
	}
	if !h.touched {
		return h, nil
	}
	err := b.t.row(`SELECT state, epoch, item, seq, outcome, warnings, page, live, done, total, attempts, throttles,
		seq, listed, new, changed, same, deleted, quarantined, asked, bytes, not_modified, partial FROM run_items WHERE run = ? AND ord = ?`, j.Run, j.Ord).
		Scan(append([]any{&h.state, &h.epoch, &h.item, &h.seq, &h.outcome, &h.warnings, &h.page, &h.live, &h.done, &h.total, &h.attempts, &h.throttles}, tallyInto(&h.tally)...)...)
	if err != nil {
		return nil, fmt.Errorf("item %d of run %d: %w", j.Ord, j.Run, err)
	}
	return h, nil
}
