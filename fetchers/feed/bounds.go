package feed

import (
	"context"
	"net/url"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// A run reads at most so much of a feed: one whose pages are new each time has no
// end. The next run goes on from there.
const (
	maxRunPages   = 1_000
	maxRunEntries = 100_000
	// maxRepeats bounds the older pages that are asked for again because of records
	// that could not be read.
	maxRepeats = 20
)

// amount is how much was read.
type amount struct {
	Pages   int `json:"pages"`
	Entries int `json:"entries"`
}

func (a amount) plus(p *page) amount { return amount{a.Pages + 1, a.Entries + p.listed} }

// bound ends a run that has read as much as it may.
func (r *reading) bound(p *page, w *walk) {
	if w == nil || w.Run.Pages < maxRunPages && w.Run.Entries < maxRunEntries {
		return
	}
	p.partial, r.full = true, true
	p.warn("%d pages with %d entries were read, and there are more: the next run goes on from there; max_pages or max_entries bounds the feed", w.Run.Pages, w.Run.Entries)
	w.Run = amount{}
}

// keepTo adds a host to those of the feed.
func (r *reading) keepTo(address string) {
	if u, err := url.Parse(address); err == nil {
		r.hosts = append(r.hosts, host(u))
	}
}

// host is that of an address as it is compared: usual ports and www. say nothing.
func host(u *url.URL) string {
	name := strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
	if port := u.Port(); port != "" && port != "80" && port != "443" {
		name += ":" + port
	}
	return name
}

func (r *reading) atHome(address string) bool {
	u, err := url.Parse(address)
	for _, h := range r.hosts {
		if err == nil && u.User == nil && host(u) == h {
			return true
		}
	}
	return false
}

// stayHome drops a next page at another host than the feed's: a feed says what its
// host lists, not whom else to ask.
func (r *reading) stayHome(p *page) {
	if p.next == "" || r.atHome(p.next) {
		return
	}
	p.partial = true
	p.warn("the next page, %s, is not at the host of the feed: it is not asked for", harvest.Redact(wording.Clip(p.next, 200)))
	p.next = ""
}

// where says on which page a record stands; "" is the feed itself, which is read
// anyway. An address that may repeat secrets of the file's is not told.
func (r *reading) where(key string) string {
	u, err := url.Parse(r.params.URL)
	switch {
	case key == r.params.URL:
		return ""
	case err != nil || u.User != nil || u.RawQuery != "":
		return "an older page"
	}
	return key
}

// pagesToRepeat are the older pages with records that could not be read.
func (r *reading) pagesToRepeat() (pages []string) {
	seen := map[string]bool{"": true}
	for _, u := range r.req.Unread {
		if !seen[u.Where] && r.atHome(u.Where) && len(pages) < maxRepeats {
			pages = append(pages, u.Where)
		}
		seen[u.Where] = true
	}
	return pages
}

// repeat reads the next of those pages once more.
func (r *reading) repeat() error {
	p := &page{key: r.again[0]}
	if r.again = r.again[1:]; r.visited[p.key] {
		return nil // on the way through older pages
	}
	if err := r.readAgain(p); err != nil {
		return err
	}
	r.emit(p, r.cp)
	return nil
}

// readAgain fills p. A page that cannot be had now is asked for in the next run.
func (r *reading) readAgain(p *page) error {
	a, err := r.get(r.ctx, p.key, answer.Validators{})
	switch {
	case r.ctx.Err() != nil:
		return context.Cause(r.ctx)
	case harvest.KindOf(err) == harvest.KindGone:
		return nil
	case err != nil:
		if e := harvest.AsError(err); e.Deferred {
			return err
		}
		p.failed = true
		p.warn("older page %s, with records that could not be read, cannot be asked for again: %s", harvest.Redact(p.key), harvest.KindOf(err))
		return nil
	}
	return r.parse(a, p, 0)
}

// settled are the unread records without an id of their own that a page has no
// longer: they were mended, and are other bytes, or are gone. One with an id is
// settled by its document, or when its page is gone.
func (r *reading) settled(p *page) (ids []string) {
	if p.partial || p.failed || p.key == r.params.URL && r.params.MaxEntries > 0 {
		return nil
	}
	still := map[string]bool{}
	for _, reject := range p.rejects {
		still[reject.ID] = true
	}
	for _, u := range r.req.Unread {
		if u.Where == r.where(p.key) && !still[u.ID] && (strings.HasPrefix(u.ID, "sha256:") || p.listed == 0) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}
