package feed

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/mmcdole/gofeed"
	"github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"
	gojson "github.com/mmcdole/gofeed/json"
	"github.com/mmcdole/gofeed/rss"
)

type format string

const (
	formatRSS  format = "RSS"
	formatRDF  format = "RDF"
	formatAtom format = "Atom"
	formatJSON format = "JSON Feed"
)

// channel is what a feed says about itself; none of it belongs to an entry.
type channel struct {
	Format   format
	Version  string
	Title    string
	Language string
	Authors  []string
	// Next is the address of the page with older entries, as it stands.
	Next string
	// Deleted are ids of entries that were taken back (RFC 6721), with when.
	Deleted map[string]string
}

// record is one entry as the source wrote it: gofeed's common form, and what
// that form does not carry. err says why it could not be read.
type record struct {
	raw  []byte
	item *gofeed.Item
	rss  *rss.Item
	atom *atom.Entry
	json *gojson.Item
	err  error
}

// document is one feed document. cut is true when its end is missing.
type document struct {
	channel
	records []record
	cut     bool
}

// errNotAFeed says that the text is something else; element is its root.
type errNotAFeed struct{ element string }

func (e *errNotAFeed) Error() string {
	if e.element == "" {
		return "neither XML nor JSON"
	}
	return "<" + e.element + "> is not the root element of a feed"
}

// parse reads repaired text. It keeps at most limit records (0: all). An error
// means that this is no feed at all; records that cannot be read carry theirs.
func parse(text []byte, limit int) (document, error) {
	if bytes.HasPrefix(text, []byte("{")) {
		return parseJSON(text, limit)
	}
	o, ok := scan(text)
	if !ok {
		return document{}, &errNotAFeed{element: o.rootName}
	}
	doc := document{channel: o.parseHead(), cut: o.cut}
	records := o.records
	if limit > 0 && len(records) > limit {
		records = records[:limit]
	}
	for _, raw := range records {
		doc.records = append(doc.records, o.parseRecord(raw))
	}
	return doc, nil
}

func (o *outline) parseRecord(raw []byte) record {
	r := record{raw: raw}
	if o.format == formatAtom {
		feed, err := (&atom.Parser{}).Parse(bytes.NewReader(o.alone(raw)))
		if r.err = one(err, feed != nil && len(feed.Entries) == 1); r.err == nil {
			r.atom = feed.Entries[0]
			r.item = translate(&gofeed.DefaultAtomTranslator{}, feed)
		}
		return r
	}
	feed, err := (&rss.Parser{}).Parse(bytes.NewReader(o.alone(closeVoid(raw))))
	if r.err = one(err, feed != nil && len(feed.Items) == 1); r.err == nil {
		r.rss = feed.Items[0]
		r.item = translate(&gofeed.DefaultRSSTranslator{DisableContentImageScan: true}, feed)
	}
	return r
}

func one(err error, single bool) error {
	if err != nil {
		return fmt.Errorf("XML: %w", err)
	}
	if !single {
		return errors.New("XML: the record has no element of its own")
	}
	return nil
}

// translate brings a feed of one record into gofeed's common form.
func translate(t gofeed.Translator, feed any) *gofeed.Item {
	common, err := t.Translate(feed)
	if err != nil || len(common.Items) != 1 {
		return &gofeed.Item{}
	}
	return common.Items[0]
}

var voidTag = regexp.MustCompile(`<(br|hr|img|wbr)(\s(?:[^<>]*[^<>/])?)?>`)

// closeVoid closes the HTML tags that have no end, outside of CDATA: the parser
// would take all that follows for their content.
func closeVoid(raw []byte) []byte {
	if !hasVoid(raw) {
		return raw
	}
	var out []byte
	for len(raw) > 0 {
		i := bytes.Index(raw, []byte("<![CDATA["))
		if i < 0 {
			i = len(raw)
		}
		out = append(out, voidTag.ReplaceAll(raw[:i], []byte("<$1$2/>"))...)
		end := i + aside(raw[i:])
		out, raw = append(out, raw[i:end]...), raw[end:]
	}
	return out
}

func hasVoid(raw []byte) bool {
	for _, tag := range []string{"<br", "<hr", "<img", "<wbr"} {
		if bytes.Contains(raw, []byte(tag)) {
			return true
		}
	}
	return false
}

// parseHead reads what the feed says about itself. It is not worth an error:
// what cannot be read is left out.
func (o *outline) parseHead() channel {
	c := channel{Format: o.format}
	head := o.head
	if o.cut {
		head = append(head[:len(head):len(head)], o.ends()...)
	}
	if o.format == formatAtom {
		if feed, err := (&atom.Parser{}).Parse(bytes.NewReader(head)); err == nil {
			c.ofAtom(feed)
		}
		return c
	}
	if feed, err := (&rss.Parser{}).Parse(bytes.NewReader(head)); err == nil {
		c.ofRSS(feed)
	}
	return c
}

// ends are the end tags that a cut document lacks.
func (o *outline) ends() string {
	end := "</" + o.rootName + ">"
	if o.channel != nil && !bytes.Contains(o.head, []byte("</"+o.channelName)) {
		return "</" + o.channelName + ">" + end
	}
	return end
}

func (c *channel) ofAtom(feed *atom.Feed) {
	c.Title, c.Language, c.Version = heading(feed.Title), feed.Language, feed.Version
	for _, a := range feed.Authors {
		c.Authors = append(c.Authors, firstOf(line(a.Name), a.Email))
	}
	links := map[string]string{}
	for _, l := range feed.Links {
		links[strings.ToLower(l.Rel)] = l.Href
	}
	c.Next = older(links)
	for _, d := range feed.Extensions["at"]["deleted-entry"] {
		if ref := line(d.Attrs["ref"]); ref != "" {
			c.Deleted = with(c.Deleted, ref, line(d.Attrs["when"]))
		}
	}
}

func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

func (c *channel) ofRSS(feed *rss.Feed) {
	c.Title, c.Language, c.Version = heading(feed.Title), feed.Language, feed.Version
	if dc := feed.DublinCoreExt; dc != nil {
		c.Title = firstOf(append([]string{c.Title}, dc.Title...)...)
		c.Language = firstOf(append([]string{c.Language}, dc.Language...)...)
	}
	links := map[string]string{}
	for _, l := range feed.Extensions["atom"]["link"] {
		links[strings.ToLower(l.Attrs["rel"])] = l.Attrs["href"]
	}
	c.Next = older(links)
}

// older picks the page that follows: RFC 5005, sections 3 (paged feeds) and 4
// (archived feeds).
func older(links map[string]string) string { return firstOf(links["next"], links["prev-archive"]) }

// extension returns the value of the first element of that name.
func extension(e ext.Extensions, prefix, name string) string {
	if values := e[prefix][name]; len(values) > 0 {
		return values[0].Value
	}
	return ""
}
