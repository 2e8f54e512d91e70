package feed

import (
	"bytes"
	"strings"
)

// outline is a feed in XML cut into its records, so that one that cannot be
// read, or the missing end of the document, costs only itself.
type outline struct {
	format format
	// root and channel are start tags as they stand, name their raw names.
	root, channel         []byte
	rootName, channelName string
	// head is what stands outside of the records, root tag included.
	head []byte
	// records are complete; rest is one that has no end.
	records [][]byte
	rest    []byte
	// cut is true when the root element has no end.
	cut bool
}

// scan finds the root element and cuts the document; false: it is no feed, and
// root names what it is instead ("" where there is no element at all).
func scan(text []byte) (*outline, bool) {
	name, start, end := findRoot(text)
	o := &outline{rootName: name, format: formatOf(name)}
	if o.format == "" {
		return o, false
	}
	o.root = text[start:end]
	if bytes.HasSuffix(o.root, []byte("/>")) {
		return o, true
	}
	o.cutRecords(text[start:], end-start)
	return o, true
}

func formatOf(root string) format {
	switch strings.ToLower(local(root)) {
	case "rss":
		return formatRSS
	case "rdf":
		return formatRDF
	case "feed":
		return formatAtom
	}
	return ""
}

// findRoot returns the first element, or, behind the noise of a broken server,
// the first one that is a feed's.
func findRoot(text []byte) (name string, start, end int) {
	for i := 0; i < len(text); {
		j := bytes.IndexByte(text[i:], '<')
		if j < 0 {
			break
		}
		i += j
		if skip := aside(text[i:]); skip > 0 {
			i += skip
			continue
		}
		tag := tagName(text[i+1:])
		if formatOf(tag) != "" {
			return tag, i, i + tagLength(text[i:])
		}
		if tag != "" && name == "" {
			name = tag
		}
		if i++; strings.EqualFold(name, "html") || i > maxJunk && name != "" {
			break
		}
	}
	return name, 0, 0
}

// aside returns the length of a comment, CDATA section, instruction or
// declaration at the start of b, 0 if there is none; one without end goes on to
// the end of b.
func aside(b []byte) int {
	for _, a := range asides() {
		if bytes.HasPrefix(b, []byte(a.start)) {
			return through(b, a.end)
		}
	}
	if bytes.HasPrefix(b, []byte("<!")) {
		return doctype(b)
	}
	return 0
}

type pair struct{ start, end string }

func asides() [3]pair {
	return [3]pair{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}
}

// skipper passes over asides. One without end is no aside, and is not looked
// for again: a document of nothing else would cost the square of its length.
type skipper struct{ endless [3]bool }

func (s *skipper) skip(b []byte) int {
	for i, a := range asides() {
		if s.endless[i] || !bytes.HasPrefix(b, []byte(a.start)) {
			continue
		}
		end := bytes.Index(b, []byte(a.end))
		if s.endless[i] = end < 0; end >= 0 {
			return end + len(a.end)
		}
	}
	return 0
}

func through(b []byte, end string) int {
	i := bytes.Index(b, []byte(end))
	if i < 0 {
		return len(b)
	}
	return i + len(end)
}

// doctype skips an internal subset too: <!DOCTYPE a [ <!ENTITY b "c"> ]>.
func doctype(b []byte) int {
	end := through(b, ">")
	open := bytes.IndexByte(b[:end], '[')
	if open < 0 {
		return end
	}
	subset := through(b[open:], "]")
	return open + subset + through(b[open+subset:], ">")
}

func tagName(b []byte) string {
	n := 0
	for n < len(b) && n < 64 && (b[n] >= 'a' && b[n] <= 'z' || b[n] >= 'A' && b[n] <= 'Z' || b[n] >= '0' && b[n] <= '9' ||
		b[n] == ':' || b[n] == '_' || b[n] == '-' || b[n] == '.' || b[n] >= 0x80) {
		n++
	}
	return string(b[:n])
}

// tagLength returns the length of the start tag b begins with. A quote that has
// no end within reason is none.
func tagLength(b []byte) int {
	quote := byte(0)
	for i := 1; i < min(len(b), maxTag); i++ {
		switch c := b[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && c == '>':
			return i + 1
		}
	}
	return through(b[:min(len(b), maxTag)], ">")
}

const maxTag = 16 << 10

func local(name string) string {
	if _, after, ok := strings.Cut(name, ":"); ok {
		return after
	}
	return name
}

func prefix(name string) string {
	before, _, ok := strings.Cut(name, ":")
	if !ok {
		return ""
	}
	return before
}

// isRecord reports a tag that begins or ends a record. A foreign prefix makes
// it somebody's extension.
func (o *outline) isRecord(tag string) bool {
	want := "item"
	if o.format == formatAtom {
		want = "entry"
	}
	p := prefix(tag)
	return strings.EqualFold(local(tag), want) && (p == "" || p == prefix(o.rootName) || strings.EqualFold(p, "rss"))
}

// cutRecords walks over b, which begins with the root tag that ends at from.
func (o *outline) cutRecords(b []byte, from int) {
	open, kept := -1, 0 // where a record began, and where the head goes on
	var pass skipper
	for i := from; i < len(b); {
		j := bytes.IndexByte(b[i:], '<')
		if j < 0 {
			break
		}
		i += j
		if skip := pass.skip(b[i:]); skip > 0 {
			i += skip
			continue
		}
		closing := i+1 < len(b) && b[i+1] == '/'
		tag := tagName(b[min(len(b), i+1+btoi(closing)):])
		switch {
		case o.isRecord(tag) && closing && open >= 0:
			i += tagLength(b[i:])
			o.records, open, kept = append(o.records, b[open:i]), -1, i
		case o.isRecord(tag) && !closing:
			if open >= 0 { // the one before has no end of its own
				o.records = append(o.records, b[open:i])
			} else {
				o.head = append(o.head, b[kept:i]...)
			}
			open = i
			if n := tagLength(b[i:]); n > 1 && b[i+n-2] == '/' {
				o.records, open, kept = append(o.records, b[i:i+n]), -1, i+n
			}
			i++
		case open < 0 && closing && strings.EqualFold(tag, o.rootName):
			o.head = append(o.head, b[kept:i+tagLength(b[i:])]...)
			return
		case open < 0 && !closing && o.channel == nil && strings.EqualFold(local(tag), "channel"):
			o.channel, o.channelName = b[i:i+tagLength(b[i:])], tag
			i++
		default:
			i++
		}
	}
	o.finish(b, open, kept)
}

// finish is for a document without end.
func (o *outline) finish(b []byte, open, kept int) {
	o.cut = true
	if open >= 0 {
		o.rest = b[open:]
		return
	}
	o.head = append(o.head, b[kept:]...)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// alone makes a document of one record.
func (o *outline) alone(record []byte) []byte {
	doc := make([]byte, 0, len(o.root)+len(o.channel)+len(record)+len(o.rootName)+len(o.channelName)+8)
	doc = append(append(append(doc, o.root...), o.channel...), record...)
	if o.channel != nil {
		doc = append(doc, "</"+o.channelName+">"...)
	}
	return append(doc, "</"+o.rootName+">"...)
}
