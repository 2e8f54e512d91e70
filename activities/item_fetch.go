package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/retry"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// fetch pumps pages until the fetcher has no more, something fails, or time is
// up. It returns in bounded time even when the fetcher does not.
func (r *itemRun) fetch(unread []harvest.Unread) error {
	ctx, cancel := context.WithCancelCause(r.life)
	defer cancel(nil)
	params, found, err := r.Secrets.JSON(r.item.Params)
	if err != nil {
		return err
	}
	auth, hidden, err := r.Secrets.Auth(r.entry.Auth)
	if err != nil {
		return err
	}
	r.hides, r.params, r.auth = secrets.NewGrowing(append(found, hidden...)), params, auth
	defer r.timers(cancel)()
	r.budget.stopWith(cancel)
	done := make(chan error, 1)
	go func() { done <- r.pump(ctx, r.request(params, unread)) }()
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
func (r *itemRun) leaveBehind(ctx context.Context) error {
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

func (r *itemRun) request(params json.RawMessage, unread []harvest.Unread) harvest.Request {
	next := retry.Failure{Kind: harvest.KindServerError, Attempts: r.item.Attempts + 1, Age: r.age()}
	return harvest.Request{
		Item: r.name, Params: params, Checkpoint: r.mask().Restore(r.item.Checkpoint.Value), Window: r.start.Window, Limit: r.start.Limit,
		ForceRefresh: r.start.ForceRefresh || r.prints.extractionChanged(r.item.Checkpoint), Attempt: r.attempt,
		Unread: r.mask().Unread(unread), LastAttempt: !retry.Decide(r.entry.Retry, next).Retry,
	}
}

// pump builds the fetcher and runs it; a panic of either is an error.
func (r *itemRun) pump(ctx context.Context, request harvest.Request) error {
	return harvest.Safely("make fetcher", r.kind.Name, func() error {
		f := r.kind.New(r.Client(r.visitor()))
		_, err := harvest.Pump(ctx, f, request, harvest.CommitFunc(r.commit))
		return r.entry.Auth.Explain(err)
	})
}

// visitor is the item's own; it keeps pages as they came, where the campaign does.
func (r *itemRun) visitor() visit.Visitor {
	v := visitor(r.campaign, r.entry, r.kind, r.record)
	v.Waits, v.Yields, v.Moved, v.Spend, v.Auth, v.Granted = r.page.wait, true, r.moves.Note, r.budget.request, r.auth, r.hides.Granted
	if !r.kind.Protocol && r.campaign.Keep.Raw != campaigns.NeverKept && r.start.Limit == 0 {
		v.Raw = r.keepRaw
	}
	return v
}

// keepRaw has a page as it came ready for the write of the line that will name it.
func (r *itemRun) keepRaw(body []byte) (digest string, err error) {
	p, err := r.Store.PackRaw(r.keep, r.mask().Bytes(body))
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.raw == nil {
		r.raw = map[string]rows.RawPage{}
	}
	r.raw[p.Digest] = p
	return p.Digest, err
}

// rawOf are the pages that lines name.
func (r *itemRun) rawOf(lines []visit.Exchange) (list []rows.RawPage) {
	for _, x := range lines {
		if p := r.raw[x.Raw]; len(p.Packed) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// dropRaw lets go of the pages that lines name, once they are stored.
func (r *itemRun) dropRaw(lines []visit.Exchange) {
	for _, x := range lines {
		delete(r.raw, x.Raw)
	}
}

// visitor is on whose behalf an entry's sources are asked.
func visitor(c *campaigns.Campaign, e *campaigns.Entry, kind fetchers.Kind, record func(visit.Exchange)) visit.Visitor {
	return visit.Visitor{
		Contact: c.Owner, Timeout: e.Timeouts.Request, Robots: !kind.Protocol, Priority: e.Priority.Key(), Record: record,
	}
}

// mask hides the secrets of the item, as far as they are known.
func (r *itemRun) mask() *secrets.Mask { return r.hides.Mask() }

// record takes a line of the ledger.
func (r *itemRun) record(x visit.Exchange) {
	r.Meter.Exchange(x)
	r.budget.add(x.Bytes, 0)
	r.mu.Lock()
	defer r.mu.Unlock()
	x = r.mask().Exchange(x)
	r.log.Debug("asked", "item", r.name, "method", x.Method, "url", x.URL, "status", x.Status, "bytes", x.Bytes, "took", x.Took, "waited", x.Waited, "kind", x.Kind, "error", x.Error)
	r.ledger = append(r.ledger, x)
}
