package oai

import (
	"strconv"
	"time"
)

// listing is a page of a list, before it is written.
type listing struct {
	query   query
	records []record
	sets    []string
	// next is the page after it, nil at the end.
	next *query
	size int
	// expires is told with the token; token is its text, made of next unless a
	// fault has made one. A page with neither has an empty token element when
	// ends is true, else none.
	expires time.Time
	token   string
	ends    bool
	bare    bool // without attributes
}

// list writes a page of ListSets, ListIdentifiers or ListRecords. The lock is
// held.
func (c *call) list(b []byte, a *answer) ([]byte, []problem) {
	l := c.house.listing(c.query)
	if len(l.records)+len(l.sets) == 0 && l.query.page == 0 {
		return b, []problem{nothing()}
	}
	l.expires = c.now.Add(c.house.config.TokenLife)
	if c.fault.list != nil {
		c.fault.list(c, l)
	}
	if l.next != nil && l.token == "" {
		l.token = l.next.encode(c.now, c.epoch)
	}
	if c.fault.token != nil && l.token != "" {
		l.token = c.fault.token(l, l.token)
	}
	a.records = len(l.records)
	b = append(append(append(b, '<'), c.verb...), ">\n"...)
	b = c.appendList(b, l)
	b = l.appendToken(b)
	return append(append(append(b, "</"...), c.verb...), ">\n"...), nil
}

// listing makes the page that a query asks for.
func (r *Repository) listing(q query) *listing {
	l := &listing{query: q}
	after := 0
	if q.verb == "ListSets" {
		l.sets, after = r.someSets(q.next)
		l.size = len(r.Sets())
	} else {
		l.records, after = r.choose(q.chosen, q.window, q.next, r.config.Page)
		if l.size = q.size; q.page == 0 {
			l.size = r.count(q.chosen, q.window)
		}
	}
	if l.ends = q.page > 0; after >= 0 {
		next := q
		next.next, next.page, next.size, next.cursor = after, q.page+1, l.size, q.cursor+len(l.records)+len(l.sets)
		l.next = &next
	}
	return l
}

func (r *Repository) someSets(from int) ([]string, int) {
	all := r.Sets()
	from = min(from, len(all))
	if to := from + r.config.Page; to < len(all) {
		return all[from:to], to
	}
	return all[from:], -1
}

func (c *call) appendList(b []byte, l *listing) []byte {
	for _, spec := range l.sets {
		b = append(appendLeaf(append(b, "<set>"...), "setSpec", spec), "<setName>Raccolta «"...)
		b = append(append(b, spec...), "»</setName></set>\n"...)
	}
	extra := ""
	if l.query.fault != "" {
		extra = faultSet + l.query.fault
	}
	layout := c.layout()
	for _, x := range l.records {
		if c.verb == "ListIdentifiers" {
			b = append(c.house.appendHeader(b, x, layout, extra), '\n')
		} else {
			b = c.house.appendRecord(b, x, l.query.prefix, layout, extra)
		}
	}
	return b
}

// appendToken writes the token element (specification, section 3.5): none for a
// list of one page, an empty one on the last of several.
func (l *listing) appendToken(b []byte) []byte {
	if l.token == "" && !l.ends {
		return b
	}
	b = append(b, "<resumptionToken"...)
	if !l.bare {
		if l.token != "" {
			b = append(l.expires.AppendFormat(append(b, ` expirationDate="`...), secondsLayout), '"')
		}
		b = append(strconv.AppendInt(append(b, ` completeListSize="`...), int64(l.size), 10), '"')
		b = append(strconv.AppendInt(append(b, ` cursor="`...), int64(l.query.cursor), 10), '"')
	}
	b = append(append(b, '>'), escape(l.token)...)
	return append(b, "</resumptionToken>\n"...)
}
