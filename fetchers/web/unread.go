package web

import (
	"slices"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// onList begins Reject.Where of a row: the address of its list follows. That of a
// page is its address.
const onList = "list "

// hiddenPart stands where a secret was taken out of an address: it cannot be asked
// for.
const hiddenPart = "***"

// reread asks for the pages in quarantine before the walk, in batches. Those that
// stay unread end no fetch; the walk leaves out those that were asked for.
func (r *reading) reread() error {
	var pages []*harvest.Unread
	out := &harvest.Page{}
	for i := range r.req.Unread {
		switch u := &r.req.Unread[i]; {
		case u.Where == "", strings.Contains(u.Where, hiddenPart), r.perRow && strings.HasPrefix(u.Where, onList):
		case r.wanted(r.whereOf(u.Where).address):
			pages = append(pages, u)
		default:
			out.Resolved = append(out.Resolved, u.ID)
		}
	}
	for some := range slices.Chunk(pages, harvest.MaxPageRequests) {
		if err := r.rereadSome(some, out); err != nil || r.done {
			return err
		}
		out = &harvest.Page{}
	}
	if out.NotModified = true; len(out.Resolved) > 0 {
		r.emit(out)
	}
	return nil
}

// wanted reports a page that the params still ask for.
func (r *reading) wanted(address string) bool {
	_, verdict := r.admit(nil, address, !r.perPage)
	return !r.perRow && verdict == takeIt
}

// whereOf is the page that Reject.Where names: its address, and what it is known by
// where that is another one.
func (r *reading) whereOf(where string) link {
	address, key, moved := strings.Cut(where, " ")
	e := r.newLink(address, "")
	if moved {
		e.key = key
		r.relearn(address, key)
	}
	return e
}

func (r *reading) rereadSome(some []*harvest.Unread, out *harvest.Page) error {
	q := r.newBatch(1)
	q.bears = r.bearsUnread
	for _, u := range some {
		e := r.whereOf(u.Where)
		q.results = append(q.results, &result{link: e, old: r.known.get(e.key), unread: u})
	}
	q.ask()
	for _, b := range q.results {
		if b.err != nil && !q.bears(b.err) {
			return b.err
		}
	}
	reads := r.cp.Reads
	r.take(q.results, &place{}, out)
	r.cp.Reads = reads // max_reads is for pages that lists name
	r.emit(out)
	return nil
}

// bearsUnread: a page that fails once more is no reason to end the fetch. Where the
// site is to blame, the walk finds that out.
func (r *reading) bearsUnread(err error) bool {
	return r.ctx.Err() == nil && (bearable(err) || passing(err) || harvest.KindOf(err) == harvest.KindUnreachable)
}

// unreadRows are the rows in quarantine that a walk has not met, by name.
type unreadRows map[string]harvest.Unread

func rowsOf(unread []harvest.Unread) unreadRows {
	rows := unreadRows{}
	for _, u := range unread {
		if list, ok := strings.CutPrefix(u.Where, onList); ok && !strings.Contains(list, hiddenPart) {
			rows[u.ID] = u
		}
	}
	return rows
}

// meet strikes out a row that came, or was set aside once more.
func (u unreadRows) meet(name string) { delete(u, name) }

// nameOf is the name under which a record is kept that could not be read.
func nameOf(x harvest.Reject) string {
	if x.ID == "" {
		return harvest.Digest(x.Bytes)
	}
	return x.ID
}

// maxLists with rows in quarantine are asked for beside those of the walk.
const maxLists = 10

// rereadLists looks, after the walk, for the unread rows that it has not met: on
// their own lists, where it has not read these. Those that are not there any more
// are resolved. A walk that began in an earlier fetch has met more than is known
// here, and settles nothing.
func (r *reading) rereadLists() error {
	out, asked := &harvest.Page{}, map[string]bool{}
	for _, u := range r.req.Unread {
		list := strings.TrimPrefix(u.Where, onList)
		if _, left := r.unread[u.ID]; !left || asked[list] {
			continue
		}
		if !r.wholly[list] && len(asked) < maxLists {
			asked[list] = true
			if err := r.rereadList(list, out); err != nil {
				return err
			}
		}
	}
	for _, u := range r.req.Unread {
		if _, left := r.unread[u.ID]; left && r.wholly[strings.TrimPrefix(u.Where, onList)] {
			out.Resolved = append(out.Resolved, u.ID)
		}
	}
	out.NotModified = true
	r.emit(out)
	return nil
}

// rereadList takes the unread rows of one list that come now.
func (r *reading) rereadList(address string, out *harvest.Page) error {
	l, err := r.readList(&place{URL: address, Page: 1, Skip: 1}, &harvest.Page{})
	switch {
	case harvest.KindOf(err) == harvest.KindGone:
	case err != nil && r.bearsUnread(err):
		return nil
	case err != nil:
		return err
	default:
		r.takeUnread(l, address, out)
	}
	r.wholly[address] = true
	return nil
}

func (r *reading) takeUnread(l *list, address string, out *harvest.Page) {
	for i := range l.rows {
		rec := &l.rows[i]
		if len(rec.lacks) > 0 {
			if _, left := r.unread[nameOf(harvest.Reject{ID: rec.doc.ID, Bytes: rec.doc.Body})]; left {
				out.Rejects = append(out.Rejects, r.rejectRow(rec, address))
			}
			continue
		}
		if _, left := r.unread[rec.doc.ID]; left {
			r.unread.meet(rec.doc.ID)
			out.Documents = append(out.Documents, rec.doc)
			r.known.put(rec.doc.ID, entry{flags: flagDocument})
		}
	}
}
