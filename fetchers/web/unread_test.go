package web_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

const strict = `{"url":"BASE/list","links":"ul a","fields":{"title":{"css":"h1","required":true},"body":"main"}}`

// named is a list of pages.
func named(paths ...string) string {
	list := "<ul>"
	for _, p := range paths {
		list += `<li><a href="` + p + `">x</a></li>`
	}
	return page("", list+"</ul>")
}

func TestAPageInQuarantineIsAskedForWhateverTheListNames(t *testing.T) {
	t.Parallel()
	good, torn := page("", "<main><h1>A</h1></main>"), page("", "<main>A</main>")
	s := paths(map[string]string{"/list": named("/a", "/b"), "/a": good, "/b": torn})
	w := newWorld(t, s, strict)
	require.Len(t, w.run().rejects(), 1)

	s.Instead("/list", site.Answer{Body: named("/a")})
	again := w.run()
	require.Len(t, again.rejects(), 1, "it stays unread")
	require.Equal(t, 2, s.Asked("/b"))

	s.Instead("/b", site.Answer{Body: good})
	last := w.run()
	require.Equal(t, []string{w.base + "/b"}, last.ids())
	require.Empty(t, w.unread)
	require.Equal(t, 3, s.Asked("/b"))
	w.run()
	require.Equal(t, 3, s.Asked("/b"), "it is nobody's page any more")
}

func TestAPageInQuarantineThatFailsEndsNoRun(t *testing.T) {
	t.Parallel()
	for name, a := range map[string]site.Answer{"500": {Status: 500}, "403": {Status: 403}, "hollow": {Body: " "}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			good := page("", "<main><h1>A</h1></main>")
			s := paths(map[string]string{"/list": named("/a", "/b"), "/a": good, "/b": page("", "<main>B</main>")})
			w := newWorld(t, s, strict)
			require.Len(t, w.run().rejects(), 1)
			s.Instead("/b", a)
			h := w.run()
			require.NoError(t, h.err)
			require.Len(t, h.rejects(), 1)
			require.Len(t, w.unread, 1, "it keeps its place")
			require.Equal(t, 2, h.Listed)
			require.Equal(t, 1, h.Same)
			s.Instead("/b", site.Answer{Status: 404})
			require.NoError(t, w.run().err)
			require.Empty(t, w.unread, "what is gone is not unread")
		})
	}
}

func TestARowInQuarantineIsLookedForOnItsList(t *testing.T) {
	t.Parallel()
	row := func(id, text string) string { return `<tr id="` + id + `"><td>` + text + `</td></tr>` }
	table := func(rows, next string) string { return page("", "<table>"+rows+"</table>"+next) }
	more := `<a rel="next" href="/old">more</a>`
	s := paths(map[string]string{"/list": table(row("1", "<b>One</b>"), more), "/old": table(row("2", "Two")+row("3", "Three"), "")})
	w := newWorld(t, s, `{"url":"BASE/list","rows":"tr","next":"a[rel=next]","fields":{"id":{"css":"","attr":"id"},"title":{"css":"b","required":true}}}`)
	require.Len(t, w.run().rejects(), 2)

	s.Instead("/list", site.Answer{Body: table(row("1", "<b>One</b>"), "")})
	require.NoError(t, w.run().err)
	require.Len(t, w.unread, 2, "their list is asked for though nothing leads there")

	s.Instead("/old", site.Answer{Body: table(row("2", "<b>Two</b>"), "")})
	h := w.run()
	require.Contains(t, h.ids(), "2")
	require.Empty(t, w.unread, "one came, the other is there no more")
	asked := s.Asked("/old")
	require.NoError(t, w.run().err)
	require.Equal(t, asked, s.Asked("/old"))
}

// Some pages answer 304, some come, one is gone: all are counted.
func TestTheNumbersOfARunAddUp(t *testing.T) {
	t.Parallel()
	s := small()
	w := newWorld(t, s, listParams)
	require.Equal(t, 12, w.run().Listed)
	s.Change(3)
	s.Instead("/acts/5", site.Answer{Status: 410})
	s.Instead("/acts/6", site.Answer{Status: 404})
	s.Instead("/acts/7", site.Answer{Body: page("", "<main>torn</main>")})
	h := w.run()
	require.NoError(t, h.err)
	require.Equal(t, 12, h.Listed)
	require.Len(t, h.docs, 2, "one changed, one deleted")
	require.Len(t, h.rejects(), 1)
	require.Equal(t, 9, h.Same, "eight answered 304; of one it is not known yet whether it is gone")
	require.False(t, h.NotModified)
}
