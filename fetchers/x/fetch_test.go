package x_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/x"
	"github.com/vendemmia/vendemmia/harvest"
	replica "github.com/vendemmia/vendemmia/internal/local/replica/x"
)

// world is the API and what one item fetched from it.
type world struct {
	t     *testing.T
	api   *replica.API
	base  string
	now   time.Time
	req   harvest.Request
	pages []harvest.Page
	stop  int // after so many pages
}

func newWorld(t *testing.T, c replica.Config) *world {
	t.Helper()
	w := &world{t: t, now: noon(), req: harvest.Request{Attempt: 1}}
	c.Now = func() time.Time { return w.now }
	w.api = replica.New(c)
	s := httptest.NewServer(w.api)
	t.Cleanup(s.Close)
	w.base = s.URL
	return w
}

func (w *world) fetch(more string) error {
	w.req.Params, w.pages = params(w.base, more), nil
	for page, err := range x.New(http.DefaultClient).Fetch(w.t.Context(), w.req) {
		if err != nil {
			return err
		}
		require.NoError(w.t, page.Check())
		w.pages, w.req.Checkpoint = append(w.pages, page), page.Checkpoint
		if len(w.pages) == w.stop {
			break
		}
	}
	return nil
}

func (w *world) documents() (docs []harvest.Document) {
	for _, p := range w.pages {
		docs = append(docs, p.Documents...)
	}
	return docs
}

func (w *world) ids() (ids []string) {
	for _, d := range w.documents() {
		ids = append(ids, d.ID)
	}
	return ids
}

func (w *world) query(n int) map[string]string {
	q := map[string]string{}
	requests := w.api.Requests()
	for name, values := range requests[len(requests)-n].URL.Query() {
		q[name] = values[0]
	}
	return q
}

// spent is what the checkpoint says was read.
func (w *world) spent() (month string, reads int) {
	var cp struct {
		Spent struct {
			Month string
			Reads int
		}
	}
	require.NoError(w.t, json.Unmarshal(w.req.Checkpoint, &cp))
	return cp.Spent.Month, cp.Spent.Reads
}

const genova = `,"channel":"@Genova"`

func TestASecondRunAsksForWhatIsNewer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	require.NoError(t, w.fetch(genova))
	require.ElementsMatch(t, w.api.Holds(0), w.ids())
	require.Len(t, w.api.Requests(), 2, "the user's id, and a page")
	require.Equal(t, w.documents()[0].Fields["version"], w.documents()[0].ID)

	require.NoError(t, w.fetch(genova))
	require.True(t, w.pages[0].NotModified)
	require.Len(t, w.api.Requests(), 3, "the user's id is known")
	require.Equal(t, w.api.Holds(0)[0], w.query(1)["since_id"])
	w.now = w.now.Add(time.Hour)
	post := w.api.Write(0, "something new")
	require.NoError(t, w.fetch(genova))
	require.Len(t, w.ids(), 1)

	// An edit is a version of the same document, under a newer id.
	w.now = w.now.Add(10 * time.Minute)
	w.api.Edit(post, "something else")
	require.NoError(t, w.fetch(genova))
	require.Equal(t, []string{w.api.Holds(0)[0]}, w.ids())
	require.Equal(t, "something else", string(w.documents()[0].Body))
	require.Len(t, w.documents()[0].Fields["versions"], 2)
}

// Within a fetch tokens lead on; one that was cut goes on by the oldest id.
func TestTokensWithinAFetchIDsAcross(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Posts: 250, Users: []string{"Genova"}})
	more := genova + `,"backlog":1000`
	w.stop = 2
	require.NoError(t, w.fetch(more))
	require.NotEmpty(t, w.query(1)["pagination_token"])
	got := w.ids()
	w.stop, w.now = 0, w.now.Add(time.Hour)
	w.api.Write(0, "written between the two")
	require.NoError(t, w.fetch(more))
	q := w.query(2)
	require.Equal(t, got[len(got)-1], q["until_id"])
	require.Empty(t, q["pagination_token"])
	require.ElementsMatch(t, w.api.Holds(0), append(got, w.ids()...), "what came between is read by the same fetch")
}

// The first run reads back as far as backlog says, and no further.
func TestBacklog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Posts: 250, Users: []string{"Genova"}})
	require.NoError(t, w.fetch(genova+`,"backlog":120`))
	require.Equal(t, w.api.Holds(0)[:120], w.ids())
	require.NoError(t, w.fetch(genova+`,"backlog":120`))
	require.Empty(t, w.ids(), "what lies behind is not read later")
}

// A run that has used its reads ends as partial, and the next one goes on; a month
// that has used its own is throttled until the next, and what was read stays counted.
func TestBudgets(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Posts: 250, Users: []string{"Genova"}})
	more := genova + `,"backlog":3200,"reads_per_run":110,"reads_per_month":200`
	require.NoError(t, w.fetch(more))
	last := w.pages[len(w.pages)-1]
	require.True(t, last.Partial)
	require.Contains(t, last.Warnings[0], "budget: 110 of 110 reads of this run")
	got := w.ids()
	require.Len(t, got, 109, "and the user")

	w.req.Attempt = 2
	require.NoError(t, w.fetch(more))
	require.Empty(t, w.ids(), "a retry goes on counting")
	w.req.Attempt = 1
	err := w.fetch(more)
	e := harvest.AsError(err)
	require.Equal(t, harvest.KindThrottled, e.Kind)
	require.ErrorContains(t, err, "budget: ")
	require.Positive(t, e.RetryAfter)
	got = append(got, w.ids()...)
	month, reads := w.spent()
	require.Equal(t, time.Now().UTC().Format("2006-01"), month)
	require.LessOrEqual(t, reads, 200)
	require.Len(t, got, reads-1)

	asked := len(w.api.Requests())
	require.Equal(t, harvest.KindThrottled, harvest.KindOf(w.fetch(more)))
	require.Len(t, w.api.Requests(), asked, "nothing is asked once it is used up")
	require.NoError(t, w.fetch(`,"user":"Genova","exclude":["replies"],"backlog":100,"reads_per_run":110,"reads_per_month":400`))
	_, after := w.spent()
	require.Greater(t, after, reads, "other params forget nothing that was paid for")
	require.Subset(t, w.api.Holds(0), got)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault   replica.Fault
		config  replica.Config
		more    string
		kind    harvest.Kind
		text    string
		atLeast time.Duration
	}{
		"rate limit":       {config: replica.Config{Limit: 1, Posts: 200}, more: genova + `,"backlog":200`, kind: harvest.KindThrottled, text: "Rate limit exceeded", atLeast: 2 * time.Second},
		"rate, as problem": {fault: replica.Problem(429, "rate-limit-exceeded"), more: genova, kind: harvest.KindThrottled, text: "rate-limit", atLeast: 15 * time.Minute},
		"usage capped":     {config: replica.Config{Cap: 1}, more: genova, kind: harvest.KindThrottled, text: "budget of the account", atLeast: time.Second},
		"token":            {more: genova + `,"token":"old"`, kind: harvest.KindMisconfigured, text: "params.token"},
		"access":           {fault: replica.Problem(403, "client-forbidden"), more: genova, kind: harvest.KindBlocked, text: "developer portal"},
		"request":          {fault: replica.Problem(400, "invalid-request"), more: genova, kind: harvest.KindMisconfigured, text: "invalid-request"},
		"no such user":     {more: `,"user":"nobody"`, kind: harvest.KindGone, text: "Could not find user"},
		"nothing at all":   {fault: replica.Changed(func(a map[string]json.RawMessage) { clear(a) }), more: genova, kind: harvest.KindBroken, text: "neither data nor meta"},
		"protected": {fault: replica.Changed(func(a map[string]json.RawMessage) {
			clear(a)
			a["errors"] = json.RawMessage(`[{"title":"Authorization Error","type":"https://api.x.com/2/problems/not-authorized-for-resource"}]`)
		}), more: genova, kind: harvest.KindBlocked, text: "protected"},
		"a user without id":        {fault: replica.Changed(func(a map[string]json.RawMessage) { a["data"] = json.RawMessage(`{"id":7}`) }), more: genova, kind: harvest.KindBroken, text: "no user with an id"},
		"a page that names itself": {fault: circle, more: genova, kind: harvest.KindBroken, text: "names itself"},
	} {
		w := newWorld(t, c.config)
		w.now = time.Now()
		w.api.Break(c.fault)
		err := w.fetch(c.more)
		if name == "usage capped" && err == nil {
			w.now = w.now.Add(time.Hour)
			err = w.fetch(c.more)
		}
		require.Equal(t, c.kind, harvest.KindOf(err), "%s: %v", name, err)
		require.ErrorContains(t, err, c.text, name)
		require.NotContains(t, err.Error(), replica.Token)
		require.GreaterOrEqual(t, harvest.AsError(err).RetryAfter, c.atLeast, name)
	}
}

// circle sends the first page again and again.
func circle(w http.ResponseWriter, r *http.Request, right http.Handler) {
	q := r.URL.Query()
	q.Del("pagination_token")
	r.URL.RawQuery = q.Encode()
	replica.Changed(func(a map[string]json.RawMessage) {
		if a["meta"] != nil {
			a["meta"] = json.RawMessage(`{"result_count":12,"next_token":"again"}`)
		}
	})(w, r, right)
}

// An answer that lacks parts is read, and says so; one that lists nothing is empty.
func TestPartialErrorsAndNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	w.api.Break(replica.Incomplete(7))
	require.NoError(t, w.fetch(`,"query":"post"`))
	require.NotEmpty(t, w.ids())
	require.Contains(t, w.pages[0].Warnings[0], "Could not find user with author_id: [7]")
	require.False(t, w.pages[0].Partial)

	w = newWorld(t, replica.Config{})
	require.NoError(t, w.fetch(`,"query":"nothing like it"`))
	require.Len(t, w.pages, 1)
	require.Zero(t, w.pages[0].Listed)
	require.False(t, w.pages[0].NotModified)
}

// A search reaches back seven days: where the last post is older it begins anew, and
// says that something may be missing.
func TestASearchThatRestedTooLong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	require.NoError(t, w.fetch(`,"query":"from:savona"`))
	require.Len(t, w.ids(), 12)
	w.now = w.now.Add(10 * 24 * time.Hour)
	w.api.Write(1, "after the holidays")
	require.NoError(t, w.fetch(`,"query":"from:savona"`))
	require.Equal(t, w.api.Holds(1)[:1], w.ids())
	require.True(t, w.pages[0].Partial)
	require.Contains(t, w.pages[0].Warnings[0], "seven days")
	require.NoError(t, w.fetch(`,"query":"from:savona"`))
	require.True(t, w.pages[0].NotModified)
}

func TestAWindowMovesNothingButWhatWasPaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{})
	require.NoError(t, w.fetch(genova))
	var before, after map[string]any
	require.NoError(t, json.Unmarshal(w.req.Checkpoint, &before))
	w.req.Window = harvest.Window{From: noon().Add(-5 * time.Hour), Until: noon().Add(-2 * time.Hour)}
	require.NoError(t, w.fetch(genova))
	require.Len(t, w.ids(), 3)
	require.NoError(t, json.Unmarshal(w.req.Checkpoint, &after))
	require.Equal(t, before["since"], after["since"])
	require.NotEqual(t, before["spent"], after["spent"])
}

func TestNothingIsLostToALimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, replica.Config{Posts: 250, Users: []string{"Genova"}, Limit: 1})
	more := genova + `,"backlog":3200`
	var got []string
	for range 9 {
		err := w.fetch(more)
		if got = append(got, w.ids()...); err == nil {
			break
		}
		require.Equal(t, harvest.KindThrottled, harvest.KindOf(err))
		w.now = w.now.Add(15 * time.Minute)
	}
	require.ElementsMatch(t, w.api.Holds(0), got)
}

func TestProbe(t *testing.T) {
	t.Parallel()
	p, ok := x.New(nil).(harvest.Prober)
	require.True(t, ok)
	for address, want := range map[string]struct {
		sure   int
		params string
	}{
		"https://x.com/Genova":                       {90, `{"user":"Genova","token":"${secret:env:VENDEMMIA_SECRET_X}"}`},
		"https://mobile.twitter.com/Genova/status/1": {90, `{"user":"Genova","token":"${secret:env:VENDEMMIA_SECRET_X}"}`},
		"https://www.x.com/search?q=meteo+genova":    {90, `{"query":"meteo genova","token":"${secret:env:VENDEMMIA_SECRET_X}"}`},
		"https://x.com/i/web/status/1":               {30, ""},
		"https://example.org/Genova":                 {0, ""},
	} {
		found, err := p.Probe(context.Background(), address)
		require.NoError(t, err)
		require.Equal(t, want.sure, found.Sure, address)
		if want.params != "" {
			require.JSONEq(t, want.params, string(found.Params))
		}
	}
}

// A search whose pages are empty and always name a next one ends.
func TestAListWithoutAnEnd(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"meta":{"result_count":0,"next_token":"%d"}}`, asked.Add(1))
	}))
	t.Cleanup(s.Close)
	w := &world{t: t, base: s.URL, now: noon(), req: harvest.Request{Attempt: 1}}
	err := w.fetch(`,"query":"genova"`)
	require.ErrorContains(t, err, "the list does not end: 1001 pages came")
	require.Equal(t, harvest.KindBroken, harvest.KindOf(err))
}
