package feed

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// body sets body and media type: the content, else the description.
func (a adapter) body(d *harvest.Document, n entry) {
	full := a.params.Body != "summary" && a.params.Body != "none"
	text, summary := n.content, clean(n.summary.text)
	if !full || text.empty() {
		text = n.summary
	} else if summary != clean(text.text) {
		put(d.Fields, "summary", summary)
	}
	if text.text == "" && len(text.data) == 0 || a.params.Body == "none" {
		return
	}
	d.Body, d.MediaType = text.data, text.kind
	if len(text.data) == 0 {
		d.Body, d.MediaType = []byte(clean(text.text)), text.mediaType()
	}
}

// mediaType follows what the format says of a text (RFC 4287, section 4.1.3.1;
// JSON Feed 1.1); RSS says nothing.
func (c content) mediaType() string {
	switch kind := strings.ToLower(line(c.kind)); {
	case kind == "html", kind == "xhtml", strings.HasPrefix(kind, textHTML), kind == "application/xhtml+xml":
		return textHTML
	case strings.Contains(kind, "/"):
		return kind
	case kind == "text":
		return textPlain
	}
	return guess(c.text)
}

const (
	textHTML  = "text/html"
	textPlain = "text/plain"
)

var tagOrEntity = regexp.MustCompile(`</?[a-zA-Z][^<>]*>|&(?:#\d+|#x[0-9a-fA-F]+|[a-zA-Z]\w*);`)

func guess(text string) string {
	if strings.ContainsAny(text, "<&") && tagOrEntity.MatchString(text) {
		return textHTML
	}
	return textPlain
}

// fields sets what else an entry tells.
func (a adapter) fields(f map[string]any, n entry) {
	putList(f, "authors", n.authors)
	putList(f, "categories", n.categories)
	if list := a.attached(n); len(list) > 0 {
		f["enclosures"] = list
	}
	put(f, "image", resolve(a.base, n.bases, line(n.image)))
	for name, value := range n.more {
		put(f, name, clean(value))
	}
}

func (a adapter) attached(n entry) []any {
	var list []any
	for _, e := range n.enclosures {
		m := map[string]any{}
		put(m, "url", resolve(a.base, n.bases, line(e.url)))
		put(m, "type", line(e.kind))
		if n, err := strconv.ParseInt(line(e.length), 10, 64); err == nil && n > 0 {
			m["length"] = n
		}
		if m["url"] != nil {
			list = append(list, m)
		}
	}
	return list
}
