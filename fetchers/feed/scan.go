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
	// records are complete: one that has no end is left out.
	records [][]byte
	// cut is true when the root element has no end, over when there are more
	// records than are read.
	cut, over bool
	// scope is that of the records.
	scope scope
}

// scan finds the root element and cuts the document; false: it is not a feed, and
// root names what it is instead ("" where there is no element at all).
func scan(text []byte) (*outline, bool) {
	name, start, end := findRoot(text)
	o := &outline{rootName: name, format: formatOf(name)}
	if o.format == "" {
		return o, false
	}
	o.root = text[start:end]
	o.scope = o.rootScope()
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

// rootScope is what names mean by the declarations of the root. Its own prefix is
// the feed's whatever it is declared as, but that of RDF.
func (o *outline) rootScope() scope {
	s := scope{prefixes: map[string]string{}}
	if o.format == formatAtom {
		s.own = nameAtom
	}
	_, attrs, _, _ := startTag(o.root)
	s = s.within(attrs, true)
	if p := prefix(o.rootName); p != "" && o.format != formatRDF {
		s.prefixes[p] = s.own
	}
	return s
}

// isRecord reports a tag that begins or ends a record. In a foreign namespace it
// is somebody's extension.
func (o *outline) isRecord(tag string) bool {
	if o.format == formatAtom {
		return strings.EqualFold(local(tag), "entry") && o.scope.key(tag) == "atom:entry"
	}
	return strings.EqualFold(local(tag), "item") && o.scope.key(tag) == "item"
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
		case len(o.records) == maxRecords:
			o.over = true
			return
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
			_, attrs, _, _ := startTag(o.channel)
			o.scope = o.scope.within(attrs, true)
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
	if open < 0 {
		o.head = append(o.head, b[kept:]...)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
