package store

import (
	"context"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// ending is how an item of a run ended.
type ending struct {
	run     int64
	lane    string
	at      int64
	outcome outcomes.Outcome
	kind    harvest.Kind
	why     string
	tally   harvest.Tally
	live    int64 // by how many its documents grew with this write
	changes span
}

// span is the change numbers that a page was given: (first, last], none when
// they are equal.
type span struct{ first, last int64 }

// tells reports whether an end says something about the item's health: a
// backfill, a cancel and a skip do not.
func tells(lane string, o outcomes.Outcome) bool {
	return lane == "" && o != outcomes.Cancelled && o != outcomes.Skipped
}

// told is what the end of an item tells for good.
type told struct {
	tells         bool
	severity      int
	good, brought int64 // moments, 0 for none
	listed        int
}

func (e *ending) told() told {
	var t told
	if e.tally.New+e.tally.Changed > 0 {
		t.brought = e.at
	}
	if t.tells = tells(e.lane, e.outcome); !t.tells {
		return t
	}
	severity := e.outcome.Severity()
	t.severity = int(severity)
	if severity != outcomes.Bad {
		t.good, t.listed = e.at, e.tally.Listed
	}
	return t
}

// begin and end are the first and the last number of a span, 0 when it is empty.
func (s span) begin() int64 {
	if s.first == s.last {
		return 0
	}
	return s.first + 1
}

func (s span) end() int64 {
	if s.first == s.last {
		return 0
	}
	return s.last
}

// SkipItem closes the items of a run that have a key as skipped, also while a worker
// holds them; closed ones stay as they are. rows.ErrNotFound when the run has none.
func (s *Store) SkipItem(ctx context.Context, run int64, key, why string) error {
	return s.write(ctx, "skip item", key, func(t *tx) error {
		known, err := number(t, `SELECT count(*) FROM run_items ri JOIN items i ON i.id = ri.item WHERE ri.run = ? AND i.key = ?`, run, key)
		if err != nil {
			return err
		}
		if known == 0 {
			return notFound("item %s of run %d", key, run)
		}
		r, err := runRow(t, run)
		if err != nil {
			return err
		}
		_, err = s.closeOpen(t, run, r.lane, outcomes.Skipped, why, ` AND i.key = ? ORDER BY ri.ord`, key)
		return err
	})
}

// CloseOpenItems closes whatever is open or claimed in a run and returns how
// many that were. A page that is on its way for one of them is fenced. It goes in
// steps, so that other writers get their turn; called again it goes on.
func (s *Store) CloseOpenItems(ctx context.Context, run int64, o outcomes.Outcome, why string) (int, error) {
	total, after := 0, int64(-1)
	for {
		closed := []openItem{}
		err := s.write(ctx, "close items of run", fmt.Sprint(run), func(t *tx) error {
			r, err := runRow(t, run)
			if err != nil {
				return err
			}
			closed, err = s.closeOpen(t, run, r.lane, o, why, ` AND ri.ord > ? ORDER BY ri.ord LIMIT ?`, after, addBatch)
			return err
		})
		if err != nil || len(closed) == 0 {
			return total, err
		}
		total += len(closed)
		after = closed[len(closed)-1].ord
	}
}

// openItem is an item that is closed from outside.
type openItem struct {
	ord, item int64
	kind      harvest.Kind
	tally     harvest.Tally
}

func scanOpen(s scanner) (o openItem, err error) {
	return o, s.Scan(append([]any{&o.ord, &o.item, &o.kind}, tallyInto(&o.tally)...)...)
}

// closeOpen closes the open items of a run that a condition selects.
func (s *Store) closeOpen(t *tx, run int64, lane string, o outcomes.Outcome, why, condition string, args ...any) ([]openItem, error) {
	list, err := collect(t, scanOpen, s.engine.locked(`SELECT ri.ord, ri.item, ri.kind, ri.seq, ri.listed, ri.new, ri.changed, ri.same, ri.deleted, ri.quarantined,
		ri.asked, ri.bytes, ri.not_modified, ri.partial FROM run_items ri JOIN items i ON i.id = ri.item
		WHERE ri.run = ? AND ri.state <> 'closed'`+condition, "ri"), append([]any{run}, args...)...)
	if err != nil {
		return nil, err
	}
	k, now := s.engine.sink(t), micros(time.Now())
	for _, it := range list {
		if err := k.closeOpen(place{run, it.ord}, o, why, now); err != nil {
			return nil, err
		}
		if err := k.closeItem(it.item, ending{run: run, lane: lane, at: now, outcome: o, kind: it.kind, why: why, tally: it.tally}); err != nil {
			return nil, err
		}
	}
	return list, k.finish(0)
}
