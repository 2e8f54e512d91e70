package store

import (
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// batchWriter decides about the steps of one transaction, one after the other.
// What it decides goes into a sink.
type batchWriter struct {
	sink   sink
	change int64 // last change number handed out
}

// place is where an item stands in a run.
type place struct{ run, ord int64 }

// heldItem is what a write reads of its item: the claim, and the counters.
type heldItem struct {
	state       rows.ItemState
	epoch, item int64
	seq         int
	outcome     outcomes.Outcome
	touched     bool // there are counters
	settled     bool // it was given back before, and may say why
	// quarantined counts the item's open rows there; requarantined: some were
	// written since it was counted.
	quarantined   int64
	requarantined bool
	heldCounters
}

type heldCounters struct {
	warnings, page      string
	live, done, total   int64
	attempts, throttles int
	tally               harvest.Tally
}

// itemEnd is how a claim on an item ends.
type itemEnd struct {
	state               rows.ItemState
	outcome             outcomes.Outcome
	why                 string
	kind                harvest.Kind
	err, queue          string
	notBefore, closedAt int64
	attempts, throttles int
	at                  int64
	plain               bool // closed at the first try, with nothing to tell
}

// writeBatch does the writes of a batch in their order, and then its claims.
func writeBatch(k sink, batch []*job) error {
	before, err := k.begin(batch)
	if err != nil {
		return err
	}
	b := &batchWriter{sink: k, change: before}
	var claims []*claiming
	for _, j := range batch {
		if j.claim != nil {
			claims = append(claims, &claiming{Claim: *j.claim, job: j})
			continue
		}
		j.answer = b.apply(j)
		if err := j.answer.Err; err != nil && !refusal(err) {
			return err
		}
	}
	if len(claims) > 0 {
		if err := answerClaims(k, claims); err != nil {
			return err
		}
	}
	for _, c := range claims {
		c.job.claimed, c.job.answer.Err = c.got, c.refused
	}
	return k.finish(b.change)
}

// item returns what is held of an item, with its counters.
func (b *batchWriter) item(j *job) (*heldItem, error) {
	h, found, err := b.sink.held(place{j.Run, j.Ord})
	if err == nil && !found {
		err = notFound("item %d of run %d", j.Ord, j.Run)
	}
	return h, err
}
