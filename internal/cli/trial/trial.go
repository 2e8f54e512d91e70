// Package trial runs one fetcher once, with neither Temporal nor a store: what
// it yields goes to a function, nothing is kept and nothing moves.
package trial

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/visit"
)

// A trial ends after so many documents and so many pages, unless it is told to go
// to the end: a list may have none.
const (
	DefaultLimit = 100
	MaxPages     = 100
)

var errEnough = errors.New("enough pages")

// Trial collects what one fetch brought.
type Trial struct {
	// Stopped: it ended at a limit, and there may be more.
	Stopped    bool
	Outcome    outcomes.Outcome
	Err        *harvest.Error // nil when the fetch came to its end
	Tally      harvest.Tally
	Checkpoint json.RawMessage // the last one that was yielded
	Rejects    []harvest.Reject
	Warnings   []string
	Exchanges  []visit.Exchange
	Took       time.Duration

	pages, seen int
	last        harvest.Tally
}

// Recorder takes exchanges from many goroutines.
type Recorder struct {
	mu   sync.Mutex
	seen []visit.Exchange
}

// Record keeps one exchange.
func (r *Recorder) Record(e visit.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, e)
}

// Exchanges returns what was recorded so far.
func (r *Recorder) Exchanges() []visit.Exchange {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]visit.Exchange(nil), r.seen...)
}

// Run fetches to the end or, with a limit, to that or to MaxPages, and gives every
// document to emit, page by page, each as show makes it. An error of emit ends it and is
// returned; errors of the fetcher are in the Trial.
func Run(
	ctx context.Context, f harvest.Fetcher, req harvest.Request, rec *Recorder, show func(harvest.Page) harvest.Page, emit func(*harvest.Document) error,
) (Trial, error) {
	began := time.Now()
	req.Attempt, req.LastAttempt = 1, true
	t := Trial{Checkpoint: req.Checkpoint}
	var broken error
	sum, err := harvest.Pump(ctx, f, req, harvest.CommitFunc(func(_ context.Context, page harvest.Page) (harvest.Tally, error) {
		tally, err := t.take(show(page), emit)
		if broken = err; err == nil {
			err = t.enough(req.Limit, page, tally)
		}
		return tally, err
	}))
	if errors.Is(err, errEnough) {
		sum, err = sum.Add(t.last), nil
	}
	t.Tally, t.Exchanges, t.Took = sum, rec.Exchanges(), time.Since(began)
	t.Tally.Asked = len(t.Exchanges)
	for _, e := range t.Exchanges {
		t.Tally.Bytes += e.Bytes
	}
	if broken != nil {
		return t, broken
	}
	t.end(ctx, err)
	return t, nil
}

// enough ends the trial at MaxPages; the limit itself is the pump's.
func (t *Trial) enough(limit int, page harvest.Page, tally harvest.Tally) error {
	t.last = tally
	t.pages++
	t.seen += len(page.Documents)
	more := !page.Last || len(page.Checkpoint) == 0 // which is cut off where the page was
	t.Stopped = limit > 0 && more && (t.seen >= limit || t.pages >= MaxPages)
	if t.Stopped && t.seen < limit {
		return errEnough
	}
	return nil
}

func (t *Trial) take(page harvest.Page, emit func(*harvest.Document) error) (harvest.Tally, error) {
	tally := harvest.PageTally(&page)
	for i := range page.Documents {
		if err := emit(&page.Documents[i]); err != nil {
			return tally, err
		}
		if page.Documents[i].Deleted {
			tally.Deleted++
		} else {
			tally.New++
		}
	}
	if len(page.Checkpoint) > 0 {
		t.Checkpoint = page.Checkpoint
	}
	t.Rejects = append(t.Rejects, page.Rejects...)
	t.Warnings = append(t.Warnings, page.Warnings...)
	return tally, nil
}

func (t *Trial) end(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
		t.Outcome = outcomes.Cancelled
	case err != nil:
		t.Err = harvest.AsError(err)
		t.Outcome = outcomes.OfKind(t.Err.Kind)
	default:
		t.Outcome = outcomes.OfItem(t.Tally, false)
	}
}
