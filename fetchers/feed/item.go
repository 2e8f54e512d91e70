package feed

import (
	"regexp"
	"slices"
	"strings"
)

// item is a record in XML: its elements, by keys that do not depend on format and
// prefixes.
type item struct {
	attrs    []byte
	scope    scope
	elements []element
}

// read finds the elements. Those of media groups count as the record's own.
func (it *item) read(b []byte) error {
	var f finder
	return f.children(b, it.scope, func(e element) { it.add(&f, e, 2) })
}

func (it *item) add(f *finder, e element, levels int) {
	it.elements = append(it.elements, e)
	if e.key != "media:group" && e.key != "media:content" || levels == 0 || len(it.elements) > maxChildren {
		return
	}
	_ = f.children(e.inner, e.scope, func(inner element) { it.add(f, inner, levels-1) }) // the group is not the record
}

// each calls yield for the elements of one key, in their order.
func (it *item) each(key string, yield func(element)) {
	for _, e := range it.elements {
		if e.key == key {
			yield(e)
		}
	}
}

// text returns the first text that says something, by the order of the keys.
func (it *item) text(keys ...string) string { return it.content(keys...).text }

func (it *item) content(keys ...string) content {
	for _, key := range keys {
		for _, e := range it.elements {
			if e.key != key {
				continue
			}
			if c := e.content(); !c.empty() {
				return c
			}
		}
	}
	return content{}
}

// texts returns every text of the first key that has one.
func (it *item) texts(keys ...string) (list []string) {
	for _, key := range keys {
		it.each(key, func(e element) { list = append(list, it.person(e)...) })
		if list = slices.DeleteFunc(list, func(s string) bool { return s == "" }); len(list) > 0 {
			return list
		}
	}
	return nil
}

func (it *item) attribute(key, name string) string {
	found := ""
	it.each(key, func(e element) { found = firstOf(found, e.attr(name)) })
	return found
}

func (it *item) self() element { return element{attrs: it.attrs, scope: it.scope} }

// entry tells what the elements say.
func (it *item) entry() entry {
	n := entry{
		id:    it.id(),
		link:  it.link(),
		title: it.title(),
		content: it.content("content:encoded", "atom:content", "xhtml:body", "xhtml:div", "fulltext", "full-text", "encoded",
			"content"),
		summary: it.content("description", "atom:summary", "dc:description", "dcterms:abstract", "dcterms:description",
			"itunes:summary", "media:description", "itunes:subtitle", "prism:teaser", "summary", "abstract"),
		published:  it.dates("pubdate", "atom:published", "atom:issued", "dc:date", "dcterms:issued", "dcterms:available", "dcterms:date", "prism:publicationdate", "dcterms:created", "atom:created", "published", "issued", "date", "created"),
		updated:    it.dates("dc:date", "atom:updated", "atom:modified", "dcterms:modified", "prism:modificationdate", "updated", "modified"),
		authors:    it.texts("author", "dc:author", "dc:creator", "dcterms:creator", "itunes:author", "atom:author"),
		categories: it.categories(),
		enclosures: it.enclosures(),
		bases:      it.scope.bases,
		more:       it.more(),
	}
	n.image = it.image(n.enclosures)
	if len(n.published) == 0 {
		n.published = n.updated
	}
	return n
}

// id is as the source writes it, letter by letter (RFC 4287, section 4.2.6): only
// white space around it is none of it.
func (it *item) id() string {
	id := it.text("guid", "atom:id")
	return strings.TrimSpace(clean(firstOf(id, it.self().attr("about"))))
}

// title may be a picture: then its description, or that of the media.
func (it *item) title() string {
	for _, key := range []string{"title", "atom:title", "dc:title", "dcterms:title", "media:title", "itunes:title"} {
		if title := it.text(key); heading(title) != "" {
			return title
		}
	}
	if m := pictured.FindStringSubmatch(it.text("title", "atom:title")); m != nil {
		return m[1] + m[2]
	}
	return ""
}

var pictured = regexp.MustCompile(`(?is)<img\s[^<>]*\balt\s*=\s*(?:"([^"]+)"|'([^']+)')`)

// link is where the entry is to be read. A guid is one unless it says no.
func (it *item) link() string {
	for _, e := range it.elements {
		if e.key != "link" && e.key != "atom:link" {
			continue
		}
		if rel := strings.ToLower(e.attr("rel")); e.key == "atom:link" && rel != "" && rel != "alternate" {
			continue
		}
		if to := firstOf(line(e.text()), e.attr("href"), e.attr("resource")); to != "" && e.key == "link" {
			return resolve(nil, e.scope.bases, to)
		}
		if to := e.attr("href"); to != "" {
			return resolve(nil, e.scope.bases, to)
		}
	}
	if guid := line(it.text("guid")); isHTTP(guid) && !strings.EqualFold(it.attribute("guid", "ispermalink"), "false") {
		return guid
	}
	for _, other := range []string{it.text("atom:id"), it.self().attr("about"), it.text("prism:url"), it.text("dc:identifier")} {
		if other = line(other); isHTTP(other) {
			return other
		}
	}
	return ""
}

func isHTTP(s string) bool {
	scheme, _, ok := strings.Cut(s[:min(len(s), 8)], "://")
	return ok && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// dates are all that say something, in the order of the keys.
func (it *item) dates(keys ...string) (list []string) {
	for _, key := range keys {
		it.each(key, func(e element) {
			if text := line(e.text()); text != "" && !slices.Contains(list, text) {
				list = append(list, text)
			}
		})
	}
	return list
}
