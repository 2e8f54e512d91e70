package activities

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
)

// budget keeps one item, or one asking for items, within what its campaign may spend.
// What is spent is counted in the store, for all processes: requests before they are
// sent, bytes and documents once they came. A nil budget has no limits.
type budget struct {
	*Activities
	campaign *campaigns.Campaign
	entry    string
	run      int64
	name     string
	log      *slog.Logger
	known    *sync.Map // entry to *overBudget: one item found it, the others need not ask
	limits   []campaigns.Limit

	mu               sync.Mutex
	bytes, documents int64 // not counted in the store yet
	stop             func(error)
	hit              *overBudget // the limit that this item met
}

// overBudget is a limit that is reached, and until when; never: for this run.
type overBudget struct {
	limit campaigns.Limit
	until time.Time
	where string
}

// Error is part of error.
func (o *overBudget) Error() string {
	text := fmt.Sprintf("the budget of %s for this %s is used: %s", o.where, o.limit.Per, o.limit.Amount(o.limit.N))
	if o.until.IsZero() {
		return text + "; the next run goes on from here"
	}
	return text + "; more from " + o.until.Format("Mon 2 Jan 15:04 MST")
}

func (r *itemRun) newBudget() *budget {
	b := r.budgetOf(r.campaign, r.entry, r.session.run.ID, r.name)
	if b != nil {
		b.log, b.known = r.log, &r.session.spent
	}
	return b
}

// budgetOf is nil for an entry without limits.
func (a *Activities) budgetOf(c *campaigns.Campaign, e *campaigns.Entry, run int64, name string) *budget {
	limits := c.Limits(e)
	if len(limits) == 0 {
		return nil
	}
	return &budget{Activities: a, campaign: c, entry: e.Name, run: run, name: name, log: a.Log, known: &sync.Map{}, limits: limits}
}

// overBudget closes the item: the next run after the limit's period goes on.
func (r *itemRun) overBudget(o *overBudget) rows.Settle {
	return rows.Settle{State: rows.ItemClosed, Outcome: outcomes.Throttled, Why: string(outcomes.WhyBudget), Kind: harvest.KindThrottled, Error: o.Error()}
}

// used returns the limit that is known to be reached at a moment.
func (b *budget) used(now time.Time) *overBudget {
	if b == nil {
		return nil
	}
	v, ok := b.known.Load(b.entry)
	if !ok {
		return nil
	}
	if o := v.(*overBudget); o.until.IsZero() || now.Before(o.until) {
		return o
	}
	return nil
}

// met returns the limit that this item met.
func (b *budget) met() *overBudget {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.hit
}

// stopWith makes a reached limit end the item, also where its fetcher goes on after a
// failed request.
func (b *budget) stopWith(stop func(error)) {
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.stop = stop
	}
}

// request is for visit.Visitor.Spend.
func (b *budget) request(ctx context.Context) error {
	if b == nil {
		return nil
	}
	return b.spend(ctx, 1)
}

// add notes what came.
func (b *budget) add(bytes, documents int64) {
	if b != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.bytes, b.documents = b.bytes+bytes, b.documents+documents
	}
}

// page counts the documents of a page. A trial commits none, but has read them.
func (b *budget) page(ctx context.Context, t harvest.Tally) error {
	b.add(0, int64(t.Listed))
	return b.spend(ctx, 0)
}

// flush counts what is not counted yet. The item has ended, so there is no one to tell.
func (b *budget) flush(ctx context.Context) {
	if err := b.spend(ctx, 0); err != nil && b.met() == nil {
		b.log.Warn("what an item spent of its budget was not counted", "item", b.name, "error", err)
	}
}

// spend counts what was spent so far and so many requests, unless a limit is reached:
// that is a KindThrottled error, whose RetryAfter is the end of the period.
func (b *budget) spend(ctx context.Context, requests int64) error {
	if b == nil {
		return nil
	}
	sp := b.take(requests)
	left, err := b.Store.Spend(context.WithoutCancel(ctx), sp)
	if err != nil {
		b.add(sp.Bytes, sp.Documents)
		return err
	}
	if o := b.last(left); o != nil {
		return b.reached(o)
	}
	return nil
}

// last returns the limit without anything left whose period ends last.
func (b *budget) last(left []int64) (last *overBudget) {
	now := b.Now().In(b.campaign.Zone())
	for i, n := range left {
		_, until := b.limits[i].Period(now)
		if n <= 0 && (last == nil || until.After(last.until)) {
			last = &overBudget{limit: b.limits[i], until: until, where: b.campaign.Name}
		}
	}
	return last
}

func (b *budget) take(requests int64) rows.Spend {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.Now().In(b.campaign.Zone())
	sp := rows.Spend{
		Campaign: b.campaign.Name, Entry: b.entry, Run: b.run, Day: campaigns.Day(now),
		Requests: requests, Bytes: b.bytes, Documents: b.documents,
	}
	b.bytes, b.documents = 0, 0
	for _, l := range b.limits {
		limit := rows.SpendLimit{What: l.What, N: l.N, Entry: l.Entry}
		if limit.From, _ = l.Period(now); l.Per == campaigns.PerRun {
			limit.Run = sp.Run
		}
		sp.Limits = append(sp.Limits, limit)
	}
	return sp
}

// reached notes that a limit is reached, for all items of the entry, and ends this one.
func (b *budget) reached(o *overBudget) error {
	if o.limit.Entry != "" && len(b.campaign.Entries) > 1 {
		o.where += "/" + o.limit.Entry
	}
	e := &harvest.Error{Kind: harvest.KindThrottled, Op: "fetch", On: b.name, Err: o}
	if !o.until.IsZero() {
		e.RetryAfter = o.until.Sub(b.Now())
	}
	b.known.Store(b.entry, o)
	b.mu.Lock()
	stop := b.stop
	b.hit = o
	b.mu.Unlock()
	if stop != nil {
		stop(e)
	}
	return e
}
