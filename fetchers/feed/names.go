package feed

import (
	"bytes"
	"strings"
)

// Short names of namespaces, which keys of elements begin with: "dc:date". The
// feed's own in RSS has none.
const (
	nameAtom    = "atom"
	nameXHTML   = "xhtml"
	nameForeign = "?"
)

// shortName returns the short name of a namespace. Addresses are compared as
// people write them: without scheme, case and what ends them.
func shortName(address string) string {
	address = strings.ToLower(strings.TrimRight(strings.TrimSpace(address), "/#?"))
	address = strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "http://")
	address = strings.TrimPrefix(address, "www.")
	if short, ok := namespaces[address]; ok {
		return short
	}
	for _, family := range []struct{ begin, short string }{
		{"prismstandard.org/namespaces", "prism"},
		{"purl.org/prism", "prism"},
		{"backend.userland.com", ""},
		{"blogs.law.harvard.edu/tech/rss", ""},
		{"cyber.law.harvard.edu/rss", ""},
		{"rssboard.org/rss", ""},
		{"purl.org/dc/terms", "dcterms"},
		{"purl.org/dc/elements", "dc"},
		{"search.yahoo.com/mrss", "media"},
	} {
		if strings.HasPrefix(address, family.begin) {
			return family.short
		}
	}
	return nameForeign
}

var namespaces = map[string]string{
	"purl.org/rss/1.0": "", "purl.org/net/rss1.1": "", "my.netscape.com/rdf/simple/0.9": "", "channel.netscape.com/rdf/simple/0.9": "", "": "",
	"w3.org/1999/02/22-rdf-syntax-ns": "rdf", "w3.org/2005/atom": nameAtom, "purl.org/atom/ns": nameAtom, "w3.org/1999/xhtml": nameXHTML,
	"purl.org/rss/1.0/modules/content": "content", "search.yahoo.com/rss": "media", "tools.search.yahoo.com/mrss": "media",
	"video.search.yahoo.com/mrss": "media", "itunes.com/dtds/podcast-1.0.dtd": "itunes", "example.com/dtds/podcast-1.0.dtd": "itunes",
	"purl.oclc.org/net/rss_2.0/enc": "enc", "purl.org/net/rss_2.0/enc": "enc", "purl.org/atompub/tombstones/1.0": "at", "w3.org/xml/1998/namespace": "xml",
}

// customary are the prefixes that feeds use without saying what they stand for.
var customary = map[string]string{
	"rss": "", "rdf": "rdf", "atom": nameAtom, "atom10": nameAtom, "atom03": nameAtom, "a10": nameAtom, "dc": "dc", "dcterms": "dcterms", "dct": "dcterms",
	"content": "content", "media": "media", "itunes": "itunes", "prism": "prism", "xhtml": nameXHTML, "enc": "enc", "at": "at", "xml": "xml",
}

// scope is what elements mean at one place of a document. It is a value: with
// makes that of an element inside.
type scope struct {
	// own is the short name of the feed's own namespace.
	own string
	// prefixes are short names of what was declared, "" the default.
	prefixes map[string]string
	// bases are the values of xml:base from outside in.
	bases []string
	lang  string
}

// within returns the scope inside of an element with these attributes. At the
// root, a default namespace is the feed's own whatever it is called.
func (s scope) within(attrs []byte, root bool) scope {
	if !bytes.Contains(attrs, []byte("xml")) {
		return s
	}
	prefixes := map[string]string{}
	for p, short := range s.prefixes {
		prefixes[p] = short
	}
	attributes(attrs, func(name string, value []byte) bool {
		before, after, colon := strings.Cut(name, ":")
		switch {
		case name == "xmlns" && !root:
			prefixes[""] = s.declared("", value)
		case before == "xmlns" && colon && len(prefixes) < maxPrefixes:
			prefixes[after] = s.declared(after, value)
		case name == "xml:base" && len(s.bases) < maxBases:
			s.bases = append(s.bases[:len(s.bases):len(s.bases)], line(unescape(string(value))))
		case name == "xml:lang":
			s.lang = line(unescape(string(value)))
		}
		return true
	})
	s.prefixes = prefixes
	return s
}

// declared is the short name of what a prefix is declared as. A usual prefix means
// what it usually does where the address is mistyped.
func (s scope) declared(prefix string, value []byte) string {
	if prefix == "" && len(value) == 0 {
		return s.own
	}
	short := shortName(unescape(string(value)))
	if known, ok := customary[strings.ToLower(prefix)]; ok && short == nameForeign {
		return known
	}
	return short
}

const (
	maxPrefixes = 200
	maxBases    = 10
)

// key is the name of an element whose attributes may say what its prefix means:
// lower case, with the short name of its namespace before a colon unless it is
// that of RSS.
func (s scope) key(tag string) string {
	before, name, colon := strings.Cut(tag, ":")
	if !colon {
		before, name = "", tag
	}
	short, declared := s.prefixes[before]
	switch {
	case !colon && !declared:
		short = s.own
	case !declared:
		if short, declared = customary[strings.ToLower(before)]; !declared {
			short = nameForeign
		}
	}
	if short == "" {
		return strings.ToLower(name)
	}
	return short + ":" + strings.ToLower(name)
}
