package web_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
)

// Selectors that fit any page (h1, main) do not make a document of what stands
// before the page.
func TestWallsAreKnownThoughSelectorsFitThem(t *testing.T) {
	t.Parallel()
	login := page("<title>Accesso</title>", `<main><h1>Accedi</h1><ul class="acts"><a href="/recover">Password?</a></ul><form><input type="password"></form></main>`)
	honest := page("<title>Atto</title>", `<main><h1>Atto</h1><form class="head"><input type="password"></form></main>`)
	redirect := func(to string) site.Answer {
		return site.Answer{Status: http.StatusFound, Header: map[string]string{"Location": to}}
	}
	mitigated := func(status int) site.Answer {
		return site.Answer{Status: status, Header: map[string]string{"Cf-Mitigated": "challenge", "Retry-After": "5"}, Body: page("<title>Un momento…</title>", "<main><h1>Un momento…</h1></main>")}
	}
	for name, c := range map[string]struct {
		at     string
		answer site.Answer
		kind   harvest.Kind
		docs   int
		text   string
	}{
		"a page leads to a form to log in":         {"/a", redirect("/users/sign_in?back=/a"), "", 1, "log in"},
		"the list leads to a form to log in":       {"/list", redirect("/users/sign_in?back=/list"), harvest.KindBlocked, 0, "log in"},
		"a page leads to another with such a form": {"/a", redirect("/honest"), "", 2, ""},
		"a page leads back to the list":            {"/a", redirect("/list"), "", 1, "not there"},
		"a challenge by its header, 200":           {"/a", mitigated(200), "", 1, "challenge"},
		"a challenge by its header, 403":           {"/list", mitigated(403), harvest.KindBlocked, 0, "challenge"},
		"a challenge by its header, 503":           {"/list", mitigated(503), harvest.KindBlocked, 0, "challenge"},
		"a challenge by its header, 429":           {"/list", mitigated(429), harvest.KindBlocked, 0, "challenge"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := paths(map[string]string{
				"/list": page("", `<h1>Atti</h1><ul class="acts"><a href="/a">1</a><a href="/b">2</a></ul>`),
				"/a":    page("", "<main><h1>A</h1></main>"), "/b": page("", "<main><h1>B</h1></main>"),
				"/users/sign_in?back=/a": login, "/users/sign_in?back=/list": login, "/honest": honest,
			})
			s.Instead(c.at, c.answer)
			w := newWorld(t, s, `{"url":"BASE/list","links":"ul.acts a","fields":{"title":"h1","body":"main"}}`)
			h := w.run()
			require.Equal(t, c.kind, harvest.KindOf(h.err), "%v", h.err)
			require.Len(t, h.docs, c.docs)
			said := h.warnings() + h.reasons()
			if h.err != nil {
				said = h.err.Error()
				require.NotEmpty(t, harvest.AsError(h.err).Evidence)
			}
			require.Contains(t, said, c.text)
			require.Equal(t, c.kind == "" && c.text != "", h.Quarantined > 0)
		})
	}
}
