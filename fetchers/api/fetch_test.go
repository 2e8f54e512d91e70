package api_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/api"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/api"
)

// got is what a fetch brought.
type got struct {
	ids        []string
	tally      harvest.Tally
	checkpoint json.RawMessage
	rejects    []harvest.Reject
	resolved   []string
	err        error
}

func fetch(t *testing.T, req harvest.Request) (g got) {
	t.Helper()
	req.Attempt = 1
	g.checkpoint = req.Checkpoint
	g.tally, g.err = harvest.Pump(t.Context(), api.New(http.DefaultClient), req, harvest.CommitFunc(func(_ context.Context, p harvest.Page) (harvest.Tally, error) {
		for _, d := range p.Documents {
			g.ids = append(g.ids, d.ID)
		}
		g.checkpoint, g.rejects, g.resolved = p.Checkpoint, append(g.rejects, p.Rejects...), append(g.resolved, p.Resolved...)
		return harvest.PageTally(&p), nil
	}))
	return g
}

func serve(t *testing.T, n int) (*replica.API, string) {
	t.Helper()
	a := replica.New(replica.Config{Records: n})
	s := httptest.NewServer(a)
	t.Cleanup(s.Close)
	return a, s.URL
}

// TestWaysToPage: every paginator brings every record once.
func TestWaysToPage(t *testing.T) {
	t.Parallel()
	for name, params := range map[string]string{
		"page_number": `"url":"BASE/pages","data_selector":"$.results","paginator":{"type":"page_number","total_path":"$.pages"}`,
		"by limit":    `"url":"BASE/pages","data_selector":"$.results","paginator":{"type":"page_number","limit":25,"limit_param":"size"}`,
		"to the end":  `"url":"BASE/pages","data_selector":"$.results","paginator":{"type":"page_number"}`,
		"offset":      `"url":"BASE/offset","data_selector":"$.records[*]","paginator":{"type":"offset","limit":20,"total_path":"$.total"}`,
		"json_link":   `"url":"BASE/links","data_selector":"$.data","paginator":{"type":"json_link","next_url_path":"$.paging.next"}`,
		"POST":        `"url":"BASE/search","method":"POST","body":{"query":"atti","since":"{incremental.start_value}"},"data_selector":"$.hits","paginator":{"type":"cursor","cursor_path":"$.cursor","has_more_path":"$.more"}`,
		"header_link": `"url":"BASE/repos/comune/albo/issues","paginator":{"type":"header_link"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, base := serve(t, 60)
			g := fetch(t, harvest.Request{Params: json.RawMessage(`{"primary_key":"$.id",` + strings.ReplaceAll(params, "BASE", base) + `}`)})
			require.NoError(t, g.err)
			require.ElementsMatch(t, a.Holds(), g.ids)
			again := fetch(t, harvest.Request{Params: json.RawMessage(`{"primary_key":"$.id",` + strings.ReplaceAll(params, "BASE", base) + `}`), Checkpoint: g.checkpoint})
			require.NoError(t, again.err)
			require.Empty(t, again.ids, "all of it is known")
			require.Equal(t, 60, again.tally.Same)
		})
	}
}

// TestOnlyWhatChangedIsAskedFor: the second run names the highest value known.
func TestOnlyWhatChangedIsAskedFor(t *testing.T) {
	t.Parallel()
	a, base := serve(t, 60)
	first := fetch(t, harvest.Request{Params: issues(base, since)})
	require.NoError(t, first.err)
	a.Put(replica.Record{ID: 103, Title: "corretto", Updated: replica.Beginning().Add(100 * time.Hour)})
	second := fetch(t, harvest.Request{Params: issues(base, since), Checkpoint: first.checkpoint})
	require.NoError(t, second.err)
	require.Equal(t, []string{"103"}, second.ids)
	asked := a.Requests()
	require.Contains(t, asked[len(asked)-1], "since=2026-09-03T19%3A00%3A00Z")
	third := fetch(t, harvest.Request{Params: issues(base, since), Checkpoint: second.checkpoint})
	require.NoError(t, third.err)
	require.Empty(t, third.ids)

	works1 := fetch(t, harvest.Request{Params: works(base, "")})
	require.NoError(t, works1.err)
	require.ElementsMatch(t, dois(a.Holds()), works1.ids)
	_ = fetch(t, harvest.Request{Params: works(base, ""), Checkpoint: works1.checkpoint})
	asked = a.Requests()
	require.Contains(t, asked[len(asked)-1], "from-index-date%3A2026-09-04", "less a day, as a date")
}

// TestALimitIsWaitedForBeforeTheWall: nothing is left, the fetch pauses where it is, and
// goes on there.
func TestALimitIsWaitedForBeforeTheWall(t *testing.T) {
	t.Parallel()
	a, base := serve(t, 60)
	a.Limit(1)
	first := fetch(t, harvest.Request{Params: issues(base, since)})
	e := harvest.AsError(first.err)
	require.Equal(t, harvest.KindThrottled, e.Kind, "%v", first.err)
	require.Greater(t, e.RetryAfter, time.Minute)
	require.Len(t, first.ids, 25)
	require.Len(t, a.Requests(), 1, "it was not refused")

	refused := fetch(t, harvest.Request{Params: issues(base, since), Checkpoint: first.checkpoint})
	require.Equal(t, harvest.KindThrottled, harvest.KindOf(refused.err), "a 403 with nothing left is the limit")
	require.ErrorContains(t, refused.err, "API rate limit exceeded")
	a.Limit(100)
	rest := fetch(t, harvest.Request{Params: issues(base, since), Checkpoint: first.checkpoint})
	require.NoError(t, rest.err)
	require.ElementsMatch(t, a.Holds(), append(first.ids, rest.ids...))
}

// TestNothingWhereSomethingWasIsBroken: an API that changed its answers is no API
// without records.
func TestNothingWhereSomethingWasIsBroken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, by, says string }{
		"list": {`"results"`, `"items"`, "data_selector $.results finds nothing"},
		"id":   {`"id"`, `"identifier"`, "primary_key $.id finds no id"},
		"date": {`"updated_at"`, `"changed"`, "fields.published"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, base := serve(t, 30)
			params := json.RawMessage(fmt.Sprintf(`{"url":%q,"data_selector":"$.results","primary_key":"$.id","fields":{"published":"$.updated_at"},"paginator":{"type":"page_number","total_path":"$.pages"}}`, base+"/pages"))
			first := fetch(t, harvest.Request{Params: params})
			require.NoError(t, first.err)
			a.Break(replica.Replaced(c.old, c.by))
			g := fetch(t, harvest.Request{Params: params, Checkpoint: first.checkpoint})
			require.Equal(t, harvest.KindBroken, harvest.KindOf(g.err), "%v", g.err)
			require.ErrorContains(t, g.err, c.says)
			require.Empty(t, g.ids)
		})
	}
}

// TestAPlaceThatIsGoneBeginsAnew: a cursor that the API no longer knows loses nothing.
func TestAPlaceThatIsGoneBeginsAnew(t *testing.T) {
	t.Parallel()
	a, base := serve(t, 60)
	a.Limit(1)
	first := fetch(t, harvest.Request{Params: works(base, "")})
	require.Error(t, first.err)
	a.Limit(100)
	cut := json.RawMessage(strings.ReplaceAll(string(first.checkpoint), "DnF1ZXJ5", "gone"))
	require.NotEqual(t, string(first.checkpoint), string(cut))
	rest := fetch(t, harvest.Request{Params: works(base, ""), Checkpoint: cut})
	require.NoError(t, rest.err)
	require.ElementsMatch(t, dois(a.Holds()), rest.ids)
}

// TestCredentials: a key among the params is named, never shown; what signs in stands
// beside them.
func TestCredentials(t *testing.T) {
	t.Parallel()
	_, base := serve(t, 5)
	key := fetch(t, harvest.Request{Params: json.RawMessage(fmt.Sprintf(`{"url":%q,"primary_key":"$.id","query":{"api_key":"canary"}}`, base+"/secured"))})
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(key.err))
	require.ErrorContains(t, key.err, "query.api_key")
	require.NotContains(t, key.err.Error(), "canary")
}

// TestTheNextPageIsOnTheSameHost: credentials are shown to no other.
func TestTheNextPageIsOnTheSameHost(t *testing.T) {
	t.Parallel()
	a, base := serve(t, 60)
	a.Break(replica.Replaced(`"/links?`, `"https://evil.example.org/links?`))
	g := fetch(t, harvest.Request{Params: json.RawMessage(fmt.Sprintf(`{"url":%q,"data_selector":"$.data","primary_key":"$.id","paginator":{"type":"json_link","next_url_path":"$.paging.next"}}`, base+"/links"))})
	require.Equal(t, harvest.KindBroken, harvest.KindOf(g.err))
	require.ErrorContains(t, g.err, "another host")
}

// TestListsWithoutEnd: an API that ignores its page, or never ends, is broken.
func TestListsWithoutEnd(t *testing.T) {
	t.Parallel()
	_, base := serve(t, 60)
	for more, says := range map[string]string{`"page_param":"seite"`: "the same records", `"base_page":1},"max_pages":2,"rate_limit":{"remaining":"x"`: "does not end"} {
		g := fetch(t, harvest.Request{Params: json.RawMessage(fmt.Sprintf(`{"url":%q,"data_selector":"$.results","primary_key":"$.id","paginator":{"type":"page_number",%s}}`, base+"/pages", more))})
		require.Equal(t, harvest.KindBroken, harvest.KindOf(g.err), more)
		require.ErrorContains(t, g.err, says)
	}
}

// TestDeletedAndErrors: a flag makes a tombstone, and a 200 can be an error.
func TestDeletedAndErrors(t *testing.T) {
	t.Parallel()
	a, base := serve(t, 3)
	a.Put(replica.Record{ID: 7, Title: "ritirato", Updated: replica.Beginning(), Deleted: true})
	deleted := 0
	params := json.RawMessage(fmt.Sprintf(`{"url":%q,"primary_key":"$.id","deleted":"$.deleted","error_path":"$.error.message"}`, base+replica.Repository))
	for p, err := range api.New(http.DefaultClient).Fetch(t.Context(), harvest.Request{Params: params, Attempt: 1}) {
		require.NoError(t, err)
		for _, d := range p.Documents {
			if d.Deleted {
				deleted++
				require.Equal(t, "7", d.ID)
				require.Empty(t, d.Fields)
			}
		}
	}
	require.Equal(t, 1, deleted)
	a.Break(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		fmt.Fprint(w, `{"error":{"message":"index is being rebuilt"}}`) // the client may be gone
	})
	g := fetch(t, harvest.Request{Params: params})
	require.Equal(t, harvest.KindBroken, harvest.KindOf(g.err))
	require.ErrorContains(t, g.err, "index is being rebuilt")
}

// TestBadParams: each says what is wrong, before any request.
func TestBadParams(t *testing.T) {
	t.Parallel()
	for params, says := range map[string]string{
		`"paginator":{"type":"cursr"}`:                                 "one of single_page",
		`"paginator":{"type":"cursor"}`:                                "paginator.cursor_path is required",
		`"paginator":{"typ":"cursor"}`:                                 "did you mean type?",
		`"paginator":{"type":"offset"}`:                                "paginator.limit is required",
		`"incremental":{"start_param":"since"}`:                        "cursor_path is required",
		`"incremental":{"cursor_path":"$.u","format":"epoch"}`:         "one of as_written",
		`"incremental":{"cursor_path":"$.u","lookback_window":"soon"}`: "lookback_window",
		`"data_selector":"items"`:                                      "begins with $",
		`"data_selector":"$.a["`:                                       "is not a JSONPath",
		`"fields":{"title":""}`:                                        "fields.title has no path",
		`"body":{"a":1}`:                                               "method: POST",
		`"zone":"Genova"`:                                              "is not a time zone",
		`"headers":{"authorization":"Bearer a"}`:                       "auth: { bearer",
		`"headers":{"X-Api-Key":"a"}`:                                  "auth: { bearer",
		`"primary_key":"$..[?@.a+"`:                                    "is not a JSONPath",
	} {
		text := `{"url":"https://a.example.org/","primary_key":"$.id",` + params + `}`
		if strings.Contains(params, "primary_key") {
			text = `{"url":"https://a.example.org/",` + params + `}`
		}
		g := fetch(t, harvest.Request{Params: json.RawMessage(text)})
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(g.err), params)
		require.ErrorContains(t, g.err, says, params)
	}
}

func TestProbe(t *testing.T) {
	t.Parallel()
	_, base := serve(t, 60)
	found, err := api.New(http.DefaultClient).(harvest.Prober).Probe(t.Context(), base+replica.Repository)
	require.NoError(t, err)
	require.Equal(t, 40, found.Sure)
	require.JSONEq(t, fmt.Sprintf(`{"url":%q,"data_selector":"$","primary_key":"$['id']","paginator":{"type":"header_link"}}`, base+replica.Repository), string(found.Params))
	g := fetch(t, harvest.Request{Params: found.Params})
	require.NoError(t, g.err)
	require.Len(t, g.ids, 60, "what it proposes works")
}
