package harvest

import "context"

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
	err = Safely("fetch", "", func() error { return pump(ctx, f, req, c, &sum) })
	return sum, err
}

func pump(ctx context.Context, f Fetcher, req Request, c Committer, sum *Tally) error {
	left := req.Limit
	for page, err := range f.Fetch(ctx, req) {
		if err != nil {
			return err
		}
		if err := page.Check(); err != nil {
			return err
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
			return err
		}
		*sum = sum.Add(t)
		if page.Last || req.Limit > 0 && left == 0 {
			return nil
		}
	}
	return ctx.Err()
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
