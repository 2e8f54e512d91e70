package harvest

import "context"

// Committer stores pages. Commit stores one page and returns its tally. An error ends the
// fetch; the page then counts as not committed.
type Committer interface {
	Commit(ctx context.Context, page Page) (Tally, error)
}

// CommitFunc is a function that implements Committer.
type CommitFunc func(ctx context.Context, page Page) (Tally, error)

// Commit calls f.
func (f CommitFunc) Commit(ctx context.Context, page Page) (Tally, error) { return f(ctx, page) }

// Pump fetches pages and commits each one before it asks for the next. It returns the sum
// of the committed tallies, also with an error. A panic of the fetcher is a KindInternal
// error. At req.Limit documents it cuts the page and ends the fetch.
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
		page.normalizeDates()
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

// PageTally returns the tally of a page before a store has compared its documents: what
// was listed and quarantined, and whether it is partial. Entries of a page that is
// NotModified and has no documents count as Same.
func PageTally(p *Page) Tally {
	t := Tally{Pages: 1, Listed: p.Listed, Same: p.Same, Quarantined: len(p.Rejects), NotModified: p.NotModified, Partial: p.Partial}
	if p.NotModified && len(p.Documents) == 0 {
		t.Same = p.Listed
	}
	return t
}
