package replica

import "time"

const (
	dublinCore = "http://purl.org/dc/elements/1.1/"
	rdfSpace   = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	rss1Space  = "http://purl.org/rss/1.0/"
	atomSpace  = "http://www.w3.org/2005/Atom"
	atom3Space = "http://purl.org/atom/ns#"
)

// rdf writes RSS 1.0: the items stand beside the channel, which lists them.
func (v view) rdf(m *markup, list []Entry) {
	m.open("rdf:RDF", "xmlns:rdf", rdfSpace, "xmlns", rss1Space, "xmlns:dc", dublinCore)
	m.open("channel", "rdf:about", v.url(1))
	m.leaf("title", v.paper.title())
	m.leaf("link", v.paper.site+"/")
	m.leaf("description", "Tutte le notizie di "+v.paper.section.name)
	m.open("items")
	m.open("rdf:Seq")
	for _, e := range list {
		m.empty("rdf:li", "rdf:resource", e.Link)
	}
	m.close("rdf:Seq")
	m.close("items")
	m.close("channel")
	for _, e := range list {
		v.rdfItem(m, e)
	}
	m.close("rdf:RDF")
}

func (v view) rdfItem(m *markup, e Entry) {
	m.open("item", "rdf:about", e.Link)
	m.leaf("title", e.Title)
	m.leaf("link", e.Link)
	m.leaf("description", e.Summary)
	m.leaf("dc:creator", e.Author)
	m.leaf("dc:subject", e.Category)
	m.leaf("dc:date", e.date(time.RFC3339))
	m.close("item")
}
