package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/internal/paramspec"
)

// Field says where a value stands and what it is. In a campaign file it is a map,
// or, short, the selector alone.
type Field struct {
	CSS      string   `json:"css" doc:"selector; empty is the row or the page itself"`
	Attr     string   `json:"attr" doc:"the attribute that holds the value, not the text"`
	As       string   `json:"as" doc:"what it is" enum:"text,html,number,date,url,none" default:"text"`
	All      bool     `json:"all" doc:"a list of all matches, not the first one"`
	Required bool     `json:"required" doc:"a record without it is set aside"`
	Default  string   `json:"default" doc:"the value where there is none"`
	Match    string   `json:"match" doc:"regular expression; its first group, or all of it, is the value"`
	Layouts  []string `json:"layouts" doc:"how dates are written, as the second of January 2006, 15:04:05"`
	Zone     string   `json:"zone" doc:"time zone of dates without one" default:"UTC"`
	Decimal  string   `json:"decimal" doc:"what stands before decimals" enum:"point,comma" default:"point"`
}

// UnmarshalJSON takes a map or the selector alone.
func (f *Field) UnmarshalJSON(raw []byte) error {
	*f = Field{}
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte(`"`)) {
		return json.Unmarshal(raw, &f.CSS)
	}
	type plain Field // without this method
	for _, p := range paramspec.Check(raw, plain{}) {
		return errors.New("fields: " + p.Field + " " + p.Text)
	}
	return json.Unmarshal(raw, (*plain)(f))
}

// The fields that become the document's own.
const (
	fieldID        = "id"
	fieldTitle     = "title"
	fieldPublished = "published"
	fieldURL       = "url"
	fieldBody      = "body"
)

// The kinds of value.
const (
	asText   = "text"
	asHTML   = "html"
	asNumber = "number"
	asDate   = "date"
	asURL    = "url"
	asNone   = "none"
)

// selector is one compiled selector; the zero one matches nothing.
type selector struct {
	name, css string
	match     cascadia.SelectorGroup
}

func (s selector) isZero() bool { return s.css == "" }

// all returns the matches below n in the order of the document.
func (s selector) all(n *html.Node) []*html.Node {
	if s.match == nil {
		return nil
	}
	return cascadia.QueryAll(n, s.match)
}

// first returns the first match below n, or nil.
func (s selector) first(n *html.Node) *html.Node {
	if s.match == nil {
		return nil
	}
	return cascadia.Query(n, s.match)
}

func compileSelector(name, css string) (selector, error) {
	if css == "" {
		return selector{}, nil
	}
	m, err := cascadia.ParseGroup(css)
	if err != nil {
		return selector{}, fmt.Errorf("%s: %q is not a selector: %w", name, css, err)
	}
	return selector{name: name, css: css, match: m}, nil
}

// field is a compiled Field.
type field struct {
	Field
	name  string
	sel   selector
	match *regexp.Regexp
	zone  *time.Location
	// unasked fields come with every document: that one is not there is no sign
	// of a change. others are elements looked for where there is no first.
	unasked bool
	others  []string
}

// maxMatch bounds a user's regular expression.
const maxMatch = 1000

// compileFields sorts by name and adds what every document has: title, body and,
// of a row, its address.
func compileFields(fields map[string]Field, perRow bool) ([]field, error) {
	usual := map[string][]string{fieldTitle: {"h1", "title"}, fieldBody: {"article", "main", "body"}}
	if perRow {
		usual = map[string][]string{fieldBody: {""}, fieldURL: {"a[href]"}}
	}
	names := map[string]bool{}
	for name := range fields {
		names[name] = true
	}
	for name := range usual {
		names[name] = true
	}
	var out []field
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(names)) {
		said, ok := fields[name]
		if !ok {
			said.CSS = usual[name][0]
		}
		f, err := said.compile(name)
		f.unasked = !ok
		if !ok {
			f.others = usual[name][1:]
		}
		errs = append(errs, err)
		out = append(out, f)
	}
	return out, errors.Join(errs...)
}

func (f Field) compile(name string) (field, error) {
	out := field{Field: f, name: name, zone: time.UTC}
	if out.As == "" {
		out.As = usual(name)
	}
	var errs []error
	var err error
	if out.sel, err = compileSelector("fields."+name, f.CSS); err != nil {
		errs = append(errs, err)
	}
	if f.Match != "" {
		if out.match, err = regexp.Compile(f.Match); err != nil || len(f.Match) > maxMatch {
			errs = append(errs, fmt.Errorf("fields.%s: match %q is not a regular expression of at most %d characters", name, f.Match, maxMatch))
		}
	}
	if f.Zone != "" {
		if out.zone, err = time.LoadLocation(f.Zone); err != nil {
			errs = append(errs, fmt.Errorf("fields.%s: zone %q is not known; one such as Europe/Rome", name, f.Zone))
		}
	}
	return out, errors.Join(append(errs, out.checkOwn())...)
}

func usual(name string) string {
	switch name {
	case fieldPublished:
		return asDate
	case fieldURL:
		return asURL
	case fieldBody:
		return asHTML
	}
	return asText
}

// checkOwn keeps the document's own fields to what they can be.
func (f field) checkOwn() error {
	switch f.name {
	case fieldID, fieldTitle, fieldURL, fieldPublished:
		if f.All || f.As == asHTML || f.As == asNone || f.name == fieldPublished && f.As != asDate || f.name == fieldURL && f.As != asURL {
			return fmt.Errorf("fields.%s: one value, as %s", f.name, usual(f.name))
		}
	case fieldBody:
		if f.All || f.As != asHTML && f.As != asText && f.As != asNone {
			return errors.New("fields.body: one value, as html, text or none")
		}
	default:
		if f.As == asNone {
			return fmt.Errorf("fields.%s: as none is for body alone", f.name)
		}
	}
	return nil
}
