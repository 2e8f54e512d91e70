package activities

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/polite"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// locked is a repository behind a password, beside a feed that repeats what it was
// asked with.
func locked(t *testing.T, password func() string) *httptest.Server {
	t.Helper()
	house := oai.New(oai.Config{Records: 30, Clock: time.Date(2026, 5, 3, 16, 0, 0, 0, time.UTC)}).Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, given, _ := r.BasicAuth()
		switch {
		case user != "harvester" || given != password():
			http.Error(w, "not with "+r.Header.Get("Authorization")+" "+given, http.StatusUnauthorized)
		case strings.HasPrefix(r.URL.Path, "/echo"):
			fmt.Fprintf(w, `<rss version="2.0"><channel><title>t</title><item><guid>%[1]s</guid><link>/a</link><title>%[2]s</title></item></channel></rss>`, given, r.Header.Get("Authorization"))
		default:
			house.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// signing is a world that asks through the real client.
func signing(t *testing.T, path string, password func() string) *world {
	t.Helper()
	w := worldOn(t, path)
	var err error
	w.Fetchers, err = fetchers.Set{}.With("oaipmh", oaipmh.New)
	require.NoError(t, err)
	w.Fetchers, err = w.Fetchers.With("feed", feed.New)
	require.NoError(t, err)
	client := polite.New(polite.Settings{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.Close)
	w.Client = client.HTTP
	w.Secrets = only("PW", password)
	return w
}

func signedIn(fetcher, params, to string) campaigns.Campaign {
	c := campaigns.Adhoc(fetcher, []byte(params), 1)
	c.Name = "locked"
	auth := visit.Auth{Basic: &visit.Basic{User: "harvester", Password: "${secret:env:PW}"}}
	c.Entries[0].Auth = auth.WithOrigins([]string{to})
	return c
}

// onlyItem is the item of a whole run of the campaign.
func (w *world) onlyItem() (it rows.RunItem) {
	o := w.open(steps.Start{Campaign: "locked"})
	_, err := w.fetch(o)
	require.NoError(w.t, err)
	w.close(o)
	for _, it = range w.items(o.Run) {
		return it
	}
	return it
}

// TestARepositoryBehindAPassword: it is harvested whole; a password that expired ends as
// misconfigured with the name of the reference, and stands nowhere.
func TestARepositoryBehindAPassword(t *testing.T) {
	t.Parallel()
	var changed atomic.Bool
	password := func() string { return "s3cr&t pass" }
	s := locked(t, func() string { return password() + map[bool]string{true: "2"}[changed.Load()] })
	dir := t.TempDir()
	w := signing(t, filepath.Join(dir, "v.db"), password)
	w.apply(signedIn("oaipmh", `{"url":"`+s.URL+oai.Path+`"}`, s.URL))
	sum := w.once(steps.Start{Campaign: "locked"})
	require.Equal(t, outcomes.Done, sum.Outcome, sum.Why)
	require.EqualValues(t, 30, sum.Documents.New+sum.Documents.Deleted)

	changed.Store(true)
	it := w.onlyItem()
	require.Equal(t, outcomes.Misconfigured, it.Outcome, it.Error)
	require.Contains(t, it.Error, "the source does not accept what ${secret:env:PW} refers to")
	all := everything(t, dir)
	require.NotContains(t, all, "s3cr")
	require.NotContains(t, all, "aGFydmVzdGVyOn")

	w.Secrets = only("OTHER", password)
	it = w.onlyItem()
	require.Equal(t, outcomes.Misconfigured, it.Outcome, it.Error)
	require.Contains(t, it.Error, "${secret:env:PW}")
}

// TestWhatASourceRepeatsOfASignIn is hidden in documents, ids and raw pages.
func TestWhatASourceRepeatsOfASignIn(t *testing.T) {
	t.Parallel()
	password := func() string { return "s3cr&t pass" }
	s := locked(t, password)
	dir := t.TempDir()
	w := signing(t, filepath.Join(dir, "v.db"), password)
	w.apply(signedIn("feed", `{"url":"`+s.URL+`/echo"}`, s.URL))
	sum := w.once(steps.Start{Campaign: "locked"})
	require.Equal(t, outcomes.Done, sum.Outcome, sum.Why)
	require.Equal(t, 1, w.documents())
	all := everything(t, dir)
	require.NotContains(t, all, "s3cr")
	require.NotContains(t, all, "aGFydmVzdGVyOn")
}

// TestAskingForSetsSignsIn, and a start that names another host gets no sign-in.
func TestAskingForSetsSignsIn(t *testing.T) {
	t.Parallel()
	password := func() string { return "s3cr&t pass" }
	s := locked(t, password)
	w := signing(t, filepath.Join(t.TempDir(), "v.db"), password)
	c := signedIn("oaipmh", `{"url":"`+s.URL+oai.Path+`"}`, s.URL)
	c.Entries[0].Split = &campaigns.Split{Ask: "sets"}
	sum := w.harvestAsked(t, c)
	require.Equal(t, outcomes.Done, sum.Outcome, sum.Why)
	require.Positive(t, sum.Documents.New)

	var shown atomic.Value
	stranger := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { shown.Store(r.Header.Get("Authorization")) }))
	t.Cleanup(stranger.Close)
	w.apply(signedIn("feed", `{"url":"`+s.URL+`/echo"}`, s.URL))
	w.once(steps.Start{Campaign: "locked", Params: []byte(`{"url":"` + stranger.URL + `"}`)})
	require.Equal(t, "", shown.Load(), "it was asked, without the sign-in")
}
