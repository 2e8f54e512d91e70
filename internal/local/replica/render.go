package replica

// render writes one page of the feed as it goes over the wire, before
// compression, and its Content-Type. Page counts from 1.
func (v view) render(page int) (body []byte, contentType string) {
	list, next := v.page(v.entries(), page)
	if v.shape.Format == JSON1 {
		return v.json(list, next), "application/feed+json"
	}
	declared, header := v.shape.Charset.says()
	var m markup
	m.WriteString(`<?xml version="1.0" encoding="` + declared + `"?>` + "\n")
	v.write(&m, list, next)
	contentType = map[Format]string{
		RSS1: "application/rdf+xml", Atom03: "application/atom+xml", Atom1: "application/atom+xml", RSS2: "application/rss+xml",
	}[v.shape.Format]
	if contentType == "" {
		contentType = "text/xml"
	}
	if header != "" {
		contentType += "; charset=" + header
	}
	return v.shape.Charset.encode(m.Bytes()), contentType
}

func (v view) write(m *markup, list []Entry, next string) {
	switch v.shape.Format {
	case RSS1:
		v.rdf(m, list)
	case Atom03:
		v.atom3(m, list)
	case Atom1:
		v.atom(m, list, next)
	default:
		v.rss(m, list)
	}
}

// page cuts the list where the format knows pages, and names the next one.
func (v view) page(list []Entry, page int) ([]Entry, string) {
	size := v.shape.Page
	if size <= 0 || v.shape.Format != JSON1 && v.shape.Format != Atom1 {
		return list, ""
	}
	from := min((page-1)*size, len(list))
	to := min(from+size, len(list))
	if to == len(list) {
		return list[from:], ""
	}
	return list[from:to], v.url(page + 1)
}
