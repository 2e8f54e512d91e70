package x

import (
	"encoding/json"
	"fmt"

	"github.com/vendemmia/vendemmia/harvest"
)

// take yields what came as a page, and reports whether it is the last one.
func (r *reading) take(w *reply) (last bool, err error) {
	page := r.page(w)
	next := ""
	if w.Meta != nil {
		next = w.Meta.NextToken
	}
	switch {
	case next != "" && next == r.token:
		return true, harvest.Errorf(harvest.KindBroken, "read posts", r.params.base(), "page %d names itself as the next one", r.pages)
	case next != "" && r.pages > maxPages:
		return true, harvest.Errorf(harvest.KindBroken, "read posts", r.params.base(), "the list does not end: %d pages came", r.pages)
	}
	r.token = next
	first := r.pages == 1
	if r.advance(w); next == "" {
		r.depth(w)
		if !r.windowed() {
			r.finish()
		}
	}
	page.NotModified = first && next == "" && page.Listed == 0 && (r.since() != "" || r.windowed())
	page.Last = next == "" && !r.resumed
	if r.send(page); next == "" && r.resumed {
		r.resumed, r.pages = false, 0
		return false, nil
	}
	return page.Last, nil
}

// advance moves the poll behind what came. A window moves nothing.
func (r *reading) advance(w *reply) {
	first, last := w.span()
	if r.windowed() || last == "" {
		return
	}
	if r.cp.Poll == nil {
		r.cp.Poll = &poll{Newest: first, Again: r.req.ForceRefresh}
	}
	p := r.cp.Poll
	p.Newest, p.Until, p.Read = newest(p.Newest, first), last, p.Read+len(w.list())
}

// span are the newest and the oldest id of an answer: as it says, else by its posts.
func (w *reply) span() (first, last string) {
	for _, raw := range w.list() {
		var p struct {
			ID string `json:"id"`
		}
		if json.Unmarshal(raw, &p) != nil || !isID(p.ID) {
			continue
		}
		first = newest(first, p.ID)
		if last == "" || newer(last, p.ID) {
			last = p.ID
		}
	}
	if w.Meta != nil && isID(w.Meta.NewestID) && isID(w.Meta.OldestID) {
		return newest(first, w.Meta.NewestID), w.Meta.OldestID
	}
	return first, last
}

// depth warns where a timeline ended because it reaches back no further.
func (r *reading) depth(w *reply) {
	most := maxBacklog
	if len(r.params.Exclude) > 0 {
		most = 800
	}
	if p := r.cp.Poll; r.params.Query == "" && p != nil && p.Read >= most && p.Read-len(w.list()) < most {
		r.warnings = append(r.warnings, fmt.Sprintf("a timeline reaches back %d posts: older ones cannot be read", most))
	}
}
