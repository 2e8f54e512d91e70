package feed

import (
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/vendemmia/vendemmia/harvest"
)

// body sets body and media type: the content, else the description.
func (a adapter) body(d *harvest.Document, r record) {
	content, summary := clean(r.item.Content), clean(r.item.Description)
	full := a.params.Body != "summary" && a.params.Body != "none"
	text, kind := content, r.contentType(content)
	if !full || strings.TrimSpace(content) == "" {
		text, kind = summary, r.summaryType(summary)
	} else if summary != content {
		put(d.Fields, "summary", summary)
	}
	if text == "" || a.params.Body == "none" {
		return
	}
	d.Body, d.MediaType = []byte(text), kind
}

// contentType follows what the format says of the content (RFC 4287, section
// 4.1.3.1; JSON Feed 1.1); RSS says nothing.
func (r record) contentType(text string) string {
	switch {
	case r.json != nil && r.json.ContentHTML != "":
		return textHTML
	case r.json != nil:
		return textPlain
	case r.atom != nil && r.atom.Content != nil:
		switch t := strings.ToLower(line(r.atom.Content.Type)); {
		case t == "html", t == "xhtml", strings.HasPrefix(t, "text/html"), t == "application/xhtml+xml":
			return textHTML
		case strings.Contains(t, "/"):
			return t
		case t == "text":
			return textPlain
		}
	}
	return guess(text)
}

func (r record) summaryType(text string) string {
	if r.json != nil {
		return textPlain
	}
	return guess(text)
}

const (
	textHTML  = "text/html"
	textPlain = "text/plain"
)

var markup = regexp.MustCompile(`</?[a-zA-Z][^<>]*>|&(?:#\d+|#x[0-9a-fA-F]+|[a-zA-Z]\w*);`)

func guess(text string) string {
	if strings.ContainsAny(text, "<&") && markup.MatchString(text) {
		return textHTML
	}
	return textPlain
}

// fields sets what else an entry tells.
func (a adapter) fields(f map[string]any, r record) {
	var authors []string
	for _, p := range r.item.Authors {
		authors = append(authors, firstOf(line(p.Name), line(p.Email)))
	}
	if list := texts(authors); len(list) > 0 {
		f["authors"] = list
	} else if r.rss != nil { // a form of words gofeed does not take apart
		putList(f, "authors", []string{r.rss.Author})
	}
	putList(f, "categories", r.item.Categories)
	if list := a.enclosures(r); len(list) > 0 {
		f["enclosures"] = list
	}
	put(f, "image", a.absolute(r.image()))
	maps.Copy(f, r.particular())
}

func (r record) image() string {
	if r.item.Image != nil {
		return line(r.item.Image.URL)
	}
	for _, e := range r.item.Extensions["media"]["thumbnail"] {
		return line(e.Attrs["url"])
	}
	return ""
}

// particular holds what only one of the formats has.
func (r record) particular() map[string]any {
	f := map[string]any{}
	switch {
	case r.rss != nil:
		put(f, "comments", line(r.rss.Comments))
		if r.rss.Source != nil {
			put(f, "source_title", line(r.rss.Source.Title))
			put(f, "source_url", line(r.rss.Source.URL))
		}
		put(f, "duration", line(extension(r.rss.Extensions, "itunes", "duration")))
	case r.atom != nil:
		put(f, "rights", line(r.atom.Rights))
		if r.atom.Source != nil {
			put(f, "source_title", line(r.atom.Source.Title))
		}
		if r.atom.Content != nil {
			put(f, "content_url", line(r.atom.Content.Src))
		}
	case r.json != nil:
		put(f, "external_url", line(r.json.ExternalURL))
		put(f, "language", line(r.json.Language))
	}
	return f
}

func (a adapter) enclosures(r record) []any {
	var list []any
	for _, e := range r.item.Enclosures {
		m := map[string]any{}
		put(m, "url", a.absolute(line(e.URL)))
		put(m, "type", line(e.Type))
		if n, err := strconv.ParseInt(line(e.Length), 10, 64); err == nil && n > 0 {
			m["length"] = n
		}
		if m["url"] != nil {
			list = append(list, m)
		}
	}
	return list
}
