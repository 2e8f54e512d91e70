package replica

import "time"

const rssTime = "Mon, 02 Jan 2006 15:04:05 -0700"

// rss writes RSS 0.91, 0.92 and 2.0. The first two know neither guid nor the
// date of an item.
func (v view) rss(m *markup, list []Entry) {
	version := map[Format]string{RSS091: "0.91", RSS092: "0.92", RSS2: "2.0"}[v.shape.Format]
	m.open("rss", "version", version, "xmlns:dc", dublinCore, "xmlns:atom", atomSpace)
	m.open("channel")
	m.leaf("title", v.paper.title())
	m.leaf("link", v.paper.site+"/")
	m.leaf("description", "Tutte le notizie di "+v.paper.section.name)
	m.leaf("language", "it-IT")
	if v.shape.Format == RSS2 {
		m.leaf("lastBuildDate", v.modified().Format(rssTime))
		m.leaf("ttl", "60")
		m.empty("atom:link", "rel", "self", "href", v.url(1), "type", "application/rss+xml")
	}
	for _, e := range list {
		v.rssItem(m, e)
	}
	m.close("channel")
	m.close("rss")
}

func (v view) rssItem(m *markup, e Entry) {
	m.open("item")
	m.leaf("title", e.Title)
	m.leaf("link", e.Link)
	m.cdata("description", e.Summary)
	if v.shape.Format != RSS091 {
		m.leaf("category", e.Category)
	}
	if v.shape.Format == RSS2 {
		m.leaf("guid", e.ID, "isPermaLink", "false")
		m.leaf("dc:creator", e.Author)
		m.leaf("pubDate", e.date(rssTime))
	} else {
		m.leaf("pubDate", e.BadDate)
	}
	m.close("item")
}

// date writes the entry's date, right or wrong.
func (e Entry) date(layout string) string {
	if e.BadDate != "" {
		return e.BadDate
	}
	if e.Published.IsZero() {
		return ""
	}
	return e.Published.In(time.FixedZone("CEST", 2*60*60)).Format(layout)
}
