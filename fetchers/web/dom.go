package web

import (
	"net/url"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/vendemmia/vendemmia/fetchers/internal/markup"
	"github.com/vendemmia/vendemmia/fetchers/web/internal/tree"
	"github.com/vendemmia/vendemmia/harvest"
)

// dom is a page that was read.
type dom struct {
	fetched
	address string
	asked   *url.URL
	text    string
	root    *html.Node
	arena   *tree.Arena
	big     bool // its memory is not worth keeping
	// base is what links are relative to.
	base *url.URL
}

// parse reads an answer as HTML. What is not text is KindBroken, a challenge
// KindBlocked.
func (p *plan) parse(a fetched, address string) (*dom, error) {
	d := &dom{fetched: a, address: address, text: decode(a.Body, a.ContentType(), p.Encoding), base: a.Final}
	d.asked, _ = url.Parse(address)
	if !isText(d.text) {
		return nil, d.broken("the response is not text")
	}
	if err := d.grow(); err != nil {
		return nil, d.broken("it cannot be read as HTML: " + err.Error())
	}
	dropComments(d.root)
	if n := d.baseElement(); n != nil && a.Final != nil {
		if u, err := resolve(a.Final, attr(n, "href")); err == nil && u.Host != "" {
			d.base = u
		}
	}
	if d.walled() {
		d.free()
		return nil, d.blocked("a challenge page")
	}
	if d.ledToLogin() {
		d.free()
		return nil, d.blocked("a form to log in")
	}
	return d, nil
}

// arenas holds memory for parsing; each arena serves one page at a time.
var arenas = sync.Pool{New: func() any { return &tree.Arena{} }}

// large is held while a large page is parsed: one at a time in the process.
var large sync.Mutex

// largeText begins the texts whose trees are made one at a time.
const largeText = 256 << 10

// grow makes the tree: the quick way where the page is well-behaved, else as
// browsers do.
func (d *dom) grow() (err error) {
	if err := markup.Bound(d.text, markup.MaxElements); err != nil {
		return err
	}
	if len(d.text) > largeText { // its tree is many times as large: one at a time
		large.Lock()
		defer large.Unlock()
	}
	arena, _ := arenas.Get().(*tree.Arena)
	if root, ok := arena.Parse(d.text); ok {
		d.root, d.arena = root, arena
		return nil
	}
	if arena.Reset(); len(d.text) <= largeText {
		arenas.Put(arena)
	}
	d.root, err = html.Parse(strings.NewReader(d.text))
	return err
}

// dropComments: what nobody sees is no part of a document, and often the only thing
// on a page that changes.
func dropComments(root *html.Node) {
	var comments []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.CommentNode {
			comments = append(comments, n)
		}
	}
	for _, n := range comments {
		n.Parent.RemoveChild(n)
	}
}

// free gives the tree back; what was read from it stays.
func (d *dom) free() {
	d.big = d.big || len(d.text) > largeText
	d.root, d.text = nil, ""
	if d.arena != nil {
		if d.arena.Reset(); !d.big {
			arenas.Put(d.arena)
		}
		d.arena = nil
	}
}

// baseElement is the first that has an address. A page that was read the quick
// way has it in its head or not at all.
func (d *dom) baseElement() *html.Node {
	within := d.root
	if d.arena != nil {
		within = firstElement(d.root, atom.Head)
	}
	for n := range within.Descendants() {
		if n.DataAtom == atom.Base && attr(n, "href") != "" {
			return n
		}
	}
	return nil
}

func (d *dom) broken(why string) error {
	return &harvest.Error{
		Kind: harvest.KindBroken, Op: "read page", On: d.address, Err: errorText(why), Evidence: d.Evidence(),
		Advice: "open the address in a browser",
	}
}

func (d *dom) title() string {
	if n := firstElement(d.root, atom.Title); n != nil {
		return textOf(n, false)
	}
	return ""
}

func (d *dom) heading() string {
	if n := firstElement(d.root, atom.H1); n != nil {
		return textOf(n, false)
	}
	return ""
}

// each visits every element.
func (d *dom) each(visit func(*html.Node)) {
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type == html.ElementNode {
				visit(c)
				walk(c)
			}
		}
	}
	walk(d.root)
}
