package harvest

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Committer makes one page durable. Commit returns the page's tally (what was
// new, changed, the same); an error ends the fetch and the page counts as not
// committed.
type Committer interface {
	Commit(ctx context.Context, page Page) (Tally, error)
}

// CommitFunc is a function as a Committer.
type CommitFunc func(ctx context.Context, page Page) (Tally, error)

// Commit calls f.
func (f CommitFunc) Commit(ctx context.Context, page Page) (Tally, error) { return f(ctx, page) }

// Pump asks the fetcher for page after page and commits each before it asks for
// the next. It returns the sum of what was committed, also beside an error. A
// panic of the fetcher is a KindInternal error; a limit cuts the last page and
// ends the fetch.
func Pump(ctx context.Context, f Fetcher, req Request, c Committer) (sum Tally, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	left := req.Limit
	for page, err := range f.Fetch(ctx, req) {
		if err != nil {
			return sum, err
		}
		if err := page.Check(); err != nil {
			return sum, err
		}
		page.settleDates()
		if req.Limit > 0 {
			if left < len(page.Documents) {
				page.Documents, page.Checkpoint = page.Documents[:left], nil // it is where all of them end
			}
			left -= len(page.Documents)
		}
		t, err := c.Commit(ctx, page)
		if err != nil {
			return sum, err
		}
		sum = sum.Add(t)
		if page.Last || req.Limit > 0 && left == 0 {
			return sum, nil
		}
	}
	return sum, ctx.Err()
}

// Panic is the cause of an error that was a panic; Stack is for logs only.
type Panic struct {
	Value any
	Stack []byte
}

// Error returns "panic: value".
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

func panicError(p any) error {
	return &Error{
		Kind: KindInternal, Op: "fetch", Err: &Panic{Value: p, Stack: debug.Stack()},
		Advice: "this is a defect of the fetcher; the item is retried and then given up, the others go on",
	}
}

// PageTally counts a page before the store has compared it: what was listed and
// quarantined, and whether it is partial. What a source lists again without
// showing it (NotModified) is the same.
func PageTally(p *Page) Tally {
	t := Tally{Pages: 1, Listed: p.Listed, Same: p.Same, Quarantined: len(p.Rejects), NotModified: p.NotModified, Partial: p.Partial}
	if p.NotModified && len(p.Documents) == 0 {
		t.Same = p.Listed
	}
	return t
}
