package activities

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/visit"
)

const (
	// maxStuck is how many workers may die under one item without a page between,
	// and maxLost how many in all: a fetcher that begins anew each time makes pages
	// too.
	maxStuck, maxLost = 3, 25
	// dangerous is from how many lost workers on an item runs alone; one loss may have
	// another reason.
	dangerous = 2
	// turn is how soon a dangerous item tries again while another one is running.
	turn = time.Second
)

// itemRun is one attempt at one item.
type itemRun struct {
	*session
	item       rows.ClaimedItem
	entry      *campaigns.Entry
	kind       fetchers.Kind
	policy     policy
	evaluation evaluation
	pass       passing
	name       string           // for people, without a query string
	hides      *secrets.Growing // of the item's secrets
	moves      visit.Moves
	params     json.RawMessage // as the fetcher got them
	auth       *visit.Auth     // with values; nil: the source is not signed in to
	attempt    int
	prints     prints

	budget *budget

	mu      sync.Mutex
	over    bool // closed or left behind: commit nothing more
	closed  *outcomes.Outcome
	ledger  []visit.Exchange
	raw     map[string]rows.RawPage // that lines of the ledger name, by digest
	version int64                   // of the checkpoint
	seq     int
	tally   harvest.Tally // of this attempt
	listed  int64         // done and total of the last page
	total   int64
	page    *pageClock  // nil before the fetch
	unread  rows.Unread // as the last page left it
}

// item runs one claimed item to the end of this attempt and writes that end.
func (k *session) item(claimed rows.ClaimedItem) end {
	r := &itemRun{
		session: k, item: claimed, name: harvest.Redact(claimed.Key), version: claimed.Checkpoint.Version, seq: claimed.Seq,
		attempt: claimed.Attempts + claimed.Throttles + claimed.Lost + 1,
	}
	k.noteProgress(r.name, nil, harvest.Tally{})
	k.log.Debug("an item begins", "item", r.name, "try", r.attempt, "after_page", r.seq)
	var e end
	if err := harvest.Safely("run item", r.name, func() error { e = r.run(); return nil }); err != nil {
		e = r.failed(err)
	}
	r.budget.flush(k.keep)
	k.noteEnd(r.name, e.closed)
	k.log.Debug("an item ends", "item", r.name, "closed", e.closed, "outcome", e.outcome, "pages", e.tally.Pages)
	if e.closed {
		k.Meter.ItemClosed(claimed.Fetcher, e.outcome)
	}
	return e
}

func (r *itemRun) run() end {
	if err := r.prepare(); err != nil {
		return r.failed(err)
	}
	if s, ok := r.atOnce(); ok {
		return r.settle(s)
	}
	if r.item.Lost >= dangerous {
		// An item that kills its worker must only kill itself: one of them at a time.
		if !r.lost.TryLock() {
			return r.settle(rows.Settle{State: rows.ItemOpen, NotBefore: r.Now().Add(turn)})
		}
		defer r.lost.Unlock()
	}
	if err := r.budget.spend(r.keep, 0); err != nil {
		return r.ended(err)
	}
	if err := r.beginPass(); err != nil {
		return r.ended(err)
	}
	unread, err := r.unreadRecords()
	if err != nil {
		return r.ended(err)
	}
	return r.ended(r.fetch(unread))
}

// unreadRecords returns the records that the fetcher may ask for once more.
func (r *itemRun) unreadRecords() (list []harvest.Unread, err error) {
	if !r.item.Quarantined || r.start.Limit > 0 {
		return nil, nil
	}
	if list, r.unread, err = r.Store.Unread(r.keep, r.write().Item, r.item.Lane, r.session.run.ID); err != nil {
		return nil, fmt.Errorf("look up what is unread of %s: %w", r.name, err)
	}
	return list, nil
}

// prepare finds what the definition says about the item.
func (r *itemRun) prepare() error {
	if len(r.item.Policy) > 0 {
		if err := json.Unmarshal(r.item.Policy, &r.policy); err != nil {
			return harvest.Errorf(harvest.KindInternal, "read policy of item", r.name, "%w", err)
		}
	}
	var err error
	if r.entry, _, err = entry(r.campaign, r.item.Entry); err != nil {
		return err
	}
	if r.kind, err = r.Fetchers.Find(r.item.Fetcher); err != nil {
		return err
	}
	if r.prints, err = printsOf(r.kind, r.item.Params); err != nil {
		return err
	}
	r.budget = r.newBudget()
	r.evaluation, err = r.newEvaluation()
	return err
}

// atOnce settles what needs no fetch.
func (r *itemRun) atOnce() (rows.Settle, bool) {
	closed := rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Skipped, Why: string(outcomes.WhyPaused)}
	switch p := r.item.Paused; {
	case r.policy.Ended != nil:
		e := r.policy.Ended
		return rows.Settle{State: rows.ItemClosed, Outcome: e.Outcome, Why: e.Why, Kind: e.Kind, Error: e.Error}, true
	case r.policy.Paused != "":
		closed.Error = r.policy.Paused
		return closed, true
	case p.Holds(r.Now()):
		closed.Error = p.Note
		return closed, true
	case r.item.Stuck >= maxStuck || r.item.Lost >= maxLost:
		return rows.Settle{
			State: rows.ItemClosed, Outcome: outcomes.Failed, Why: string(outcomes.WhyWorkerLost), Kind: harvest.KindInternal,
			Error: fmt.Sprintf("%d workers died while they worked on this item; it was not run again", r.item.Lost),
		}, true
	case r.budget.used(r.Now()) != nil:
		return r.overBudget(r.budget.used(r.Now())), true
	case r.late(r.Now()):
		return r.nextTick("the run had to end before this item's turn came"), true
	}
	return rows.Settle{}, false
}

// late reports whether the run must have ended at a moment.
func (r *itemRun) late(at time.Time) bool {
	return !r.session.run.Deadline.IsZero() && at.After(r.session.run.Deadline)
}

// nextTick closes an item that the run has no more time for: partial where some
// pages came, else failed.
func (r *itemRun) nextTick(text string) rows.Settle {
	s := rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Failed, Why: string(outcomes.WhyNextTick), Kind: harvest.KindTimeout, Error: text}
	if r.seq > 0 {
		s.Outcome = outcomes.Partial
	}
	return s
}

// What ends an item's context, as its cause.
var (
	errHandBack   = errors.New("the activity must stop")
	errNextTick   = errors.New("the run must end now")
	errLeftBehind = errors.New("left behind")
)
