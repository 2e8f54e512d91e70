package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A link without an address is none: the rows keep their own.
func TestAnEmptyLinkIsNoAddress(t *testing.T) {
	t.Parallel()
	row := func(n string) string {
		return `<tr><td><a href="">Expand</a> <a href="#">More</a> <a href="javascript:void(0)">x</a></td><td><a href="/acts/` + n + `?utm_source=list#top">Act ` + n + `</a></td></tr>`
	}
	s := paths(map[string]string{"/list": page("", "<table>"+row("1")+row("2")+"</table>")})
	w := newWorld(t, s, `{"url":"BASE/list","rows":"tr","fields":{"title":"td + td","first":{"css":"a","as":"url"}}}`)
	h := w.run()
	require.Empty(t, h.rejects())
	require.Equal(t, []string{w.base + "/acts/1", w.base + "/acts/2"}, h.ids())
	require.Equal(t, w.base+"/acts/1?utm_source=list#top", h.docs[0].URL, "dropping is for ids")

	s = paths(map[string]string{"/list": page("", `<ul><a href="">Expand</a><a href="#x">Top</a><a href="/a">A</a></ul>`), "/a": page("", "<main><h1>A</h1></main>")})
	w = newWorld(t, s, strict)
	require.Equal(t, []string{w.base + "/a"}, w.run().ids(), "the list is not a page of its own")
}

func TestOneUnreadableValueDoesNotLoseTheList(t *testing.T) {
	t.Parallel()
	s := paths(map[string]string{"/a": page("", `<main><h1>A</h1><b>1</b><b>many</b><b>3</b><i>12 May 2026</i><i>soon</i></main>`)})
	w := newWorld(t, s, `{"url":"BASE/a","fields":{"title":"h1","n":{"css":"b","as":"number","all":true},"on":{"css":"i","as":"date","all":true},`+
		`"none":{"css":"h1","as":"number","all":true},"one":{"css":"b","as":"number","match":"[a-z]+"}}}`)
	h := w.run()
	require.Empty(t, h.rejects())
	f := h.docs[0].Fields
	require.Equal(t, []any{int64(1), int64(3)}, f["n"])
	require.Equal(t, "many", f["n_raw"])
	require.Equal(t, []any{"2026-05-12T00:00:00Z"}, f["on"])
	require.Equal(t, "soon", f["on_raw"])
	require.Equal(t, "A", f["none_raw"])
	require.NotContains(t, f, "none")
	require.Equal(t, "many", f["one_raw"], "the one that could not be read, not the first")
	require.Contains(t, h.warnings(), `fields.n: "many" is not a number`)

	w = newWorld(t, s, `{"url":"BASE/a","fields":{"n":{"css":"b","as":"number","all":true,"required":true}}}`)
	require.Empty(t, w.run().rejects(), "others are there")
	w = newWorld(t, s, `{"url":"BASE/a","fields":{"title":"h1","n":{"css":"h1","as":"number","all":true,"required":true}}}`)
	require.ErrorContains(t, w.run().err, "matches nothing", "none is readable")
}

func TestAnAddressKeepsFragmentAndQuery(t *testing.T) {
	t.Parallel()
	s := paths(map[string]string{"/a": page("", `<main><h1>A</h1><a href="b?utm_source=x&amp;id=1#part-2">B</a><span>http://EXAMPLE.org:80/c#d</span></main>`)})
	w := newWorld(t, s, `{"url":"BASE/a","fields":{"title":"h1","link":{"css":"a","as":"url"},"said":{"css":"span","as":"url"}}}`)
	h := w.run()
	require.Equal(t, w.base+"/b?utm_source=x&id=1#part-2", h.docs[0].Fields["link"])
	require.Equal(t, "http://EXAMPLE.org:80/c#d", h.docs[0].Fields["said"])
}

// Comments are in no body, whichever parser took the page.
func TestCommentsAreNoPartOfABody(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]string{"well-behaved": "", "for the general parser": "<p><b>x</p></b>", "an odd comment": "<!-- a --!>"} {
		s := paths(map[string]string{"/a": "<!DOCTYPE html><!-- 0 --><html><head><!-- 1 --></head><body><main><h1>A</h1><!-- 2 --><p>t<!-- 3 -->ext</p></main>" + odd + "<!-- 4 --></body></html><!-- 5 -->"})
		w := newWorld(t, s, `{"url":"BASE/a","fields":{"title":"h1","body":"main","html":{"css":"body","as":"html"}}}`)
		h := w.run()
		require.Equal(t, "<main><h1>A</h1><p>text</p></main>", string(h.docs[0].Body), name)
		require.NotContains(t, h.docs[0].Fields["html"], "<!--", name)
	}
}
