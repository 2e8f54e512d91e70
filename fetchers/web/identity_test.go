package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

// paths answers by address, query included; others are not found.
func paths(bodies map[string]string) *site.Site {
	s := site.New(site.Config{})
	for path, body := range bodies {
		s.Instead(path, site.Answer{Body: body})
	}
	return s
}

const act = `<h1 class="act__title">Atto</h1><div class="body">Testo</div>`

// One page has one id: whatever a site adds to its address, and in whatever order.
func TestOnePageIsOneDocument(t *testing.T) {
	t.Parallel()
	s := paths(map[string]string{
		"/list":      page("", `<ul class="acts"><a href="/a?x=1&y=2#top">1</a><a href="/a?y=2&x=1">1</a><a href="/a?x=1&amp;y=2&utm_source=s&UTM_Medium=m&fbclid=1">1</a><a href="/b?z=2&z=1">2</a></ul>`),
		"/a?x=1&y=2": page("", act),
		"/a?y=2&x=1": page("", act),
		"/b?z=2&z=1": page("", act),
	})
	w := newWorld(t, s, listParams)
	h := w.run()
	require.NoError(t, h.err)
	require.Equal(t, []string{w.base + "/a?x=1&y=2", w.base + "/b?z=2&z=1"}, h.ids())
	require.Equal(t, 1, s.Asked("/a"), "asked for as it was first written")

	s.Instead("/list", site.Answer{Body: page("", `<ul class="acts"><a href="/a?y=2&x=1">1</a></ul>`)})
	require.True(t, w.run().NotModified, "it is known in the other order too")
	s.Instead("/a?y=2&x=1", site.Answer{Status: http.StatusGone})
	gone := w.run()
	require.Equal(t, []string{w.base + "/a?x=1&y=2"}, gone.ids())
	require.True(t, gone.docs[0].Deleted)
}

// A list that leads on to itself in another order has been read.
func TestAListInAnotherOrderIsTheSame(t *testing.T) {
	t.Parallel()
	list := func(next string) string {
		return page("", `<ul class="acts"><a href="/a">1</a></ul><a rel=next href="`+next+`">n</a>`)
	}
	w := newWorld(t, paths(map[string]string{"/list": list("/list?p=2&q=x"), "/list?p=2&q=x": list("/list?q=x&p=2"), "/a": page("", act)}), listParams)
	h := w.run()
	require.NoError(t, h.err)
	require.Contains(t, h.warnings(), "leads back")
}

// The address a page gives itself is its url; its id stays the one it is listed
// by, so that its end finds it.
func TestAPageThatNamesItselfIsDeletedByItsID(t *testing.T) {
	t.Parallel()
	s := paths(map[string]string{
		"/list": page("", `<ul class="acts"><a href="/a">1</a><a href="/b">2</a></ul>`),
		"/a":    page(`<link rel="canonical" href="/pretty/a">`, act), "/b": page(`<link rel="canonical" href="/pretty/b">`, act),
	})
	w := newWorld(t, s, `{"url":"BASE/list","links":"ul.acts a","fields":{"title":"h1","url":"link[rel=canonical]"}}`)
	h := w.run()
	require.NoError(t, h.err)
	require.Equal(t, []string{w.base + "/a", w.base + "/b"}, h.ids())
	require.Equal(t, w.base+"/pretty/a", h.docs[0].URL)
	s.Instead("/a", site.Answer{Status: http.StatusGone})
	gone := w.run()
	require.Equal(t, []string{w.base + "/a"}, gone.ids())
	require.True(t, gone.docs[0].Deleted)
}

// An archive whose front page names months alone is no broken list; one in which
// no month names anything is.
func TestAnArchiveByMonth(t *testing.T) {
	t.Parallel()
	months := page("", `<nav><a href="/2026-01/">gennaio</a><a href="/2026-02/">febbraio</a></nav>`)
	month := func(n string) string { return page("", `<ul class="acts"><a href="/a/`+n+`">1</a></ul>`) }
	s := paths(map[string]string{"/list": months, "/2026-01/": month("1"), "/2026-02/": month("2"), "/a/1": page("", act), "/a/2": page("", act)})
	w := newWorld(t, s, `{"url":"BASE/list","links":"ul.acts a","follow":"nav a",`+pageFields+`}`)
	h := w.run()
	require.NoError(t, h.err)
	require.Len(t, h.docs, 2)
	require.False(t, h.Partial)
	require.Empty(t, h.warnings())

	for _, path := range []string{"/2026-01/", "/2026-02/"} {
		s.Instead(path, site.Answer{Body: site.Redesign})
	}
	broken := w.run()
	require.Equal(t, harvest.KindBroken, harvest.KindOf(broken.err))
	require.ErrorContains(t, broken.err, `links: "ul.acts a" matches nothing on`)
	require.Contains(t, string(harvest.AsError(broken.err).Evidence), "nuovo sito")
	require.Empty(t, broken.docs)
	for _, path := range []string{"/2026-01/", "/2026-02/"} {
		s.Instead(path, site.Answer{Body: month("1")})
	}
	require.NoError(t, w.run().err, "healed")
}
