package activities

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/fetchers/web"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/local/replica/site"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A source that has moved for good is told at every run, also where nothing is new,
// and its documents stay the same ones.
func TestAMovedSourceIsAWarningUntilTheFileSaysSo(t *testing.T) {
	t.Parallel()
	repo, err := oai.Start(oai.Config{Records: 60, Page: 50, Collections: 1, Parts: 1})
	require.NoError(t, err)
	t.Cleanup(repo.Close)
	repository, err := url.Parse(repo.URL())
	require.NoError(t, err)
	host := &url.URL{Scheme: repository.Scheme, Host: repository.Host}
	const rss = `<rss version="2.0"><channel><title>T</title><item><title>One</title><link>/1</link></item></channel></rss>`
	posts := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if w.Header().Set("ETag", `"1"`); r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write([]byte(rss)) // the client may be gone
	})
	for name, c := range map[string]struct {
		source http.Handler
		path   string
		params string
	}{
		"feed":   {posts, "/feed", `{"url":"BASE/feed"}`},
		"web":    {site.New(site.Config{Pages: 6, PerList: 3, Validators: true}), "/list", `{"url":"BASE/list","links":"ul.acts a","next":"a[rel=next]"}`},
		"oaipmh": {httputil.NewSingleHostReverseProxy(host), repository.Path, `{"url":"BASE` + repository.Path + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var moved http.Handler = c.source
			old := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { moved.ServeHTTP(w, r) }))
			t.Cleanup(old.Close)
			there := httptest.NewServer(c.source)
			t.Cleanup(there.Close)
			w := movable(t)
			news := campaigns.Adhoc(name, []byte(strings.ReplaceAll(c.params, "BASE", old.URL)), 1)
			news.Name = "news"
			w.apply(news)
			run := func() (ids, warnings []string) {
				o := w.open(steps.Start{Campaign: "news"})
				_, err := w.fetch(o)
				require.NoError(t, err)
				for _, item := range w.items(o.Run) {
					require.Empty(t, item.Error)
					warnings = append(warnings, item.Warnings...)
				}
				w.close(o)
				return w.living(), warnings
			}
			before, warnings := run()
			require.Empty(t, warnings)
			require.NotEmpty(t, before)
			moved = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, there.URL+r.URL.RequestURI(), http.StatusMovedPermanently)
			})
			for range 3 {
				after, warnings := run()
				require.Equal(t, []string{old.URL + c.path + " has moved to " + there.URL + c.path + "; write the new address into the file"}, warnings)
				require.ElementsMatch(t, before, after)
			}
		})
	}
}

// movable is a world with real fetchers that ask this machine.
func movable(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	set := fetchers.Set{}
	var err error
	for name, make := range map[string]fetchers.New{"feed": feed.New, "web": web.New, "oaipmh": oaipmh.New} {
		set, err = set.With(name, make)
		require.NoError(t, err)
	}
	client := polite.New(polite.Settings{Product: "test", Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.Close)
	w.Fetchers, w.Client = set, client.HTTP
	return w
}
