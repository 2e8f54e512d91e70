package web

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/vendemmia/vendemmia/internal/wording"
)

// maxValue bounds a field; a body has no bound of its own.
const maxValue = 1 << 20

// badValue is a text that is not what it should be.
type badValue struct {
	raw string
	err error
}

// values reads a field below root. Nothing there is none; what cannot be read as
// what it should be is bad, and costs no other value of a list.
func (f *field) values(root *html.Node, base *url.URL) (out []any, bad []badValue) {
	for _, n := range f.nodes(root) {
		raw, ok := f.capture(f.raw(n))
		if !ok || raw == "" || f.As == asURL && f.leadsNowhere(raw) {
			continue
		}
		v, err := f.convert(raw, base)
		if err != nil {
			bad = append(bad, badValue{raw, err})
		} else {
			out = append(out, v)
		}
		if !f.All {
			break
		}
	}
	if len(out)+len(bad) == 0 && f.Default != "" {
		v, err := f.convert(f.Default, base)
		if err != nil {
			return nil, []badValue{{f.Default, err}}
		}
		out = append(out, v)
	}
	return out, bad
}

func (f *field) nodes(root *html.Node) []*html.Node {
	switch {
	case f.sel.isZero():
		return []*html.Node{root}
	case f.All || f.match != nil || f.As == asURL:
		return f.sel.all(root)
	}
	if n := f.sel.first(root); n != nil {
		return []*html.Node{n}
	}
	for _, name := range f.others {
		if n := firstElement(root, atom.Lookup([]byte(name))); n != nil {
			return []*html.Node{n}
		}
	}
	return nil
}

func firstElement(n *html.Node, a atom.Atom) *html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.DataAtom == a {
			return c
		}
		if found := firstElement(c, a); found != nil {
			return found
		}
	}
	return nil
}

// raw is the text of a match, before it is read as anything.
func (f *field) raw(n *html.Node) string {
	if f.Attr != "" {
		return strings.Clone(strings.TrimSpace(clean(attr(n, f.Attr))))
	}
	if f.As == asHTML {
		return outer(n)
	}
	if said := spoken(n, f.As); said != "" {
		return line(said)
	}
	if f.As == asURL {
		return f.addressText(n)
	}
	return textOf(n, f.name == fieldBody)
}

// spoken is the attribute that holds the value of an element where its text
// does not.
func spoken(n *html.Node, as string) string {
	switch {
	case n.DataAtom == atom.Meta:
		return attr(n, "content")
	case n.DataAtom == atom.Input:
		return attr(n, "value")
	case n.DataAtom == atom.Time && as == asDate:
		return attr(n, "datetime")
	case as == asURL:
		for _, name := range []string{"href", "src", "data-src", "action"} {
			if v := attr(n, name); v != "" {
				return v
			}
		}
	}
	return ""
}

// addressText is the text of an element where that may be an address: the text of a
// link is none.
func (f *field) addressText(n *html.Node) string {
	switch n.DataAtom {
	case atom.A, atom.Img, atom.Link, atom.Area, atom.Script, atom.Iframe, atom.Form, atom.Source, atom.Video, atom.Audio:
		return ""
	}
	return textOf(n, false)
}

// leadsNowhere reports links that are for scripts, or, of a row, lead to the list
// that it stands on.
func (f *field) leadsNowhere(raw string) bool {
	raw = strings.ToLower(strings.TrimSpace(raw))
	return strings.HasPrefix(raw, "javascript:") || f.name == fieldURL && (raw == "" || raw[0] == '#' || strings.HasPrefix(raw, "mailto:") || strings.HasPrefix(raw, "tel:"))
}

// outer writes n as HTML.
func outer(n *html.Node) string {
	var b bytes.Buffer
	if n.Type == html.DocumentNode || html.Render(&b, n) != nil {
		b.Reset()
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			html.Render(&b, c) // a tree that was parsed; a buffer takes everything
		}
	}
	return clean(b.String())
}

func (f *field) capture(raw string) (string, bool) {
	if f.match == nil {
		return raw, true
	}
	m := f.match.FindStringSubmatch(raw)
	switch {
	case m == nil:
		return "", false
	case len(m) > 1:
		return strings.TrimSpace(m[1]), true
	}
	return strings.TrimSpace(m[0]), true
}

func (f *field) convert(raw string, base *url.URL) (any, error) {
	switch f.As {
	case asNumber:
		return f.number(raw)
	case asDate:
		t, err := f.date(raw)
		if err != nil {
			return nil, err
		}
		return t, nil
	case asURL:
		u, err := absolute(base, raw)
		if err != nil {
			return nil, fmt.Errorf("%q is not an address", wording.Clip(raw, 80))
		}
		dropSession(u)
		return u.String(), nil
	}
	if f.name != fieldBody {
		return wording.Clip(raw, maxValue), nil
	}
	return raw, nil
}

// number reads digits as people write them: thousands apart, a unit around. Where
// a separator stands as it cannot, the number is another one than it seems.
func (f *field) number(raw string) (any, error) {
	decimal, thousands := '.', ','
	if f.Decimal == "comma" {
		decimal, thousands = ',', '.'
	}
	var b strings.Builder
	for i, r := range raw {
		rest := raw[i+len(string(r)):]
		switch {
		case r >= '0' && r <= '9':
			b.WriteRune(r)
		case strings.Trim(b.String(), "-") == "":
			if (r == '-' || r == '\u2212') && b.Len() == 0 && digitsAt(rest) > 0 {
				b.WriteByte('-')
			}
		case r == decimal && digitsAt(rest) > 0 && !strings.Contains(b.String(), "."):
			b.WriteByte('.')
		case apart(r, thousands) && !strings.Contains(b.String(), ".") && groups(r, rest):
		case (r == decimal || r == thousands) && digitsAt(rest) > 0:
			return nil, fmt.Errorf("%q is not a number with a decimal %s", wording.Clip(raw, 80), cmp.Or(f.Decimal, "point"))
		default:
			return finish(b.String(), raw)
		}
	}
	return finish(b.String(), raw)
}

// apart reports what people put between thousands.
func apart(r, thousands rune) bool {
	return r == thousands || strings.ContainsRune("' \u2019\u00a0\u202f", r)
}

// groups: three digits follow, or two and the separator again, as in India.
func groups(r rune, rest string) bool {
	n := digitsAt(rest)
	return n == 3 || n == 2 && strings.HasPrefix(rest[2:], string(r))
}

func digitsAt(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }

func finish(digits, raw string) (any, error) {
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n > -(1<<53) && n < 1<<53 {
		return n, nil
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, fmt.Errorf("%q is not a number", wording.Clip(raw, 80))
	}
	return x, nil
}
