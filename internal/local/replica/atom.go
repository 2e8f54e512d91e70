package replica

import "time"

// atom writes Atom 1.0 (RFC 4287). Pages are linked by rel=next (RFC 5005).
func (v view) atom(m *markup, list []Entry, next string) {
	m.open("feed", "xmlns", atomSpace, "xml:lang", "it")
	m.leaf("title", v.paper.title())
	m.leaf("id", "tag:"+v.paper.slug+".example,2026:feed")
	m.leaf("updated", v.modified().Format(time.RFC3339))
	m.empty("link", "rel", "self", "href", v.url(1))
	m.empty("link", "rel", "alternate", "type", "text/html", "href", v.paper.site+"/")
	if next != "" {
		m.empty("link", "rel", "next", "href", next)
	}
	for _, e := range list {
		v.atomEntry(m, e)
	}
	m.close("feed")
}

func (v view) atomEntry(m *markup, e Entry) {
	m.open("entry")
	m.leaf("title", e.Title)
	m.leaf("id", e.ID)
	if e.Link != "" {
		m.empty("link", "rel", "alternate", "href", e.Link)
	}
	m.leaf("published", e.date(time.RFC3339))
	m.leaf("updated", e.date(time.RFC3339))
	m.open("author")
	m.leaf("name", e.Author)
	m.close("author")
	m.empty("category", "term", e.Category)
	m.leaf("content", e.Summary, "type", "html")
	m.close("entry")
}

// atom3 writes Atom 0.3, which never became a standard and is still met.
func (v view) atom3(m *markup, list []Entry) {
	m.open("feed", "version", "0.3", "xmlns", atom3Space, "xml:lang", "it")
	m.leaf("title", v.paper.title())
	m.empty("link", "rel", "alternate", "type", "text/html", "href", v.paper.site+"/")
	m.leaf("modified", v.modified().Format(time.RFC3339))
	for _, e := range list {
		m.open("entry")
		m.leaf("title", e.Title)
		if e.Link != "" {
			m.empty("link", "rel", "alternate", "type", "text/html", "href", e.Link)
		}
		m.leaf("id", e.ID)
		m.leaf("issued", e.date(time.RFC3339))
		m.leaf("modified", e.date(time.RFC3339))
		m.leaf("summary", e.Summary, "type", "text/html", "mode", "escaped")
		m.close("entry")
	}
	m.close("feed")
}
