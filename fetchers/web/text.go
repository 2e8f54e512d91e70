package web

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// textOf is what a reader sees of n: white space folded, no scripts and styles.
// With lines, each block stands on a line of its own.
func textOf(n *html.Node, lines bool) string {
	w := writer{lines: lines}
	w.node(n)
	return clean(w.b.String())
}

type writer struct {
	b     strings.Builder
	lines bool
	// gap is what separates the next word: 0 nothing, 1 a blank, 2 a new line.
	gap int
}

func (w *writer) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		w.text(n.Data)
	case n.Type == html.ElementNode && hidden(n.DataAtom):
	default:
		block := n.Type == html.ElementNode && breaks(n.DataAtom)
		if block {
			w.gap = 2
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			w.node(c)
		}
		if block {
			w.gap = 2
		}
	}
}

func (w *writer) text(s string) {
	for s != "" {
		i := 0
		for i < len(s) {
			r, n := rune(s[i]), 1
			if r >= utf8.RuneSelf {
				r, n = utf8.DecodeRuneInString(s[i:])
			}
			if unicode.IsSpace(r) {
				break
			}
			i += n
		}
		if i > 0 {
			w.word(s[:i])
			s = s[i:]
			continue
		}
		_, n := utf8.DecodeRuneInString(s)
		w.gap, s = max(w.gap, 1), s[n:]
	}
}

func (w *writer) word(s string) {
	if w.b.Len() > 0 && w.gap > 0 {
		if w.gap == 2 && w.lines {
			w.b.WriteByte('\n')
		} else {
			w.b.WriteByte(' ')
		}
	}
	w.b.WriteString(s)
	w.gap = 0
}

// hidden elements have no text for people.
func hidden(a atom.Atom) bool {
	switch a {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Iframe, atom.Noframes, atom.Noembed:
		return true
	}
	return false
}

// breaks reports elements that stand on a line of their own.
func breaks(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Br, atom.Caption, atom.Dd, atom.Details, atom.Dialog,
		atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2,
		atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Li, atom.Main, atom.Nav, atom.Ol, atom.Option, atom.P,
		atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// line is text on one line, in memory of its own: what is kept of a page does not
// keep the page.
func line(s string) string { return strings.Clone(strings.Join(strings.Fields(clean(s)), " ")) }

// clean makes s valid UTF-8 without control characters.
func clean(s string) string {
	plain := utf8.ValidString(s)
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] >= 0x20 || s[i] == '\n' || s[i] == '\t'
	}
	if plain {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

func attr(n *html.Node, name string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return n.Attr[i].Val
		}
	}
	return ""
}
