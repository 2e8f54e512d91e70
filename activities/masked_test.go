package activities

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/fetchers/web"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// A source that is asked with a secret repeats it in every address it names.
func repeating(t *testing.T, secret func() string) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/old.xml", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/feed.xml?k="+r.FormValue("k"), http.StatusMovedPermanently)
	})
	mux.HandleFunc("/feed.xml", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("k") != secret() {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>t</title>`+
			`<item><guid>http://%[1]s/a?k=%[2]s</guid><link>http://%[1]s/a?k=%[2]s</link><title>A</title><description>asked with %[2]s</description></item></channel></rss>`, r.Host, secret())
	})
	mux.HandleFunc("/list", func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("k") != secret() {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `<html><body><a class="row" href="/page?n=1&k=%[1]s">one</a><a class="row" href="/page?n=2&k=%[1]s">two</a></body></html>`, secret())
	})
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<html><body><h1>Page %s</h1><p>%s</p></body></html>`, r.FormValue("n"), strings.Repeat("words ", 50))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// everything is all that the store's files hold.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	}))
	return all.String()
}

func TestNoSecretComesIntoTheStore(t *testing.T) {
	for fetcher, params := range map[string]string{
		"feed": `{"url":"URL/old.xml?k=${secret:env:KEY}"}`,
		"web":  `{"url":"URL/list?k=${secret:env:KEY}","links":"a.row","fields":{"title":"h1"}}`,
	} {
		t.Run(fetcher, func(t *testing.T) {
			value := "k3y-of-the-house"
			source := repeating(t, func() string { return value })
			dir := t.TempDir()
			w := worldOn(t, filepath.Join(dir, "v.db"))
			var err error
			w.Fetchers, err = fetchers.Set{}.With("feed", feed.New)
			require.NoError(t, err)
			w.Fetchers, err = w.Fetchers.With("web", web.New)
			require.NoError(t, err)
			w.Client = func(v visit.Visitor) *http.Client { return http.DefaultClient }
			w.Secrets = only("KEY", func() string { return value })
			c := campaigns.Adhoc(fetcher, nil, 1)
			c.Name, c.Entries[0].Params = "news", []byte(strings.ReplaceAll(params, "URL", source.URL))
			w.apply(c)
			run := func() steps.Summary {
				o := w.open(steps.Start{Campaign: "news"})
				_, err := w.fetch(o)
				require.NoError(t, err)
				return w.close(o)
			}
			first := run()
			require.Equal(t, outcomes.Done, first.Outcome, first.Why)
			require.Positive(t, first.Documents.New)
			require.NotContains(t, everything(t, dir), value)
			ids := w.idsAndURLs(t)
			require.Contains(t, ids, "k=${secret:env:KEY}")

			again := run()
			require.Equal(t, outcomes.Unchanged, again.Outcome, again.Why)
			value = "another-key-of-it" // rotated: the documents are the same ones
			rotated := run()
			require.Zero(t, rotated.Documents.New, rotated.Why)
			require.True(t, rotated.Outcome.Severity() < outcomes.Bad, rotated.Why)
			require.Equal(t, ids, w.idsAndURLs(t))
			require.NotContains(t, everything(t, dir), value)
		})
	}
}

func (w *world) idsAndURLs(t *testing.T) string {
	t.Helper()
	var all []string
	for d, err := range w.store.Documents(t.Context(), rows.DocumentFilter{}) {
		require.NoError(t, err)
		all = append(all, d.Line.ID+" "+d.Line.URL)
	}
	return strings.Join(all, "\n")
}

// A password in an address may hold any letter, and stands nowhere afterwards.
func TestAPasswordInAnAddress(t *testing.T) {
	t.Parallel()
	const password = `p@:/?#&=+ %"w`
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, pw, _ := r.BasicAuth(); user != "bob" || pw != password {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `<rss version="2.0"><channel><title>t</title><item><guid>1</guid><link>/a</link><title>A</title></item></channel></rss>`)
	}))
	t.Cleanup(source.Close)
	dir := t.TempDir()
	w := worldOn(t, filepath.Join(dir, "v.db"))
	var err error
	w.Fetchers, err = fetchers.Set{}.With("feed", feed.New)
	require.NoError(t, err)
	w.Client = func(visit.Visitor) *http.Client { return http.DefaultClient }
	w.Secrets = only("PW", func() string { return password })
	c := campaigns.Adhoc("feed", nil, 1)
	c.Name, c.Entries[0].Params = "news", []byte(`{"url":"`+strings.Replace(source.URL, "://", "://bob:${secret:env:PW}@", 1)+`"}`)
	w.apply(c)
	o := w.open(steps.Start{Campaign: "news"})
	_, err = w.fetch(o)
	require.NoError(t, err)
	sum := w.close(o)
	require.Equal(t, outcomes.Done, sum.Outcome, sum.Why)
	all := everything(t, dir)
	require.NotContains(t, all, "p@:")
	require.NotContains(t, all, "p%40")

	out, err := do(w, steps.OpenRun, w.in(steps.Start{Fetcher: "feed", Params: []byte(`{"url":"http://bob:hunter2@h/"}`)}))
	require.NoError(t, err)
	require.Equal(t, outcomes.Misconfigured, out.Refused)
	require.Contains(t, out.Why, "a password has no place in the params of a start")
	require.NotContains(t, out.Why, "hunter2")
}
