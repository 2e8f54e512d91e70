package feed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vendemmia/vendemmia/harvest"
)

// maxReject bounds the bytes kept of a record that could not be read.
const maxReject = 64 << 10

// adapter turns records into documents.
type adapter struct {
	params Params
	// base is the address the document came from.
	base *url.URL
}

// documents adapts all records. Two with one id are one document: the later
// wins, in its place.
func (a adapter) documents(doc document) (docs []harvest.Document, rejects []harvest.Reject, warnings []string) {
	places, twice := map[string]int{}, 0
	for _, r := range doc.records {
		d, err := a.document(r, doc.channel)
		if err != nil {
			rejects = append(rejects, reject(r, err))
			continue
		}
		if i, ok := places[d.ID]; ok {
			docs[i].ID, twice = "", twice+1
		}
		places[d.ID] = len(docs)
		docs = append(docs, d)
	}
	if twice > 0 {
		docs, warnings = named(docs), []string{fmt.Sprintf("ids listed twice: %d; of each the later entry is kept", twice)}
	}
	return append(docs, a.tombstones(doc.channel, places)...), rejects, warnings
}

// tombstones are the entries that the feed takes back and does not list.
func (a adapter) tombstones(c channel, listed map[string]int) []harvest.Document {
	var docs []harvest.Document
	for _, ref := range slices.Sorted(maps.Keys(c.Deleted)) {
		id := a.params.IDPrefix + ref
		if _, ok := listed[id]; ok {
			continue
		}
		at, _ := time.Parse(time.RFC3339, c.Deleted[ref]) // without a readable date it is gone all the same
		docs = append(docs, harvest.Document{ID: id, Kind: "entry", Deleted: true, Published: at.UTC()})
	}
	return docs
}

func named(docs []harvest.Document) []harvest.Document {
	kept := docs[:0]
	for _, d := range docs {
		if d.ID != "" {
			kept = append(kept, d)
		}
	}
	return kept
}

func reject(r record, err error) harvest.Reject {
	out := harvest.Reject{Reason: err.Error(), Bytes: r.raw[:min(len(r.raw), maxReject)]}
	if r.item != nil {
		out.ID = firstOf(line(r.item.GUID), line(r.item.Link))
	}
	return out
}

// document adapts one record. The feed's own title, language and authors are
// beside the entry's data but not in its hash: they change for all entries at
// once and mean nothing.
func (a adapter) document(r record, c channel) (harvest.Document, error) {
	if r.err != nil {
		return harvest.Document{}, r.err
	}
	d := harvest.Document{Kind: "entry", Title: heading(r.item.Title), Fields: map[string]any{}}
	d.URL = a.absolute(r.link())
	if d.ID = r.id(d.URL); d.ID == "" {
		return d, errors.New("it has neither id nor link nor title")
	}
	d.ID = a.params.IDPrefix + d.ID
	if err := a.dates(&d, r); err != nil {
		return d, err
	}
	a.body(&d, r)
	a.fields(d.Fields, r)
	d.Hash = d.Sum()
	ofFeed(d.Fields, c)
	return d, nil
}

func ofFeed(fields map[string]any, c channel) {
	put(fields, "feed_title", c.Title)
	if fields["language"] == nil {
		put(fields, "language", c.Language)
	}
	if _, ok := fields["authors"]; !ok && len(c.Authors) > 0 {
		fields["authors"] = texts(c.Authors)
	}
}

// id is the source's own, else the link, else made of title and date.
func (r record) id(link string) string {
	if id := firstOf(line(r.item.GUID), link); id != "" {
		return id
	}
	title := heading(r.item.Title)
	if title == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(title + "\n" + line(firstOf(r.item.Published, r.item.Updated))))
	return "sha256:" + hex.EncodeToString(sum[:16])
}

// link is where the entry is to be read. A guid is one unless it says no.
func (r record) link() string {
	link := line(r.item.Link)
	switch {
	case link != "":
	case r.rss != nil && r.rss.GUID != nil && !strings.EqualFold(r.rss.GUID.IsPermalink, "false") && isHTTP(r.rss.GUID.Value):
		link = line(r.rss.GUID.Value)
	case r.rss != nil:
		link = atomLink(r)
	case r.json != nil:
		link = line(r.json.ExternalURL)
	case r.atom != nil && isHTTP(r.atom.ID):
		link = line(r.atom.ID)
	}
	return link
}

// atomLink finds an Atom link within an RSS item.
func atomLink(r record) string {
	for _, l := range r.rss.Extensions["atom"]["link"] {
		if rel := l.Attrs["rel"]; rel == "" || rel == "alternate" {
			return line(l.Attrs["href"])
		}
	}
	return ""
}

func isHTTP(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

func (a adapter) absolute(link string) string {
	u, err := url.Parse(link)
	if link == "" || err != nil || u.IsAbs() || a.base == nil {
		return link
	}
	return a.base.ResolveReference(u).String()
}

// dates sets when the entry was published and updated. A date that is there and
// cannot be read is an error, or kept as it is when the params say so.
func (a adapter) dates(d *harvest.Document, r record) error {
	published, updated := line(r.item.Published), line(r.item.Updated)
	at, ok := moment(r.item.PublishedParsed, published)
	if !ok && published != "" {
		if a.params.BadDates != "keep" {
			return fmt.Errorf("date %q", clip(published, 100))
		}
		d.Fields["published_raw"] = published
	}
	d.Published = at
	if updated == "" || updated == published {
		return nil
	}
	if at, ok := moment(r.item.UpdatedParsed, updated); ok {
		updated = at.Format(time.RFC3339)
	}
	d.Fields["updated"] = updated
	return nil
}

// moment prefers what gofeed parsed. Years nobody means (0000, 0001: templates
// without a value) are no dates.
func moment(parsed *time.Time, text string) (time.Time, bool) {
	if text == "" {
		return time.Time{}, true
	}
	if parsed != nil {
		return parsed.UTC(), parsed.Year() > 1 && parsed.Year() < 10000
	}
	return parseDate(text)
}

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

func put(m map[string]any, key, value string) {
	if value != "" {
		m[key] = value
	}
}

func putList(m map[string]any, key string, values []string) {
	if list := texts(values); len(list) > 0 {
		m[key] = list
	}
}

// texts cleans values and leaves out what is empty or said before.
func texts(values []string) []any {
	var list []any
	seen := map[string]bool{}
	for _, v := range values {
		if v = line(v); v != "" && !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

var inline = regexp.MustCompile(`(?i)</?(?:a|abbr|b|big|br|cite|code|em|font|i|img|p|q|s|small|span|strong|sub|sup|u|wbr)(?:\s[^<>]*)?/?>`)

// heading is a title for people: on one line, without the markup that titles
// hold though most formats do not let them.
func heading(s string) string {
	if !strings.ContainsAny(s, "<&") {
		return line(s)
	}
	return line(html.UnescapeString(inline.ReplaceAllStringFunc(s, func(tag string) string {
		if strings.HasPrefix(strings.ToLower(tag), "<br") {
			return " "
		}
		return ""
	})))
}

// line is text on one line: white space folded, control characters gone.
func line(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// clean makes s valid UTF-8 without the characters that entities of a source
// can smuggle past XML.
func clean(s string) string {
	if utf8.ValidString(s) && !suspect(s) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if !legal(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
