package feed

import (
	"bytes"
	"strings"
)

type format string

const (
	formatRSS  format = "RSS"
	formatRDF  format = "RDF"
	formatAtom format = "Atom"
	formatJSON format = "JSON Feed"
)

// maxRecords of one document are read: none that means well lists as many.
const maxRecords = 100_000

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

// record is one entry as the source wrote it, or err: why it cannot be read.
type record struct {
	raw   []byte
	entry entry
	err   error
}

// entry is what all formats say of one, in the words of the source. Lists of
// dates have the first choice first.
type entry struct {
	id, link, title     string
	content, summary    content
	published, updated  []string
	authors, categories []string
	enclosures          []enclosure
	image               string
	// bases are those of the record, for its addresses.
	bases []string
	// more are fields that only one of the formats has.
	more map[string]string
}

type enclosure struct{ url, kind, length string }

// document is one feed document. cut is true when its end is missing, over when
// it has more entries than are read.
type document struct {
	channel
	// records are as they stand; read reads one of them. One at a time costs no
	// memory for all.
	records   [][]byte
	read      func(raw []byte) record
	cut, over bool
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
// means that this is not a feed at all; records that cannot be read carry theirs.
func parse(text []byte, limit int) (document, error) {
	if bytes.HasPrefix(text, []byte("{")) {
		return parseJSON(text, limit)
	}
	o, ok := scan(text)
	if !ok {
		return document{}, &errNotAFeed{element: o.rootName}
	}
	doc := document{channel: o.parseHead(), records: o.records, read: o.parseRecord, cut: o.cut, over: o.over}
	if limit > 0 && len(doc.records) > limit {
		doc.records, doc.over = doc.records[:limit], false
	}
	return doc, nil
}

// parseRecord reads one record, which is cut out with its own tags.
func (o *outline) parseRecord(raw []byte) record {
	r := record{raw: raw}
	name, attrs, length, empty := startTag(raw)
	it := item{attrs: attrs, scope: o.scope.within(attrs, true)}
	if !empty {
		end := len(raw)
		if i := bytes.LastIndex(raw, []byte("</")); i >= length && isTag(raw[i+2:], name) {
			end = i
		}
		r.err = it.read(raw[length:end])
	}
	if r.err == nil {
		r.entry = it.entry()
	}
	return r
}

// parseHead reads what the feed says about itself. It is not worth an error:
// what cannot be read is left out.
func (o *outline) parseHead() channel {
	c := channel{Format: o.format}
	_, attrs, _, _ := startTag(o.root)
	root := element{attrs: attrs}
	c.Version = root.attr("version")
	head := item{scope: o.scope}
	_ = head.read(o.inHead()) // as far as it can be read
	c.Title = heading(head.text("title", "atom:title", "dc:title"))
	c.Language = firstOf(line(head.text("language", "dc:language")), o.scope.lang)
	c.Authors = head.persons("atom:author")
	c.ofLinks(head)
	if c.Version == "" && o.format == formatAtom {
		c.Version = "1.0"
	}
	return c
}

// inHead is what stands in the element that tells of the feed, records left out.
func (o *outline) inHead() []byte {
	head := o.head[min(len(o.root), len(o.head)):]
	if o.channel == nil {
		return head
	}
	if i := bytes.Index(head, o.channel); i >= 0 {
		head = head[i+len(o.channel):]
	}
	if o.format == formatRDF { // image and textinput stand behind it
		if i := bytes.Index(head, []byte("</"+o.channelName)); i >= 0 {
			head = head[:i]
		}
	}
	return head
}

func (c *channel) ofLinks(head item) {
	links := map[string]string{}
	for _, e := range head.elements {
		switch e.key {
		case "atom:link":
			if rel := strings.ToLower(e.attr("rel")); links[rel] == "" && (rel == relNext || rel == relArchive) {
				links[rel] = resolve(nil, e.scope.bases, e.attr("href"))
			}
		case "at:deleted-entry":
			if ref := e.attr("ref"); ref != "" && len(c.Deleted) < maxRecords {
				c.Deleted = with(c.Deleted, ref, e.attr("when"))
			}
		}
	}
	c.Next = older(links)
}

func with(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}

const (
	relNext    = "next"
	relArchive = "prev-archive"
)

// older picks the page that follows: RFC 5005, sections 3 (paged feeds) and 4
// (archived feeds).
func older(links map[string]string) string { return firstOf(links[relNext], links[relArchive]) }
