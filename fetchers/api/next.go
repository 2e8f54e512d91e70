package api

import (
	"net/url"
	"strings"

	"github.com/vendemmia/vendemmia/fetchers/internal/answer"
	"github.com/vendemmia/vendemmia/harvest"
)

// first is the first page of a list.
func (p *plan) first() place {
	if p.Paginator.Type != byPage {
		return place{}
	}
	if p.Paginator.BasePage != nil {
		return place{N: *p.Paginator.BasePage}
	}
	return place{N: 1}
}

// next is the page behind an answer of so many records; nil where it was the last.
func (r *reading) next(a *answer.Answer, root any, records int, of *report) (*place, error) {
	next, err := r.follow(a, root, records)
	if err != nil || next == nil || r.passedBy(of, records) {
		return nil, err
	}
	w := r.walk
	switch {
	case *next == w.At && w.At != place{} && w.Last == digest(of.ids):
		return nil, broken(a, "a page names itself as the next one")
	case records > 0 && w.Pages > 0 && len(of.ids) > 0 && w.Last == digest(of.ids):
		return nil, broken(a, "two pages in a row have the same records: does the API know the paginator's parameter?")
	case w.Pages+1 >= r.plan.most:
		e := broken(a, "the list does not end: %d pages came", w.Pages+1)
		e.Advice = "if it is that long, raise max_pages"
		return nil, e
	}
	return next, nil
}

// follow is where the API says that the list goes on.
func (r *reading) follow(a *answer.Answer, root any, records int) (*place, error) {
	p, at := r.plan.Paginator, r.walk.At
	if !r.plan.more.zero() && !r.plan.more.yes(root) {
		return nil, nil
	}
	switch p.Type {
	case headerLink:
		return r.address(a, nextLink(a.Header.Values("Link")))
	case jsonLink:
		return r.address(a, textOf(r.plan.next.one(root)))
	case byCursor:
		cursor := textOf(r.plan.cursor.one(root))
		if cursor == "" || records == 0 || len(cursor) > answer.MaxAddress {
			return nil, nil
		}
		return &place{Cursor: cursor}, nil
	case byPage:
		return r.numbered(root, records, at.N+1, at.N), nil
	case byOffset:
		return r.numbered(root, records, at.N+records, at.N+records), nil
	}
	return nil, nil
}

// numbered is the next number, while reached is below what there is in all.
func (r *reading) numbered(root any, records, next, reached int) *place {
	total, ok := number(r.plan.total.one(root))
	short := r.plan.Paginator.Limit > 0 && records < r.plan.Paginator.Limit
	if records == 0 || ok && float64(reached) >= total || !ok && short {
		return nil
	}
	return &place{N: next}
}

// address is a link to the next page: to the same host, which alone may be shown the
// credentials.
func (r *reading) address(a *answer.Answer, link string) (*place, error) {
	if strings.TrimSpace(link) == "" {
		return nil, nil
	}
	to, err := url.Parse(strings.TrimSpace(link))
	if err != nil || len(link) > answer.MaxAddress {
		return nil, broken(a, "the next page is at %.200q, which is not an address", link)
	}
	to = a.Final.ResolveReference(to)
	here, err := url.Parse(r.plan.URL)
	if err != nil || !sameHost(to, here) && !sameHost(to, a.Final) || to.User != nil {
		e := broken(a, "the next page is on another host, %s", harvest.Redact(to.String()))
		e.Advice = "credentials are for one host; if the list really moves, make an item of that address"
		return nil, e
	}
	to.Fragment = ""
	return &place{URL: to.String()}, nil
}

func sameHost(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }

// nextLink is the address that Link headers (RFC 8288) call next.
func nextLink(headers []string) string {
	for _, h := range headers {
		for h != "" {
			_, rest, ok := strings.Cut(h, "<")
			link, params, ok2 := strings.Cut(rest, ">")
			if !ok || !ok2 {
				break
			}
			if params, h, _ = strings.Cut(params, "<"); h != "" {
				h = "<" + h
			}
			if isNext(params) {
				return link
			}
		}
	}
	return ""
}

func isNext(params string) bool {
	for part := range strings.FieldsFuncSeq(params, func(c rune) bool { return c == ';' || c == ',' }) {
		name, value, _ := strings.Cut(part, "=")
		if strings.EqualFold(strings.TrimSpace(name), "rel") && strings.EqualFold(strings.Trim(strings.TrimSpace(value), `"`), "next") {
			return true
		}
	}
	return false
}
