package web

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/wording"
)

// record is a document on its way, with what was wrong with it.
type record struct {
	doc harvest.Document
	// lacks are reasons to set it aside.
	lacks []string
	// odd are values that could not be read, and were kept as text.
	odd []string
	// hits says of each field of the plan whether it was there; content whether
	// any that was asked for was.
	hits    []bool
	content bool
}

// The kinds of document.
const (
	kindPage = "page"
	kindRow  = "row"
	kindFile = "file"
)

// extract reads the fields below root. at is the page's own address; a row's
// comes from its fields.
func (p *plan) extract(root *html.Node, base *url.URL, at link) record {
	r := record{hits: make([]bool, len(p.fields)), doc: harvest.Document{Kind: kindPage, URL: at.address}}
	if p.perRow {
		r.doc.Kind, r.doc.URL = kindRow, ""
	}
	for i := range p.fields {
		f := &p.fields[i]
		if f.As == asNone {
			continue
		}
		values, bad := f.values(root, base)
		r.unreadable(f, bad, len(values) == 0)
		if len(values) == 0 && len(bad) > 0 {
			continue
		}
		if r.hits[i] = len(values) > 0; !r.hits[i] {
			if f.Required {
				r.lacks = append(r.lacks, fmt.Sprintf("fields.%s: %q matches nothing", f.name, f.CSS))
			}
			continue
		}
		r.content = r.content || !f.unasked
		r.put(f, values)
	}
	p.identify(&r, at)
	return r
}

// unreadable tells of values that are not what they should be, and keeps their text;
// alone says that there is no other.
func (r *record) unreadable(f *field, bad []badValue, alone bool) {
	var raw []string
	for i, b := range bad {
		text := fmt.Sprintf("fields.%s: %v", f.name, b.err)
		switch {
		case f.Required && alone:
			r.lacks = append(r.lacks, text)
			return
		case i < maxOdd:
			r.odd = append(r.odd, text)
		}
		raw = append(raw, wording.Clip(b.raw, 1000))
	}
	if len(raw) > 0 {
		r.set(f.name+"_raw", wording.Clip(strings.Join(raw, "\n"), maxRaw))
	}
}

// maxRaw bounds the text that is kept of a field's unreadable values.
const maxRaw = 4000

func (r *record) set(name string, v any) {
	if r.doc.Fields == nil {
		r.doc.Fields = map[string]any{}
	}
	r.doc.Fields[name] = v
}

func (r *record) put(f *field, values []any) {
	switch f.name {
	case fieldID:
		r.doc.ID = fmt.Sprint(plain(values[0]))
	case fieldTitle:
		r.doc.Title = fmt.Sprint(plain(values[0]))
	case fieldPublished:
		r.doc.Published, _ = values[0].(time.Time) // compile lets no other type through
	case fieldURL:
		r.doc.URL = fmt.Sprint(values[0])
	case fieldBody:
		r.doc.Body, r.doc.MediaType = []byte(fmt.Sprint(values[0])), "text/html"
		if f.As == asText {
			r.doc.MediaType = "text/plain"
		}
	default:
		for i := range values {
			values[i] = plain(values[i])
		}
		if f.All {
			r.set(f.name, values)
		} else {
			r.set(f.name, values[0])
		}
	}
}

// plain is a value as JSON has it.
func plain(v any) any {
	if t, ok := v.(time.Time); ok {
		return t.Format(time.RFC3339)
	}
	return v
}

// identify gives the document its id: the field's, else its address; that of a
// page is the one it was listed by, whatever it says itself.
func (p *plan) identify(r *record, at link) {
	if r.doc.ID == "" {
		r.doc.ID = at.key
	}
	if r.doc.ID == "" {
		r.doc.ID = p.rowID(r.doc.URL)
	}
	if r.doc.ID == "" {
		r.lacks = append(r.lacks, "it has neither an id nor a link")
		return
	}
	r.doc.ID = p.IDPrefix + r.doc.ID
}

// rowID is the address of a row without what never names another page.
func (p *plan) rowID(address string) string {
	u, err := resolve(nil, address)
	if err != nil || address == "" {
		return ""
	}
	return canonical(p.home(u.String()))
}

// names reports a field that the user named.
func (p *plan) names(name string) bool {
	return slices.ContainsFunc(p.fields, func(f field) bool { return f.name == name && !f.unasked })
}

// demanding reports a plan whose fields tell a page from another one.
func (p *plan) demanding() bool {
	for i := range p.fields {
		if !p.fields[i].unasked && p.fields[i].As != asNone {
			return true
		}
	}
	return false
}

// requires reports a plan with fields that every page must have.
func (p *plan) requires() bool {
	return slices.ContainsFunc(p.fields, func(f field) bool { return f.Required })
}

// file is the document of an answer that is not a page.
func (p *plan) file(a *fetched, at link) harvest.Document {
	return harvest.Document{ID: p.IDPrefix + at.key, URL: at.address, Kind: kindFile, MediaType: a.mediaType(), Body: a.Body}
}
