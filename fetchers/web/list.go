package web

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/harvest"
)

// list is one list that was read: what it names, in its order.
type list struct {
	links    []link
	rows     []record
	children []string
	next     string
	// hash is of what it names, so that what else changes on it does not count.
	hash string
	// unchanged: it is as it was, and its rows were not read again; listed is how
	// many there were.
	unchanged bool
	listed    int
	// empty: nothing was found on it.
	empty bool
	// named: it names something that was new in this walk.
	named    bool
	requests int
	// stamp is what it is known by the next time.
	stamp entry
}

func (l *list) size() int {
	if l.rows != nil {
		return len(l.rows)
	}
	return len(l.links)
}

// list asks for a list, or takes it from those that were read in this Fetch.
func (r *reading) list(at *place, out *harvest.Page) (*list, error) {
	if l := r.lists[at.URL]; l != nil {
		l.requests = 0
		return l, nil
	}
	if r.perPage {
		return r.startPage(at), nil
	}
	l, err := r.readList(at, out)
	if err != nil {
		return nil, err
	}
	l.requests = 1
	r.lists[at.URL] = l
	if at.Skip == 0 && at.Child == 0 && at.Hash == "" {
		r.cp.Lists++
	}
	r.cp.Good++
	if r.wholly != nil && !l.unchanged {
		r.wholly[at.URL] = true
	}
	r.met(at.URL, !l.empty)
	return l, nil
}

// listKey keeps lists apart from documents of the same address.
func listKey(address string) string { return "list " + canonical(address) }

// met marks a list as one of this walk, with what is known of it: whether it has
// ever named anything, too.
func (r *reading) met(address string, named bool) {
	e := entry{flags: flagList}
	if old := r.known.get(listKey(address)); old != nil {
		e = *old
	}
	if e.age = 0; named {
		e.flags |= flagNamed
	}
	r.known.put(listKey(address), e)
}

// startPage: without links, rows and sitemap the start pages are what is read.
func (r *reading) startPage(at *place) *list {
	address := at.URL
	if u, err := resolve(nil, address); err == nil {
		address = u.String()
	}
	return &list{hash: shortHash([]byte(at.URL)), links: []link{r.newLink(address, "")}}
}

func (r *reading) readList(at *place, out *harvest.Page) (*list, error) {
	old := r.known.get(listKey(at.URL))
	if !r.skippable(at) {
		old = nil
	}
	a, err := r.get(r.ctx, at.URL, old.validators())
	if err != nil {
		return nil, err
	}
	if a.NotModified || old.same(a.Body) {
		return unchangedList(old, out), nil
	}
	r.learn(at.URL, a.Final, a.Moved)
	l := &list{}
	l.stamp.keep(&a)
	if r.Sitemap {
		return l, r.sitemapList(l, at, a, out)
	}
	d, err := r.parse(a, at.URL)
	if err != nil {
		return nil, err
	}
	defer d.free()
	return l, r.pageList(l, at, d, out)
}

const revisitChanged = "changed"

// skippable reports a list whose being unchanged says all: where its rows are the
// documents, or known pages are not asked for again.
func (r *reading) skippable(at *place) bool {
	return !r.whole() && at.Skip == 0 && at.Child == 0 && at.Hash == "" && r.Follow == "" && (r.perRow || r.Revisit == revisitChanged)
}

func unchangedList(old *entry, out *harvest.Page) *list {
	out.NotModified = true
	out.Same += int(old.mod)
	return &list{unchanged: true, next: old.note, hash: "unchanged", listed: int(old.mod)}
}

// remember keeps the validators of a list that was read to its end without loss.
func (r *reading) remember(l *list, at *place) {
	if l.unchanged || r.windowed() || !r.perRow && r.Revisit != revisitChanged {
		return
	}
	e := entry{flags: flagList}
	if old := r.known.get(listKey(at.URL)); old != nil {
		e.flags |= old.flags & flagNamed
	}
	if !at.Loss && !l.empty && r.Follow == "" && len(l.children) == 0 {
		flags := e.flags
		e = l.stamp
		e.mod, e.note = uint32(l.listed), l.next
		e.flags |= flags | flagMod | flagNote
	}
	r.known.put(listKey(at.URL), e)
}

func (r *reading) sitemapList(l *list, at *place, a fetched, out *harvest.Page) error {
	s, err := r.readSitemap(a, at.URL)
	if err != nil {
		return err
	}
	tally := map[string]int{}
	seen := map[string]bool{}
	for _, e := range s.pages {
		if address, verdict := r.admit(a.Final, e.address, true); verdict != takeIt {
			tally[verdict]++
		} else if at := r.newLink(address, e.mod); !seen[at.key] {
			seen[at.key] = true
			l.links = append(l.links, at)
		}
	}
	for _, child := range s.children {
		if address, verdict := r.admit(a.Final, child, false); verdict == takeIt && at.Depth < maxDepth {
			l.children = append(l.children, address)
		} else {
			tally[verdict]++
		}
	}
	r.say(out, tally)
	l.empty = len(s.pages)+len(s.children) == 0
	l.finish()
	return nil
}

// say tells of links that are not taken, where people can do something about it.
func (r *reading) say(out *harvest.Page, tally map[string]int) {
	if n := tally[otherHost]; n > 0 {
		warn(out, "%d links lead to other hosts and are not followed (hosts)", n)
	}
	if n := tally[trap]; n > 0 {
		warn(out, "%d links form loops or are too long, and are not followed", n)
	}
}

// finish hashes what a list names.
func (l *list) finish() {
	var b strings.Builder
	for _, e := range l.links {
		b.WriteString(e.key + " " + e.mod + "\n")
	}
	for i := range l.rows {
		b.WriteString(l.rows[i].doc.ID + "\n")
	}
	for _, c := range l.children {
		b.WriteString(c + "\n")
	}
	l.hash = shortHash([]byte(b.String()))
	l.listed = l.size()
}

func (r *reading) pageList(l *list, at *place, d *dom, out *harvest.Page) error {
	l.next = r.nextOf(at, d)
	sel := r.links
	if r.perRow {
		sel = r.rows
	}
	tally := map[string]int{}
	if at.Depth < r.maxDepth {
		for _, e := range r.linksOf(r.follow.all(d.root), d, tally) {
			l.children = append(l.children, e.address)
		}
	}
	nodes := sel.all(d.root)
	if len(nodes) == 0 {
		l.empty, l.hash = true, "empty"
		if err := r.nothingOn(at, d, l, sel, out); err != nil {
			return err
		}
	} else if at.Page == 1 {
		r.cp.Now.add(sel.key(), true)
	}
	if r.perRow {
		r.rowsOf(l, nodes, d)
	} else {
		l.links = r.linksOf(nodes, d, tally)
		if len(l.links) == 0 && len(nodes) > 0 && tally[otherHost] == len(nodes) && at.Depth == 0 {
			return r.elsewhere(nodes, d)
		}
	}
	r.say(out, tally)
	l.finish()
	return r.judgeRows(l, d)
}

func (r *reading) linksOf(nodes []*html.Node, d *dom, tally map[string]int) []link {
	var links []link
	seen := map[string]bool{}
	for _, n := range nodes {
		href := attr(n, "href")
		if href == "" {
			href = spoken(n, asURL)
		}
		if address, verdict := r.admit(d.base, href, true); verdict != takeIt {
			tally[verdict]++
		} else if at := r.newLink(address, ""); !seen[at.key] {
			seen[at.key] = true
			links = append(links, at)
		}
	}
	return links
}

func (r *reading) elsewhere(nodes []*html.Node, d *dom) error {
	u, _ := resolve(d.base, attr(nodes[0], "href"))
	e := harvest.Errorf(harvest.KindMisconfigured, "read list", d.address, "all %d links lead to other hosts", len(nodes))
	if u != nil {
		e.Advice = "add hosts: [" + u.Host + "] if these are the pages that are meant"
	}
	return e
}

// nothingOn decides what a list without links or rows is: really empty, the end
// of the pages, or a sign that the site is not what it was.
func (r *reading) nothingOn(at *place, d *dom, l *list, sel selector, out *harvest.Page) error {
	if r.empty.first(d.root) != nil {
		return nil
	}
	if r.softMissing(d) {
		return &harvest.Error{
			Kind: harvest.KindGone, Op: "get", On: at.URL, Status: http.StatusNotFound,
			Err: errorText("the page says that it is not there"),
		}
	}
	if wall := d.wall(); wall != "" {
		return d.blocked(wall)
	}
	if at.Page == 1 {
		r.cp.Now.add(sel.key(), false)
		r.nowhere = brokenSelector(sel, r.cp.Before[sel.key()], r.cp.Now[sel.key()][0], d)
		switch e := r.known.get(listKey(at.URL)); {
		case len(l.children) > 0 && (e == nil || e.flags&flagNamed == 0):
			return nil // it names other lists, and never named anything else
		case at.Depth == 0:
			return brokenSelector(sel, r.cp.Before[sel.key()], 1, d)
		}
	}
	if r.PageParam != "" && at.Page > 1 {
		l.next = ""
		return nil
	}
	if l.next == "" {
		at.Loss, out.Partial = true, true
		warn(out, "%s: %q matches nothing on %s, and nothing leads on from there: its documents are missing", sel.name, sel.css, harvest.Redact(at.URL))
	}
	return nil
}

func (r *reading) softMissing(d *dom) bool { return d.softMissing(r.plan) }

// nextOf finds the next page: by its link, or by counting.
func (r *reading) nextOf(at *place, d *dom) string {
	if r.PageParam != "" {
		return r.counted(at)
	}
	for _, n := range r.plan.next.all(d.root) {
		if address, verdict := r.admit(d.base, attr(n, "href"), false); verdict == takeIt && address != at.URL {
			return address
		}
	}
	return ""
}

func (r *reading) counted(at *place) string {
	u, err := url.Parse(at.URL)
	if err != nil {
		return ""
	}
	step := max(1, r.PageStep)
	number := strconv.Itoa(r.firstPage() + at.Page*step)
	dropParams(u, func(name string) bool { return name == strings.ToLower(r.PageParam) })
	if u.RawQuery != "" {
		u.RawQuery += "&"
	}
	u.RawQuery += url.QueryEscape(r.PageParam) + "=" + number
	return u.String()
}

// listFailed decides about a list that could not be read: the end of the attempt,
// or, where others are left, a loss.
func (r *reading) listFailed(err error) error {
	if r.ctx.Err() != nil {
		return err
	}
	at := r.cp.top()
	others := r.cp.Good > 0 || r.cp.Start < len(r.starts)
	if !others || !bearable(err) && !(passing(err) && r.req.LastAttempt) {
		return err
	}
	out := &harvest.Page{}
	if counted := r.PageParam != "" && at.Page > 1 && harvest.KindOf(err) == harvest.KindGone; !counted { // else it is how the pages end
		out.Partial = true
		warn(out, "list %s: %v: what it names is missing", harvest.Redact(at.URL), err)
	}
	r.cp.Stack = r.cp.Stack[:len(r.cp.Stack)-1]
	if r.cp.top() == nil && r.cp.Start >= len(r.starts) {
		r.end()
	}
	r.emit(out)
	return nil
}
