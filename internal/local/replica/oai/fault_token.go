package oai

import (
	"strings"
	"time"
)

const badToken = "badResumptionToken"

// repeatingFaults are lists that do not end, or not where they should.
func repeatingFaults() []Fault {
	return []Fault{
		{Name: "endless-list", Does: "after the last page the list begins again, with tokens that are always new", list: func(_ *call, l *listing) {
			if l.next == nil {
				l.goOn(func(next *query) { next.next, next.again = 0, next.again+1 })
			}
		}},
		{Name: "repeated-token", Does: "every page but the first gives back the token it was asked by", list: func(_ *call, l *listing) { l.token = l.query.text }},
		{Name: "same-page", Does: "the first page comes for ever, each time with a new token", list: func(_ *call, l *listing) {
			l.goOn(func(next *query) { next.next, next.cursor = 0, 0 })
		}},
		{Name: "empty-pages", Does: "N pages without records, with tokens, before every page but the first", N: 2, list: emptyPages},
		{Name: "endless-empty-pages", Does: "after the first page only pages without records, with tokens that are always new", list: func(_ *call, l *listing) {
			if l.query.page > 0 {
				l.records, l.sets = nil, nil
				l.goOn(func(next *query) { next.next, next.cursor = l.query.next, l.query.cursor })
			}
		}},
		{Name: "overlapping-pages", Does: "every page but the first begins with the last record of the one before", list: func(_ *call, l *listing) {
			if n := len(l.records); l.next != nil && n > 1 {
				l.next.next, l.next.cursor = l.records[n-1].number, l.next.cursor-1
			}
		}},
	}
}

// goOn makes sure that a page follows, and changes what it is.
func (l *listing) goOn(change func(next *query)) {
	next := l.query
	next.size = l.size
	if l.next != nil {
		next = *l.next
	}
	next.page = l.query.page + 1
	change(&next)
	l.next = &next
}

func emptyPages(c *call, l *listing) {
	switch {
	case l.query.page > 0 && l.query.empties < c.fault.N:
		l.records, l.sets = nil, nil
		l.goOn(func(next *query) {
			next.next, next.cursor, next.empties = l.query.next, l.query.cursor, l.query.empties+1
		})
	case l.next != nil:
		l.next.empties = 0
	}
}

// tokenFaults are tokens that do not work as they should.
func tokenFaults() []Fault {
	refuse := func(when func(c *call) bool) func(c *call) *answer {
		return func(c *call) *answer {
			if c.args.Has("resumptionToken") && when(c) {
				return c.complain(problem{badToken, "this token is not valid, or not any more"})
			}
			return nil
		}
	}
	return []Fault{
		{Name: "bad-token", Does: "every token is refused", before: refuse(func(*call) bool { return true })},
		{Name: "bad-token-once", Does: "the first token from record N of a list on is refused, once; the list asked for anew is whole", N: 250, before: refuse(
			func(c *call) bool {
				return c.query.cursor >= c.fault.N && c.once(strings.Join([]string{c.verb, c.query.set, c.query.from, c.query.until}, " "))
			})},
		{
			Name: "expired-tokens", Does: "tokens have expired by the time they are given, and are refused", before: refuse(func(*call) bool { return true }),
			list: func(c *call, l *listing) { l.expires = c.now.Add(-time.Second) },
		},
		{Name: "token-once", Does: "a token used twice is refused", before: refuse(func(c *call) bool { return !c.once(c.query.text) })},
		{Name: "set-lost", Does: "the token forgets the set", list: lost(func(next *query) { next.set = "" })},
		{Name: "prefix-lost", Does: "the token forgets the format: all pages but the first are oai_dc", list: lost(func(next *query) { next.prefix = DC })},
		{Name: "window-lost", Does: "the token forgets from and until", list: lost(func(next *query) { next.from, next.until = "", "" })},
		{Name: "strange-token", Does: "tokens have blanks, per cents, ampersands and letters beyond ASCII", token: func(_ *listing, token string) string { return strangeBegin + token + strangeEnd }},
		{
			Name: "raw-token", Does: "a token is refused unless it stands in the URL as it was given, not percent-encoded",
			token: func(_ *listing, token string) string { return strings.TrimSuffix(token, "+=") + rawEnd },
			before: refuse(func(c *call) bool {
				return !strings.Contains(c.r.URL.RawQuery, "resumptionToken="+strings.TrimSuffix(c.args.Get("resumptionToken"), "+=")+rawEnd)
			}),
		},
	}
}

// What strange and raw tokens have around or instead of the plain one's end.
const (
	strangeBegin = "<à volonté> & 100%/"
	strangeEnd   = "?ripresa=sì #2"
	rawEnd       = "!:()"
)

// plain is a token without strangeness.
func plain(token string) string {
	token = strings.TrimSuffix(strings.TrimPrefix(token, strangeBegin), strangeEnd)
	if raw, ok := strings.CutSuffix(token, rawEnd); ok {
		return raw + "+="
	}
	return token
}

func lost(change func(next *query)) func(*call, *listing) {
	return func(_ *call, l *listing) {
		if l.next != nil {
			change(l.next)
		}
	}
}

// endFaults are lists that end, or are counted, wrongly.
func endFaults() []Fault {
	none := func(when func(c *call) bool) func(c *call) *answer {
		return func(c *call) *answer {
			if when(c) {
				return c.complain(nothing())
			}
			return nil
		}
	}
	return []Fault{
		{Name: "no-records-later", Does: "every request with a token is answered by noRecordsMatch", before: none((*call).goesOn)},
		{Name: "no-records-at-end", Does: "the last page has a token, which is answered by noRecordsMatch", list: func(_ *call, l *listing) {
			if l.next == nil {
				l.goOn(func(next *query) { next.again++ })
			}
		}, before: none(func(c *call) bool { return c.query.again > 0 })},
		{Name: "early-end", Does: "the first page has an empty token, though completeListSize says that there is more", list: func(_ *call, l *listing) { l.next, l.ends = nil, true }},
		{Name: "no-token-at-end", Does: "the last page of several has no token element at all", list: func(_ *call, l *listing) { l.ends = false }},
		{Name: "always-a-token", Does: "a list of one page has an empty token element, too", list: func(_ *call, l *listing) { l.ends = true }},
		{Name: "size-changes", Does: "completeListSize grows by N with every page", N: 7, list: func(c *call, l *listing) { l.size += c.fault.N * l.query.page }},
		{Name: "no-size", Does: "token elements have no attributes", list: func(_ *call, l *listing) { l.bare = true }},
		{Name: "size-is-estimate", Does: "completeListSize is N, whatever there is", N: 10000, list: func(c *call, l *listing) { l.size = c.fault.N }},
		{Name: "internal-exception", Does: "the first answer to every request is the error InternalException, which the protocol does not know", before: internal(firstTime)},
		{Name: "internal-exception-always", Does: "every answer is the error InternalException", before: internal(func(*call) bool { return true })},
	}
}

func internal(when func(c *call) bool) func(c *call) *answer {
	return func(c *call) *answer {
		if !when(c) {
			return nil
		}
		return c.complain(problem{"InternalException", "java.lang.NullPointerException"})
	}
}
