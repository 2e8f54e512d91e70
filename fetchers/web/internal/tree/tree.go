// Package tree makes of a well-behaved page the very tree golang.org/x/net/html
// makes, several times faster; it says when a page is not of that kind.
//
// What it knows is the part of the parsing rules (HTML standard, section 13.2.6)
// in which nothing has to be put right: elements that close in the order in which
// they were opened, with the end tags one may leave out. Where a page leaves that
// part, Parse gives up, and the general parser has to do it. A differential fuzz
// test holds the two together.
package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	maxDepth   = 400 // below where the general parser refuses
	chunkNodes = 256
	chunkAttrs = 256
	whitespace = " \t\r\n\f"
)

// Arena holds the nodes of one tree, and is used for one after the other. It
// must not be used by two goroutines at once; the zero Arena is ready.
type Arena struct {
	nodes [][]html.Node
	attrs [][]html.Attribute
	// node and attr are the next free ones: chunk and place.
	nodeChunk, node int
	attrChunk, attr int
	scratch         []html.Attribute
	stack           []*html.Node
}

// Reset gives all nodes back: nothing of a tree may be used after it.
func (a *Arena) Reset() {
	for i := 0; i <= a.nodeChunk && i < len(a.nodes); i++ {
		clear(a.nodes[i])
	}
	for i := 0; i <= a.attrChunk && i < len(a.attrs); i++ {
		clear(a.attrs[i])
	}
	clear(a.scratch[:cap(a.scratch)])
	clear(a.stack[:cap(a.stack)])
	a.nodeChunk, a.node, a.attrChunk, a.attr = 0, 0, 0, 0
}

func (a *Arena) newNode() *html.Node {
	if a.nodeChunk < len(a.nodes) && a.node == chunkNodes {
		a.nodeChunk, a.node = a.nodeChunk+1, 0
	}
	if a.nodeChunk == len(a.nodes) {
		a.nodes = append(a.nodes, make([]html.Node, chunkNodes))
	}
	n := &a.nodes[a.nodeChunk][a.node]
	a.node++
	return n
}

// keep copies attributes out of the scratch.
func (a *Arena) keep(list []html.Attribute) []html.Attribute {
	switch {
	case len(list) == 0:
		return nil
	case len(list) > chunkAttrs:
		return append([]html.Attribute(nil), list...)
	}
	if a.attrChunk < len(a.attrs) && a.attr+len(list) > chunkAttrs {
		a.attrChunk, a.attr = a.attrChunk+1, 0
	}
	if a.attrChunk == len(a.attrs) {
		a.attrs = append(a.attrs, make([]html.Attribute, chunkAttrs))
	}
	out := a.attrs[a.attrChunk][a.attr : a.attr+len(list) : a.attr+len(list)]
	copy(out, list)
	a.attr += len(list)
	return out
}

// Parse returns the document node of text, which must be valid UTF-8. It is false
// when the page is not well-behaved: the arena must then be Reset. The strings of
// the tree are parts of text.
func (a *Arena) Parse(text string) (*html.Node, bool) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, false
	}
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	}
	p := parser{arena: a, text: text, doc: a.newNode(), stack: a.stack[:0]}
	p.doc.Type = html.DocumentNode
	ok := p.head() && p.body()
	a.stack = p.stack
	return p.doc, ok
}

// parser is one page under way. Its methods return false to give up.
type parser struct {
	arena *Arena
	text  string
	at    int
	doc   *html.Node
	stack []*html.Node
	// how many of these are open
	ps, as, buttons, forms, selects, svgs int
	tag                                   tag
}

// tag is the start tag that was read last.
type tag struct {
	name    string
	atom    atom.Atom
	attrs   []html.Attribute
	closing bool // it ends in "/>"
}

func (p *parser) top() *html.Node { return p.stack[len(p.stack)-1] }

func link(parent, n *html.Node) {
	n.Parent, n.PrevSibling = parent, parent.LastChild
	if parent.LastChild != nil {
		parent.LastChild.NextSibling = n
	} else {
		parent.FirstChild = n
	}
	parent.LastChild = n
}

// add appends an element made of the tag, without opening it.
func (p *parser) add() *html.Node {
	n := p.arena.newNode()
	n.Type, n.Data, n.DataAtom, n.Attr = html.ElementNode, p.tag.name, p.tag.atom, p.arena.keep(p.tag.attrs)
	parent := p.doc
	if len(p.stack) > 0 {
		parent = p.top()
	}
	link(parent, n)
	return n
}

func (p *parser) open() bool {
	p.stack = append(p.stack, p.add())
	return len(p.stack) < maxDepth
}

// imply opens an element that has no tag of its own.
func (p *parser) imply(a atom.Atom) {
	kept := p.tag
	p.tag = tag{name: a.String(), atom: a}
	p.open()
	p.tag = kept
}

func (p *parser) pop() {
	switch p.top().DataAtom {
	case atom.P:
		p.ps--
	case atom.A:
		p.as--
	case atom.Button:
		p.buttons--
	case atom.Form:
		p.forms--
	case atom.Select:
		p.selects--
	case atom.Svg:
		p.svgs--
	}
	p.stack = p.stack[:len(p.stack)-1]
}

func (p *parser) addText(parent *html.Node, s string) {
	if s == "" {
		return
	}
	if last := parent.LastChild; last != nil && last.Type == html.TextNode {
		last.Data += s
		return
	}
	n := p.arena.newNode()
	n.Type, n.Data = html.TextNode, s
	link(parent, n)
}

// blank reads white space, and reports whether a tag follows or the end.
func (p *parser) blank() string {
	from := p.at
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
	return p.text[from:p.at]
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

const doctype = "<!doctype html>"

// head reads up to the start tag of body, which must all be there.
func (p *parser) head() bool {
	p.blank()
	if len(p.text)-p.at < len(doctype) || !strings.EqualFold(p.text[p.at:p.at+len(doctype)], doctype) {
		return false
	}
	p.at += len(doctype)
	n := p.arena.newNode()
	n.Type, n.Data = html.DoctypeNode, "html"
	link(p.doc, n)
	for _, want := range []atom.Atom{atom.Html, atom.Head} {
		p.blank()
		if !p.startTag() || p.tag.atom != want || !p.open() {
			return false
		}
	}
	for len(p.stack) == 2 {
		p.addText(p.top(), p.blank())
		if !p.inHead() {
			return false
		}
	}
	p.addText(p.top(), p.blank())
	return p.startTag() && p.tag.atom == atom.Body && p.open()
}

func (p *parser) inHead() bool {
	switch {
	case strings.HasPrefix(p.text[p.at:], "<!--"):
		return p.comment(p.top())
	case strings.HasPrefix(p.text[p.at:], "</"):
		name, ok := p.endTag()
		p.stack = p.stack[:1]
		return ok && name == "head"
	}
	if !p.startTag() {
		return false
	}
	switch p.tag.atom {
	case atom.Meta, atom.Link, atom.Base:
		p.add()
		return true
	case atom.Title, atom.Script, atom.Style, atom.Noscript:
		return p.raw()
	}
	return false
}

// body reads to the end.
func (p *parser) body() bool {
	for p.at < len(p.text) {
		i := strings.IndexByte(p.text[p.at:], '<')
		if i < 0 {
			i = len(p.text) - p.at
		}
		if i > 0 {
			if !p.chars(p.text[p.at : p.at+i]) {
				return false
			}
			p.at += i
			continue
		}
		if done, ok := p.markup(); done || !ok {
			return ok
		}
	}
	return true
}

func (p *parser) markup() (done, ok bool) {
	if p.at+1 == len(p.text) {
		return false, false
	}
	switch c := p.text[p.at+1]; {
	case c == '/':
		name, ok := p.endTag()
		if ok && name == "body" && p.bodyInScope() {
			return true, p.after()
		}
		return false, ok && p.end(name)
	case c == '!':
		return false, p.comment(p.top())
	case isLetter(c):
		return false, p.startTag() && p.start()
	}
	return false, false
}

// bodyInScope reports that the end of the body is heard where it stands.
func (p *parser) bodyInScope() bool {
	for _, n := range p.stack[2:] {
		switch n.DataAtom {
		case atom.Table, atom.Td, atom.Th, atom.Select, atom.Svg:
			return false
		}
	}
	return true
}

// after reads what may stand behind the body; white space there belongs to the
// element that is still open.
func (p *parser) after() bool {
	comments := p.stack[0]
	for {
		p.chars(p.blank())
		switch rest := p.text[p.at:]; {
		case rest == "":
			return true
		case strings.HasPrefix(rest, "<!--"):
			if !p.comment(comments) {
				return false
			}
		default:
			name, ok := "", strings.HasPrefix(rest, "</")
			if ok {
				name, ok = p.endTag()
			}
			if !ok || name != "html" || comments == p.doc {
				return false
			}
			comments = p.doc
		}
	}
}

func (p *parser) chars(s string) bool {
	top := p.top()
	switch top.DataAtom {
	case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr:
		if strings.Trim(s, whitespace) != "" {
			return false
		}
	case atom.Pre:
		if s = unescapeText(s); top.FirstChild == nil {
			s = firstLine(s)
		}
		p.addText(top, s)
		return true
	}
	p.addText(top, unescapeText(s))
	return true
}

// firstLine drops the line break that may follow the tag.
func firstLine(s string) string { return strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n") }
