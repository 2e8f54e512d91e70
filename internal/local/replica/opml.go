package replica

import "net/http"

// serveOPML lists all feeds, grouped by town, as readers export them.
func (f *Feeds) serveOPML(w http.ResponseWriter, r *http.Request) {
	var m markup
	m.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	m.open("opml", "version", "2.0")
	m.open("head")
	m.leaf("title", "Le cronache")
	m.close("head")
	m.open("body")
	group := ""
	for _, name := range f.Names() {
		v := f.at(name)
		if town := v.paper.town.name; town != group {
			if group != "" {
				m.close("outline")
			}
			m.open("outline", "text", town)
			group = town
		}
		m.empty("outline", "type", "rss", "text", v.paper.title(), "xmlUrl", v.url(1), "htmlUrl", v.paper.site+"/")
	}
	if group != "" {
		m.close("outline")
	}
	m.close("body")
	m.close("opml")
	a := newAnswer(http.StatusOK, "text/x-opml; charset=utf-8", m.Bytes())
	a.compress(r)
	a.send(w)
}
