package x

import (
	"context"
	"iter"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: from the newest post back to those that are known,
// a page a request.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r := &reading{Fetcher: f, Out: out, ctx: ctx, req: req, seen: map[string]string{}}
		err := r.begin()
		for _, step := range []func() error{r.findUser, r.askUnread, r.poll} {
			if err == nil && !r.Stopped {
				err = step()
			}
		}
		return err
	})
}

// reading is one Fetch under way.
type reading struct {
	*Fetcher
	*pages.Out
	ctx    context.Context
	req    harvest.Request
	params Params
	cp     checkpoint
	// author is the user whose posts are read, called as the params do.
	author user
	// seen is the newest version of each post that was yielded, by its first one.
	seen map[string]string
	// resumed: the poll is one of a fetch before.
	resumed bool
	// token leads to the next page; pages were asked for.
	token string
	pages int
	// warnings and partial go with the next page.
	warnings []string
	partial  bool
}

func (r *reading) begin() (err error) {
	if r.params, err = harvest.DecodeParams[Params](r.req.Params); err != nil {
		return err
	}
	made, err := r.params.made()
	r.cp = restore(r.req, made, r.now())
	r.author = user{ID: r.cp.User, Username: r.params.user()}
	r.resumed = r.cp.Poll != nil && !r.req.ForceRefresh
	if err == nil && r.cp.Spent.Reads >= r.params.perMonth() {
		return r.overMonth()
	}
	return err
}

func (r *reading) windowed() bool { return !r.req.Window.IsZero() }

// findUser asks for the id of the user, once.
func (r *reading) findUser() error {
	if r.params.Query != "" || r.cp.User != "" {
		return nil
	}
	w, err := r.get("/2/users/by/username/"+r.params.user(), nil, false)
	if err != nil {
		return err
	}
	r.cp.User, err = w.userID()
	r.author.ID = r.cp.User
	return err
}

// send yields a page with the state after it.
func (r *reading) send(page harvest.Page) {
	page.Warnings, page.Partial = append(r.warnings, page.Warnings...), page.Partial || r.partial
	r.warnings, r.partial = nil, false
	page.Checkpoint = r.cp.raw()
	r.Send(page)
}

func (r *reading) warn(text string) { r.warnings, r.partial = append(r.warnings, text), true }
