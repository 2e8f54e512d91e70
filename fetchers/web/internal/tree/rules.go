package tree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// start puts the tag where it belongs, by the rules "in body", "in table" and "in
// foreign content" as far as nothing has to be put right.
func (p *parser) start() bool {
	if p.svgs > 0 {
		return p.inSVG()
	}
	if p.selects > 0 {
		return p.inSelect()
	}
	switch p.top().DataAtom {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
		return p.inTable()
	}
	switch p.tag.atom {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Main, atom.Menu, atom.Nav, atom.Ol,
		atom.Search, atom.Section, atom.Summary, atom.Ul, atom.Pre:
		return p.closeP() && p.open()
	case atom.P:
		if !p.closeP() {
			return false
		}
		p.ps++
		return p.open()
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return p.closeP() && !isHeading(p.top()) && p.open()
	case atom.Li:
		return p.closeItem(atom.Li, atom.Li) && p.closeP() && p.open()
	case atom.Dd, atom.Dt:
		return p.closeItem(atom.Dd, atom.Dt) && p.closeP() && p.open()
	case atom.A, atom.Button, atom.Form, atom.Select, atom.Svg:
		return p.only()
	case atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		p.sortAttributes()
		return p.open()
	case atom.Area, atom.Br, atom.Embed, atom.Img, atom.Wbr, atom.Input, atom.Source, atom.Track, atom.Param, atom.Meta, atom.Link:
		p.add()
		return true
	case atom.Hr:
		ok := p.closeP()
		p.add()
		return ok
	case atom.Textarea, atom.Script, atom.Style, atom.Noscript, atom.Iframe:
		return p.raw()
	case atom.Table:
		return p.closeP() && p.open()
	case atom.Td, atom.Th, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot:
		return p.nextCell()
	}
	return !unusual(p.tag.atom) && p.open()
}

// unusual elements have rules of their own that are not here.
func unusual(a atom.Atom) bool {
	switch a {
	case atom.Html, atom.Head, atom.Body, atom.Title, atom.Base, atom.Basefont, atom.Bgsound, atom.Template, atom.Frame, atom.Frameset, atom.Noframes,
		atom.Noembed, atom.Plaintext, atom.Xmp, atom.Listing, atom.Image, atom.Math, atom.Nobr, atom.Applet, atom.Marquee, atom.Object, atom.Keygen,
		atom.Rb, atom.Rt, atom.Rp, atom.Rtc, atom.Option, atom.Optgroup, atom.Caption, atom.Col, atom.Colgroup, atom.Isindex, atom.Menuitem, atom.Command:
		return true
	}
	return false
}

func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// only opens what may not stand inside of its own kind.
func (p *parser) only() bool {
	count := &p.as
	switch p.tag.atom {
	case atom.Button:
		count = &p.buttons
	case atom.Form:
		count = &p.forms
	case atom.Select:
		count = &p.selects
	case atom.Svg:
		return p.svg()
	}
	if *count > 0 || p.tag.atom == atom.Form && !p.closeP() {
		return false
	}
	if *count++; p.tag.atom == atom.A {
		p.sortAttributes()
	}
	return p.open()
}

// sortAttributes: the general parser leaves those of formatting elements sorted.
func (p *parser) sortAttributes() {
	if len(p.tag.attrs) > 1 {
		slices.SortFunc(p.tag.attrs, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) })
	}
}

// closeP closes a paragraph that is open: one that is the current element, not
// one that something else is open in.
func (p *parser) closeP() bool {
	if p.ps == 0 {
		return true
	}
	for i := len(p.stack) - 1; i > 0; i-- {
		switch p.stack[i].DataAtom {
		case atom.P:
			if i < len(p.stack)-1 {
				return false
			}
			p.pop()
			return true
		case atom.Td, atom.Th, atom.Table, atom.Button:
			return true
		}
	}
	return true
}

// closeItem closes the list item before this one.
func (p *parser) closeItem(one, other atom.Atom) bool {
	for i := len(p.stack) - 1; i > 0; i-- {
		switch a := p.stack[i].DataAtom; a {
		case one, other:
			if i < len(p.stack)-1 {
				return false
			}
			p.pop()
			return true
		case atom.Ul, atom.Ol, atom.Menu, atom.Dl, atom.Td, atom.Th, atom.Body, atom.Nav, atom.Section, atom.Article:
			return true
		case atom.Address, atom.Div, atom.P:
		default:
			return false
		}
	}
	return true
}

// implied reports elements whose end tags may be left out.
func implied(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Li, atom.P, atom.Dd, atom.Dt, atom.Option, atom.Optgroup:
		return n.Namespace == ""
	}
	return false
}

// end closes the current element, and those before it that need no end tag.
func (p *parser) end(name string) bool {
	i := len(p.stack) - 1
	if p.stack[i].Data != name {
		if !p.closesOthers(name) {
			return false
		}
		for i > 1 && p.stack[i].Data != name && (implied(p.stack[i]) || p.row(i, name)) {
			i--
		}
	}
	if i < 2 || p.stack[i].Data != name {
		return false
	}
	for len(p.stack) > i {
		p.pop()
	}
	return true
}

// row: the end of a table is the end of its rows and cells too.
func (p *parser) row(i int, name string) bool {
	switch p.stack[i].DataAtom {
	case atom.Td, atom.Th:
		return name == "tr" || name == "tbody" || name == "thead" || name == "tfoot" || name == "table"
	case atom.Tr:
		return name == "tbody" || name == "thead" || name == "tfoot" || name == "table"
	case atom.Tbody, atom.Thead, atom.Tfoot:
		return name == "table"
	}
	return false
}

func (p *parser) closesOthers(name string) bool {
	switch atom.Lookup([]byte(name)) {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Section, atom.Summary,
		atom.Ul, atom.Form, atom.Select:
		return true
	case atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Table:
		return !implied(p.top())
	case atom.Li, atom.Td, atom.Th:
		return p.top().DataAtom == atom.P
	}
	return false
}

func (p *parser) inTable() bool {
	top := p.top().DataAtom
	switch p.tag.atom {
	case atom.Tbody, atom.Thead, atom.Tfoot:
		if top != atom.Table {
			if p.pop(); top == atom.Tr {
				return p.inTable()
			}
		}
		return p.open()
	case atom.Tr:
		switch top {
		case atom.Table:
			p.imply(atom.Tbody)
		case atom.Tr:
			p.pop()
		}
		return p.open()
	case atom.Td, atom.Th:
		return top == atom.Tr && p.open()
	}
	return false
}

// nextCell: a cell, row or group that begins ends the cell before it.
func (p *parser) nextCell() bool {
	if a := p.top().DataAtom; a != atom.Td && a != atom.Th || p.top().Namespace != "" {
		return false
	}
	p.pop()
	if a := p.top().DataAtom; a != atom.Tr {
		return false
	}
	return p.inTable()
}

func (p *parser) inSelect() bool {
	switch top := p.top().DataAtom; p.tag.atom {
	case atom.Option:
		if top == atom.Option {
			p.pop()
		}
		return p.open()
	case atom.Optgroup:
		if top == atom.Option {
			p.pop()
		}
		if p.top().DataAtom == atom.Optgroup {
			p.pop()
		}
		return p.open()
	}
	return false
}

func (p *parser) svg() bool {
	if !p.svgAttributes() {
		return false
	}
	if p.tag.closing {
		p.add().Namespace = "svg"
		return true
	}
	p.svgs++
	ok := p.open()
	p.top().Namespace = "svg"
	return ok
}

func (p *parser) inSVG() bool {
	switch p.tag.name {
	case "path", "g", "circle", "rect", "line", "polyline", "polygon", "ellipse", "use", "defs", "symbol", "stop", "mask":
	default:
		return false
	}
	if !p.svgAttributes() {
		return false
	}
	n := p.add()
	n.Namespace = "svg"
	if !p.tag.closing {
		p.stack = append(p.stack, n)
	}
	return len(p.stack) < maxDepth
}

// svgAttributes writes names as SVG does; those that are not known here may be of
// the many that change.
func (p *parser) svgAttributes() bool {
	for i := range p.tag.attrs {
		a := &p.tag.attrs[i]
		switch a.Key {
		case "viewbox":
			a.Key = "viewBox"
		case "preserveaspectratio":
			a.Key = "preserveAspectRatio"
		case "xlink:href":
			a.Namespace, a.Key = "xlink", "href"
		case "xmlns:xlink":
			a.Namespace, a.Key = "xmlns", "xlink"
		case "class", "id", "d", "fill", "stroke", "width", "height", "x", "y", "x1", "x2", "y1", "y2", "r", "cx", "cy", "rx", "ry", "points",
			"transform", "style", "xmlns", "role", "focusable", "opacity", "version", "href", "clip-rule", "offset", "stop-color", "tabindex", "name":
		default:
			if !strings.HasPrefix(a.Key, "aria-") && !strings.HasPrefix(a.Key, "data-") && !strings.HasPrefix(a.Key, "stroke-") && !strings.HasPrefix(a.Key, "fill-") {
				return false
			}
		}
	}
	return true
}
