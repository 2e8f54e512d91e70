package instagram

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"

	"github.com/vendemmia/vendemmia/fetchers/internal/pages"
	"github.com/vendemmia/vendemmia/harvest"
)

// Fetch is part of harvest.Fetcher: from the newest post back to those that are known;
// a page is one post with its files.
func (f *Fetcher) Fetch(ctx context.Context, req harvest.Request) iter.Seq2[harvest.Page, error] {
	return pages.From(func(out *pages.Out) error {
		r := &reading{Fetcher: f, Out: out, ctx: ctx, req: req}
		err := r.begin()
		if err == nil {
			err = r.findHashtag()
		}
		if err != nil {
			return err
		}
		return r.Steps(&r.done, r.step)
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
	// done: the list was read as far as it is to be.
	done bool
	// after leads to the next page of the list, of which read posts have come.
	after string
	read  int
	pages int
	// met are the unread records that were listed again.
	met map[string]bool
	// usage is what the last answer said of it.
	usage usage
	// same and other parts go with the next page.
	pending harvest.Page
}

func (r *reading) begin() (err error) {
	r.met = map[string]bool{}
	if r.params, err = harvest.DecodeParams[Params](r.req.Params); err != nil {
		return err
	}
	made, err := r.params.made()
	r.cp = restore(r.req, made)
	return err
}

func (r *reading) windowed() bool { return !r.req.Window.IsZero() }

// ordered reports a list that is in the order of time.
func (r *reading) ordered() bool { return r.params.Hashtag == "" }

// step reads one page of the list.
func (r *reading) step() error {
	list, err := r.list()
	if err != nil {
		return err
	}
	next := list.Paging.Cursors.After
	if r.params.Account == "" && list.Paging.Next == "" || len(list.Data) == 0 && r.params.Account != "" {
		next = ""
	}
	if next != "" && next == r.after && r.ordered() {
		return harvest.Errorf(harvest.KindBroken, "read posts", r.params.base(), "a page names itself as the next one")
	}
	if r.pages++; next != "" && r.pages > maxPages {
		return harvest.Errorf(harvest.KindBroken, "read posts", r.params.base(), "the list does not end: %d pages came", r.pages)
	}
	r.after = next
	if err := r.take(list); err != nil || r.Stopped {
		return err
	}
	if r.done = r.done || next == "" || r.read >= r.params.backlog(); r.done {
		return r.end()
	}
	if wait := r.usage.wait(); r.usage.Calls >= near {
		e := harvest.Errorf(harvest.KindThrottled, "read posts", r.params.base(), "%.0f%% of what the API allows is used", r.usage.Calls)
		e.RetryAfter = wait
		return e
	}
	return nil
}

// end yields what is left to say, with the state after the whole list.
func (r *reading) end() error {
	if !r.windowed() {
		known := len(r.cp.Done) > 0
		r.cp.finish(r.ordered())
		r.pending.NotModified = known && !r.req.ForceRefresh && r.pending.Same == r.read && r.read > 0
	}
	for _, u := range r.req.Unread {
		if !r.met[u.ID] && !r.windowed() {
			r.pending.Resolved = append(r.pending.Resolved, u.ID)
		}
	}
	r.pending.Last = true
	r.send(r.pending)
	return nil
}

// send yields a page with the state after it; a window moves nothing.
func (r *reading) send(page harvest.Page) {
	r.pending = harvest.Page{}
	page.Listed = len(page.Documents) + len(page.Rejects) + page.Same
	if page.Checkpoint = r.cp.raw(); r.windowed() {
		page.Checkpoint = r.req.Checkpoint
	}
	r.Send(page)
}

// perPage is how many posts one page of a list has; maxPages bounds a list whose
// pages are empty and never the last.
const (
	perPage  = 25
	maxPages = 1000
)

const fields = "id,caption,media_type,media_url,permalink,timestamp,children{id,media_type,media_url}"

// list asks for the next page of the list.
func (r *reading) list() (edge, error) {
	if r.params.Account == "" {
		return r.edge()
	}
	media := "media"
	if r.after != "" {
		media += ".after(" + r.after + ")"
	}
	q := url.Values{"fields": {fmt.Sprintf("business_discovery.username(%s){followers_count,media_count,%s.limit(%d){%s}}", r.params.account(), media, perPage, fields)}}
	var w discovery
	if err := r.get(r.params.User, q, &w); err != nil {
		return edge{}, err
	}
	if w.Found == nil || w.Found.Media == nil {
		return edge{}, harvest.Errorf(harvest.KindBroken, "read posts", r.params.base(), "the answer has no list of posts")
	}
	return *w.Found.Media, nil
}

func (r *reading) edge() (edge, error) {
	path, q := r.params.User+"/media", url.Values{"fields": {fields}, "limit": {strconv.Itoa(perPage)}}
	if r.params.Hashtag != "" {
		path = r.cp.Tag + "/" + map[bool]string{true: "top_media", false: "recent_media"}[r.params.Edge == "top"]
		q.Set("user_id", r.params.User)
	}
	if r.after != "" {
		q.Set("after", r.after)
	}
	var w struct {
		edge
		Data *[]json.RawMessage `json:"data"`
	}
	err := r.get(path, q, &w)
	if err == nil && w.Data == nil {
		err = harvest.Errorf(harvest.KindBroken, "read posts", r.params.base(), "the answer has no list of posts")
	}
	if err != nil {
		return edge{}, err
	}
	w.edge.Data = slices.Clone(*w.Data)
	return w.edge, nil
}
