package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
)

const (
	// maxStuck is how many workers may die under one item without a page between,
	// and maxLost how many in all: a fetcher that begins anew each time makes pages
	// too.
	maxStuck, maxLost = 3, 25
	// turn is when an item that lost a worker asks again whether it is its turn.
	turn = time.Second
)

// flight is one item in one attempt.
type flight struct {
	*chunk
	item    rows.ClaimedItem
	entry   *campaigns.Entry
	kind    fetchers.Kind
	policy  policy
	judge   judge
	pass    passing
	name    string   // for people, without a query string
	values  []string // secrets, to be masked
	attempt int
	prints  prints

	mu      sync.Mutex
	over    bool // closed or left behind: nothing more is committed
	closed  *rows.Settle
	ledger  []harvest.Exchange
	version int64 // of the checkpoint
	seq     int
	tally   harvest.Tally // of this attempt
	listed  int64         // done and total of the last page
	total   int64
	page    *time.Timer
	pageEnd time.Time
}

// item runs one claimed item to the end of this attempt and tells the store.
func (k *chunk) item(claimed rows.ClaimedItem) end {
	r := &flight{
		chunk: k, item: claimed, name: harvest.Redact(claimed.Key), version: claimed.Checkpoint.Version, seq: claimed.Seq,
		attempt: claimed.Attempts + claimed.Throttles + claimed.Lost + 1,
	}
	k.fliesAt(r.name, nil, harvest.Tally{})
	e := r.run()
	k.landed(r.name, e.closed)
	if e.closed {
		k.Meter.ItemClosed(claimed.Fetcher, e.outcome)
	}
	return e
}

func (r *flight) run() end {
	if err := r.prepare(); err != nil {
		return r.failed(err)
	}
	if s, ok := r.atOnce(); ok {
		return r.settle(s)
	}
	if r.item.Lost > 0 {
		// Whoever kills its worker must only kill itself: one of them at a time.
		if !r.lost.TryLock() {
			return r.settle(rows.Settle{State: rows.ItemOpen, NotBefore: r.Now().Add(turn)})
		}
		defer r.lost.Unlock()
	}
	if err := r.beginPass(); err != nil {
		return r.landing(err)
	}
	return r.landing(r.fetch())
}

// prepare finds what the definition says about the item.
func (r *flight) prepare() error {
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
	r.judge, err = r.judgement()
	return err
}

// atOnce settles what needs no fetch.
func (r *flight) atOnce() (rows.Settle, bool) {
	closed := rows.Settle{State: rows.ItemClosed, Outcome: harvest.OutcomeSkipped, Why: string(harvest.WhyPaused)}
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
			State: rows.ItemClosed, Outcome: harvest.OutcomeFailed, Why: string(harvest.WhyWorkerLost), Kind: harvest.KindInternal,
			Error: fmt.Sprintf("%d workers died while they worked on this item; it was not run again", r.item.Lost),
		}, true
	case r.late(r.Now()):
		return r.nextTick("the run had to end before this item's turn came"), true
	}
	return rows.Settle{}, false
}

// late reports whether the run must have ended at a moment.
func (r *flight) late(at time.Time) bool {
	return !r.chunk.run.Deadline.IsZero() && at.After(r.chunk.run.Deadline)
}

// nextTick closes an item that the run has no more time for: partial where some
// pages came, else failed.
func (r *flight) nextTick(text string) rows.Settle {
	s := rows.Settle{State: rows.ItemClosed, Outcome: harvest.OutcomeFailed, Why: string(harvest.WhyNextTick), Kind: harvest.KindTimeout, Error: text}
	if r.seq > 0 {
		s.Outcome = harvest.OutcomePartial
	}
	return s
}

// What ends an item's context, as its cause.
var (
	errHandBack   = errors.New("the chunk must stop")
	errNextTick   = errors.New("the run must end now")
	errLeftBehind = errors.New("left behind")
)

// fetch pumps pages until the fetcher has no more, something fails, or time is
// up. It returns in bounded time even when the fetcher does not.
func (r *flight) fetch() error {
	ctx, cancel := context.WithCancelCause(r.life)
	defer cancel(nil)
	params, values, err := r.Secrets.JSON(r.item.Params)
	if err != nil {
		return err
	}
	r.values = values
	defer r.timers(cancel)()
	done := make(chan error, 1)
	go func() { done <- r.pump(ctx, r.request(params)) }()
	select {
	case err := <-done:
		return ownCause(ctx, err)
	case <-ctx.Done():
	}
	grace := time.NewTimer(r.Grace)
	defer grace.Stop()
	select {
	case err := <-done:
		return ownCause(ctx, err)
	case <-grace.C:
		return r.leaveBehind(ctx)
	}
}

// leaveBehind gives up a fetcher that ignores the end of its context.
func (r *flight) leaveBehind(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed != nil {
		return nil
	}
	r.over = true
	cause := context.Cause(ctx)
	if errors.Is(cause, errDrained) || errors.Is(cause, errNextTick) {
		r.log.Error("a fetcher ignores the end of its context and was left behind", "fetcher", r.kind.Name, "item", r.name)
		return cause
	}
	return &harvest.Error{
		Kind: harvest.KindInternal, Op: "fetch", On: r.name,
		Err:    fmt.Errorf("fetcher %s went on for %s after its context had ended, and was left behind (%w)", r.kind.Name, r.Grace, cause),
		Advice: "this is a defect of the fetcher: it must return within a second",
	}
}

// ownCause says why a context ended rather than that it did.
func ownCause(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errHandBack) || errors.Is(err, rows.ErrFenced) || errors.Is(err, rows.ErrStopped) {
		return err
	}
	cause := context.Cause(ctx)
	if cause == nil || errors.Is(cause, context.Canceled) {
		return err
	}
	return cause
}

// timers bound a page, the item and the run; the function it returns ends them.
func (r *flight) timers(cancel context.CancelCauseFunc) func() {
	var all []*time.Timer
	bound := func(after time.Duration, cause error) *time.Timer {
		t := time.AfterFunc(max(0, after), func() { cancel(cause) })
		all = append(all, t)
		return t
	}
	page := r.pageTime()
	tooSlow := harvest.Errorf(harvest.KindTimeout, "fetch", r.name, "no page within %s", page)
	tooSlow.Advice = "timeouts.page allows more"
	r.mu.Lock()
	r.page, r.pageEnd = bound(page, tooSlow), time.Now().Add(page)
	r.mu.Unlock()
	if limit := r.entry.Timeouts.Item; limit > 0 {
		bound(limit-r.age(), harvest.Errorf(harvest.KindTimeout, "fetch", r.name, "the item took longer than %s (timeouts.item)", limit))
	}
	if at := r.chunk.run.Deadline; !at.IsZero() {
		bound(at.Sub(r.Now()), errNextTick)
	}
	return func() {
		for _, t := range all {
			t.Stop()
		}
	}
}

func (r *flight) pageTime() time.Duration {
	if r.entry.Timeouts.Page > 0 {
		return r.entry.Timeouts.Page
	}
	return DefaultPage
}

// age is the time since the item's first attempt in this run.
func (r *flight) age() time.Duration {
	if r.item.StartedAt.IsZero() {
		return 0
	}
	return max(0, r.Now().Sub(r.item.StartedAt))
}

func (r *flight) request(params json.RawMessage) harvest.Request {
	next := harvest.Failure{Kind: harvest.KindServerError, Attempts: r.item.Attempts + 1, Age: r.age()}
	return harvest.Request{
		Item: r.name, Params: params, Checkpoint: r.item.Checkpoint.Value, Window: r.start.Window, Limit: r.start.Limit,
		Again: r.start.Again || r.prints.extractionChanged(r.item.Checkpoint), Attempt: r.attempt,
		LastAttempt: !harvest.Decide(r.entry.Retry, next).Again,
	}
}

// pump builds the fetcher and runs it; a panic of either is an error.
func (r *flight) pump(ctx context.Context, request harvest.Request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = harvest.Errorf(harvest.KindInternal, "make fetcher", r.kind.Name, "panic: %v", p)
		}
	}()
	f := r.kind.New(r.Client(r.visitor()))
	_, err = harvest.Pump(ctx, f, request, harvest.CommitFunc(r.commit))
	return err
}

// visitor is the item's own; pages are kept as they came, where the campaign
// keeps them, before the exchange's line is.
func (r *flight) visitor() harvest.Visitor {
	v := visitor(r.campaign, r.entry, r.kind, r.record)
	if !r.kind.Protocol && r.campaign.Keep.Raw != campaigns.NeverKept && r.start.Limit == 0 {
		v.Raw = func(body []byte) (string, error) { return r.Store.PutBlob(r.keep, body) }
	}
	return v
}

// visitor is on whose behalf an entry's sources are asked.
func visitor(c *campaigns.Campaign, e *campaigns.Entry, kind fetchers.Kind, record func(harvest.Exchange)) harvest.Visitor {
	return harvest.Visitor{
		Contact: c.Owner, Timeout: e.Timeouts.Request, Robots: !kind.Protocol, Priority: e.Priority.Key(), Record: record,
	}
}

// record takes a line of the ledger; waiting for a host does not count against
// the time of a page.
func (r *flight) record(x harvest.Exchange) {
	r.Meter.Exchange(x)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ledger = append(r.ledger, maskExchange(x, r.values))
	if x.Waited > 0 && r.page != nil && r.page.Stop() {
		r.pageEnd = r.pageEnd.Add(x.Waited)
		r.page.Reset(time.Until(r.pageEnd))
	}
}
