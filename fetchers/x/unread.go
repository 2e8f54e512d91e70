package x

import (
	"net/url"
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// askUnread asks for the posts again, by their ids, that could not be read: a poll
// lists only newer ones. Those that are gone are resolved.
func (r *reading) askUnread() error {
	var again []string
	for _, u := range r.req.Unread {
		if isID(u.Where) && !slices.Contains(again, u.Where) {
			again = append(again, u.Where)
		}
	}
	if again = again[:min(len(again), max(r.left()/2, 0))]; len(again) == 0 || r.windowed() {
		return nil
	}
	w, err := r.get("/2/tweets", url.Values{"ids": {strings.Join(again, ",")}, "tweet.fields": {fields}, "expansions": {"author_id"}}, true)
	if err != nil {
		return err
	}
	page := r.page(&w)
	page.Warnings, page.Resolved = nil, r.resolved(&w, page.Rejects)
	r.send(page)
	return nil
}

// resolved are the unread posts that came, or that the API says are gone.
func (r *reading) resolved(w *reply, rejects []harvest.Reject) (done []string) {
	answered := map[string]bool{}
	for _, raw := range w.list() {
		if id, _, err := document(raw, nil); err == nil {
			answered[id] = true
		}
	}
	for _, p := range w.Errors {
		if p.kind() == "resource-not-found" {
			answered[p.Resource] = true
		}
	}
	for _, x := range rejects {
		delete(answered, x.ID)
	}
	for _, u := range r.req.Unread {
		if answered[u.Where] {
			done = append(done, u.ID)
		}
	}
	return done
}
