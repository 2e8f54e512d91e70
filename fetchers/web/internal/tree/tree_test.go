package tree_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"github.com/andybalholm/cascadia"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/vendemmia/vendemmia/fetchers/web/internal/tree"
)

// dump writes a tree with everything that selectors and text can see.
func dump(b *strings.Builder, n *html.Node, depth int) {
	fmt.Fprintf(b, "%*s%d %q %q %v %v\n", depth, "", n.Type, n.Data, n.Namespace, n.DataAtom, n.Attr)
	var previous *html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Parent != n || c.PrevSibling != previous {
			b.WriteString("WRONG LINK\n")
		}
		dump(b, c, depth+1)
		previous = c
	}
	if n.LastChild != previous {
		b.WriteString("WRONG LAST\n")
	}
}

func dumped(n *html.Node) string {
	var b strings.Builder
	dump(&b, n, 0)
	return b.String()
}

// agree holds a page against the general parser; false: it was given up.
func agree(t *testing.T, a *tree.Arena, text string) bool {
	t.Helper()
	defer a.Reset()
	got, ok := a.Parse(text)
	if !ok {
		return false
	}
	want, err := html.Parse(strings.NewReader(text))
	require.NoError(t, err, "%q", text)
	if g, w := dumped(got), dumped(want); g != w {
		require.Equal(t, w, g, "%s", text)
	}
	return true
}

func around(body string) string {
	return "<!DOCTYPE html>\n<html lang=it>\n<head><meta charset='utf-8'><title>a &amp; b</title><script>if(1<2&&'</p>'){}</script><style>p>a{}</style></head>\n<body class=\"x\">\n" + body + "\n</body>\n</html>\n"
}

func wellBehaved() []string {
	return []string{
		"", "text", "<p>one<p>two", "<p>one<div>two</div>", "<ul><li>a<li>b<ul><li>c</ul></ul>", "<dl><dt>a<dd>b<dt>c</dl>", "<h1>x</h1><h2>y</h2>",
		"<table><tr><td>a<td>b<tr><th>c</table>", "<table>\n<thead><tr><th>x</th></tr></thead>\n<tbody>\n<tr><td><p>y</td></tr></tbody></table>",
		"<table><tbody><tr><td><table><tr><td>in</td></tr></table></td></tr></tbody></table>", "<select><option>a<option selected>b<optgroup label=x><option>c</select>",
		"<a href='?a=1&b=2&copy=3&amp;d&#61;&lt;'>x &lt; y &eacute; &nbsp; &notit; &x;</a>", "<pre>\n\nx</pre><pre>&#10;y</pre><textarea>\n<b>&amp;</textarea>",
		"<!-- c --><p>x<!--y--></p>", "<img src=a.png alt=\"x\"/><br><br/><hr><input type=hidden value=1>", "<svg viewBox='0 0 1 1' class=i><path d='M0 0'/><g><use xlink:href='#a'></use></g></svg>",
		"<my-tag data-X=1 DATA-x=2>é</my-tag>", "<P ID=a>Upper</P><DIV CLASS='b'>x</DIV>", "<form><p><button>x</button><label>y<input></label></form>", "<noscript><img src=x></noscript><iframe src=a>b</iframe>",
		"<article><header><h1>x</h1></header><p>y <em>z <b>w</b></em></p></article>", "<div>unclosed", "<meta itemprop=x content=y><link rel=z>", "a\r\nb<pre>\r\nc</pre>",
		"<ul><li><p>a</li><li>b</ul>", "<p><span>x</span></p><div/>y</div>", "<section><p>x</section>", "<details><summary>a</summary>b</details>", "<a title=\"&copy;&semi;\">x</a>",
	}
}

func TestAgreesOnWellBehavedPages(t *testing.T) {
	t.Parallel()
	a := &tree.Arena{}
	for _, body := range wellBehaved() {
		ok := agree(t, a, around(body))
		require.True(t, ok || strings.Contains(body, "&semi;"), "given up: %s", body)
	}
}

func TestGivesUp(t *testing.T) {
	t.Parallel()
	a := &tree.Arena{}
	for _, text := range []string{
		"", "<p>x", "<!DOCTYPE html><p>x", "<!DOCTYPE html PUBLIC \"x\"><html><head></head><body></body></html>", around("<b><p>x</b>y</p>"), around("<table><p>x</table>"),
		around("<a>x<a>y</a>"), around("a < b"), around("</p>"), around("<p <b>x"), around("<template>x</template>"), around("x\x00y"), around("<svg><title>x</title></svg>"),
		around(strings.Repeat("<div>", 600)), around("<!doctype html>"), around("<h1>x<h2>y</h2>"), around("<script><!-- <script></script>"), around("<form><form>x</form>"),
	} {
		_, ok := a.Parse(text)
		a.Reset()
		require.False(t, ok, "%.200s", text)
	}
}

// pieces are what random pages are made of.
func pieces() []string {
	names := strings.Fields("p div span a b em ul ol li dl dt dd table tbody thead tr td th h1 h2 form button select option optgroup svg path g pre textarea section article nav " +
		"header img br hr input label code font script style title noscript iframe my-el details summary fieldset main i u strong small meta link body html head caption col template object video source center")
	list := []string{"text", " ", "\n", "&amp;", "&lt", "é", "<!-- c -->", "&copy=1", "<!---->", "<!--->", "<a href='?x=1&y=2'>", "<p class=x id='y'>", "<td colspan=2>", "<br/>", "<p/>", "<", "</", "<!x>", "\r\n"}
	for _, n := range names {
		list = append(list, "<"+n+">", "</"+n+">", "<"+n+">", "</"+n+">", "<"+n+">x</"+n+">")
	}
	return list
}

func TestAgreesOnRandomPages(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2)) // random pages, the same each time
	list, a, taken := pieces(), &tree.Arena{}, 0
	for range 60_000 {
		var b strings.Builder
		var open []string
		for range r.IntN(14) {
			piece := list[r.IntN(len(list))]
			if len(open) > 0 && r.IntN(3) == 0 {
				piece, open = "</"+open[len(open)-1]+">", open[:len(open)-1]
			}
			if name, ok := strings.CutPrefix(piece, "<"); ok && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789>-") == "" && name != "" {
				open = append(open, strings.TrimSuffix(name, ">"))
			}
			b.WriteString(piece)
		}
		if r.IntN(4) > 0 {
			for _, name := range slices.Backward(open) {
				b.WriteString("</" + name + ">")
			}
		}
		if agree(t, a, around(b.String())) {
			taken++
		}
	}
	require.Greater(t, taken, 3000, "a test that gives up on everything proves nothing")
}

func TestSelectorsFindTheSame(t *testing.T) {
	t.Parallel()
	a := &tree.Arena{}
	for _, body := range wellBehaved() {
		text := around(body)
		root, ok := a.Parse(text)
		if !ok {
			a.Reset()
			continue
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(text))
		require.NoError(t, err)
		for _, sel := range []string{"p", "li > ul li", "a[href]", "td:nth-child(2)", "body > *:first-child", "tr td, tr th", "svg path", ":not(p):empty", "[class]"} {
			want, _ := doc.Find(sel).Html()
			got := ""
			if n := cascadia.Query(root, cascadia.MustCompile(sel)); n != nil {
				got, _ = goquery.NewDocumentFromNode(n).Html()
			}
			require.Equal(t, want, got, "%s on %s", sel, body)
		}
		a.Reset()
	}
}

func FuzzAgrees(f *testing.F) {
	for _, body := range wellBehaved() {
		f.Add(around(body))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if utf8.ValidString(text) {
			agree(t, &tree.Arena{}, text)
			agree(t, &tree.Arena{}, around(text))
		}
	})
}
