package oaipmh_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vendemmia/vendemmia/fetchers/oaipmh"
	"github.com/vendemmia/vendemmia/harvest"
	"github.com/vendemmia/vendemmia/internal/paramspec"
)

func TestTheNextHarvestBeginsAtTheRepositorysClock(t *testing.T) {
	t.Parallel()
	s := usualShelf()
	n := 0
	st := serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
		n++ // its clock goes on while it is harvested
		return q.Get("verb") == "ListRecords" && say(w, strings.ReplaceAll(s.answer(q), "2016-09-01T10:00:00Z", fmt.Sprintf("2016-09-01T10:0%d:00Z", n)))
	})
	first := st.fetch(t, harvest.Request{Params: st.params(`,"overlap":"2h"`)})
	require.NoError(t, first.err)
	for _, p := range first.pages[:len(first.pages)-1] {
		require.NotContains(t, string(p.Checkpoint), "as_of", "not before the end of the list")
	}
	st.forget()
	again := st.fetch(t, harvest.Request{Params: st.params(`,"overlap":"2h"`), Checkpoint: first.checkpoint()})
	require.Equal(t, "unchanged", again.outcome())
	require.True(t, again.pages[0].NotModified)
	require.Equal(t, []string{"ListRecords from=2016-09-01T08:02:00Z"}, st.requests(), "the first response of the list counts")
}

func TestOverlapIsOneGranuleAtLeast(t *testing.T) {
	t.Parallel()
	st := serve(t, newShelf(shelf{n: 3, size: 4, days: true}), nil)
	params := st.params(`,"overlap":"0s"`)
	first := st.fetch(t, harvest.Request{Params: params})
	st.forget()
	st.fetch(t, harvest.Request{Params: params, Checkpoint: first.checkpoint()})
	require.Equal(t, []string{"ListRecords from=2016-08-31"}, st.requests())
}

// forever follows a harvest whose runs are cut off after so many pages, until
// it has come to its end.
func (s *stand) forever(t *testing.T, req harvest.Request, pages int) (ids []string) {
	t.Helper()
	for range 500 {
		n := 0
		for p, err := range oaipmh.New(politely(t, 20*time.Second)).Fetch(t.Context(), req) {
			require.NoError(t, err)
			req.Checkpoint = p.Checkpoint
			for _, d := range p.Documents {
				ids = append(ids, d.ID)
			}
			if p.Last {
				return ids
			}
			if n++; n == pages {
				break
			}
		}
	}
	require.Fail(t, "it does not come to its end")
	return nil
}

func TestWindows(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 500, size: 30})
	for _, window := range []string{"year", "month", "week", "day"} {
		st := serve(t, s, nil)
		ids := st.forever(t, harvest.Request{Params: st.params(`,"window":"` + window + `"`)}, 2)
		require.Equal(t, sorted(s.ids()), sorted(ids), window)
		require.Equal(t, "Identify", st.requests()[0])
	}
}

func TestALongListIsCutIntoMonths(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 400, size: 50, told: true})
	st := serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
		return !q.Has("until") && !q.Has("from") && q.Get("verb") == "ListRecords" && say(w, strings.ReplaceAll(s.answer(q), `"400"`, `"40000"`))
	})
	r := st.fetch(t, harvest.Request{})
	require.Equal(t, "done", r.outcome(), "%v", r.err)
	require.Equal(t, s.ids(), idsInOrder(r), "neither loss nor double")
	require.Equal(t, []string{"Identify", "ListRecords", "ListRecords until=2015-01-31T23:59:59Z"}, st.requests()[:3])
	require.Contains(t, st.requests(), "ListRecords from=2015-01-31T23:59:59Z until=2015-02-28T23:59:59Z")
}

func idsInOrder(r *result) (ids []string) {
	for _, d := range r.documents() {
		ids = append(ids, d.ID)
	}
	return ids
}

func TestEveryTokenRefusedLosesNothing(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*shelf{
		"in order": newShelf(shelf{n: 90, size: 8, told: true}), "not in order": newShelf(shelf{n: 90, size: 8, mixed: true}),
		"of days": newShelf(shelf{n: 90, size: 8, days: true, mixed: true}),
	} {
		st := serve(t, s, onToken("", refuse)())
		r := st.fetch(t, harvest.Request{})
		require.Equal(t, "done", r.outcome(), "%s: %v", name, r.err)
		require.Equal(t, sorted(s.ids()), r.ids(), name)
		require.NotContains(t, string(r.checkpoint()), "live", name)
	}
}

// TestADayThatCannotBeCut: without shorter spans to ask for, a list is tried a
// few times and then given up, to be begun anew.
func TestADayThatCannotBeCut(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 4, size: 2, days: true})
	for i := range s.records {
		s.records[i].stamp = "2015-01-01"
	}
	st := serve(t, s, onToken("", refuse)())
	r := st.fetch(t, harvest.Request{Params: st.params(`,"from":"2015-01-01","until":"2015-01-01"`)})
	require.Equal(t, "server_error", r.outcome())
	require.ErrorContains(t, r.err, "breaks off again and again")
	require.NotContains(t, string(r.checkpoint()), "token")
	require.Less(t, len(st.requests()), 20)
}

func TestAnExpiredTokenIsNotAskedFor(t *testing.T) {
	t.Parallel()
	s := usualShelf()
	expire := func(at string) *stand {
		return serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
			return q.Get("verb") == "ListRecords" && say(w, strings.ReplaceAll(s.answer(q), "<resumptionToken ", `<resumptionToken expirationDate="`+at+`" `))
		})
	}
	st := expire("2016-09-01T11:00:00Z")
	first := st.fetch(t, harvest.Request{Limit: 8})
	require.NoError(t, first.err)
	var c map[string]any
	require.NoError(t, json.Unmarshal(first.pages[0].Checkpoint, &c))
	at := c["live"].(map[string]any)["at"].(map[string]any)
	left, err := time.Parse(time.RFC3339, at["expires"].(string))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(time.Hour), left, time.Minute, "an hour on the repository's clock is an hour on ours")

	at["expires"] = "2020-01-01T00:00:00Z"
	late, err := json.Marshal(c)
	require.NoError(t, err)
	st.forget()
	rest := st.fetch(t, harvest.Request{Checkpoint: late})
	require.Equal(t, "done", rest.outcome(), "%v", rest.err)
	require.Equal(t, "ListRecords from=2015-01-02T04:00:00Z", st.requests()[0], "it goes on from the last datestamp")
	require.Len(t, (&result{pages: append(first.pages[:1:1], rest.pages...)}).ids(), 12)

	past := expire("2016-09-01T09:00:00Z").fetch(t, harvest.Request{})
	require.Equal(t, "done", past.outcome(), "one that had expired when it was given is not believed")
	require.Empty(t, past.warnings())
}

func TestAWindowMovesNothingElse(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 40, size: 4})
	st := serve(t, s, nil)
	whole := st.fetch(t, harvest.Request{})
	w := harvest.Window{From: shelfBegin().Add(24 * time.Hour), Until: shelfBegin().Add(5 * 24 * time.Hour)}
	req := harvest.Request{Window: w, Checkpoint: whole.checkpoint()}
	st.forget()
	r := st.fetch(t, req)
	require.Equal(t, s.ids()[4:20], idsInOrder(r), "from included, until not")
	require.Equal(t, "ListRecords from=2015-01-02T10:00:00Z until=2015-01-06T10:00:00Z", st.requests()[0])
	require.JSONEq(t, string(whole.checkpoint()), string(r.checkpoint()))
	req.Checkpoint = r.pages[0].Checkpoint
	require.Equal(t, s.ids()[8:20], idsInOrder(st.fetch(t, req)), "it goes on within the window")
	req.Window = harvest.Window{}
	require.Equal(t, "unchanged", st.fetch(t, req).outcome(), "the daily harvest is where it was")

	days := serve(t, newShelf(shelf{n: 40, size: 4, days: true}), nil)
	midnight := time.Date(2015, 1, 3, 0, 0, 0, 0, time.UTC)
	days.fetch(t, harvest.Request{Window: harvest.Window{From: midnight.Add(-24 * time.Hour), Until: midnight}})
	require.Equal(t, "ListRecords from=2015-01-02 until=2015-01-02", days.requests()[1])
}

func TestAgainGoesOnOverItsAttempts(t *testing.T) {
	t.Parallel()
	s := usualShelf()
	st := serve(t, s, nil)
	whole := st.fetch(t, harvest.Request{})
	req := harvest.Request{ForceRefresh: true, Checkpoint: whole.checkpoint()}
	again := st.fetch(t, req)
	require.Len(t, again.ids(), 12)
	st.forget()
	req.Checkpoint = again.pages[0].Checkpoint
	require.Len(t, st.fetch(t, req).ids(), 8, "what the first attempt committed is not asked for once more")
	require.Equal(t, []string{"ListRecords token=,,,4", "ListRecords token=,,,8"}, st.requests())
}

func TestProtocolErrorsSayWhatThereIs(t *testing.T) {
	t.Parallel()
	for code, c := range map[string]struct{ kind, want, params string }{
		"cannotDisseminateFormat": {"misconfigured", "did you mean prefix: marcxml?", `,"prefix":"marcxm"`},
		"badVerb":                 {"misconfigured", "badVerb", ""},
		"badArgument":             {"misconfigured", "granularity: none", ""},
		"noSetHierarchy":          {"misconfigured", "leave out set", `,"set":"a"`},
		"idDoesNotExist":          {"server_error", "idDoesNotExist", ""},
		"badResumptionToken":      {"server_error", "badResumptionToken", ""},
	} {
		s := usualShelf()
		st := serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
			return q.Get("verb") == "ListRecords" && say(w, s.errorOf(code))
		})
		r := st.fetch(t, harvest.Request{Params: st.params(c.params)})
		require.Equal(t, c.kind, r.outcome(), code)
		require.ErrorContains(t, r.err, c.want, code)
		require.NotContains(t, r.err.Error(), "verb=ListRecords", "no query string")
	}
}

func TestErrorsOfTheProtocolWithAStatus(t *testing.T) {
	t.Parallel()
	s := usualShelf()
	st := serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
		if q.Get("verb") != "ListRecords" {
			return false
		}
		w.WriteHeader(http.StatusUnprocessableEntity)
		return say(w, s.errorOf("noRecordsMatch"))
	})
	require.Equal(t, "unchanged", st.fetch(t, harvest.Request{}).outcome())
}

// TestATokenThatLeadsNowhere: one that was left by an earlier run and brings no
// list any more does not hold the item for ever.
func TestATokenThatLeadsNowhere(t *testing.T) {
	t.Parallel()
	s := usualShelf()
	st := serve(t, s, onToken(",,,8", func(w http.ResponseWriter, _ url.Values) bool {
		return say(w, "<html><body>Session expired</body></html>")
	})())
	first := st.fetch(t, harvest.Request{})
	require.Equal(t, "broken", first.outcome())
	require.Contains(t, string(first.checkpoint()), ",,,8")
	next := st.fetch(t, harvest.Request{Checkpoint: first.checkpoint()})
	require.Equal(t, "done", next.outcome(), "%v", next.err)
	require.Equal(t, sorted(s.ids()), (&result{pages: append(first.pages, next.pages...)}).ids())
}

// TestACheckpointOfTomorrow: one that a wrong clock has left lists everything
// once more; what it passed over comes.
func TestACheckpointOfTomorrow(t *testing.T) {
	t.Parallel()
	st := serve(t, usualShelf(), nil)
	req := harvest.Request{}
	whole := st.fetch(t, req)
	var c map[string]any
	require.NoError(t, json.Unmarshal(whole.checkpoint(), &c))
	c["from"], c["as_of"] = "9999-12-30T00:00:00Z", "9999-12-31T00:00:00Z"
	req.Checkpoint, _ = json.Marshal(c)
	r := st.fetch(t, req)
	require.Len(t, r.ids(), 12)
	require.Contains(t, strings.Join(r.warnings(), "\n"), "which is not yet")
	require.JSONEq(t, string(whole.checkpoint()), string(r.checkpoint()))
}

func TestAnotherSourceBeginsAnew(t *testing.T) {
	t.Parallel()
	st := serve(t, newShelf(shelf{n: 12, size: 4, sets: []string{"a", "b"}}), nil)
	whole := st.fetch(t, harvest.Request{})
	require.Len(t, st.fetch(t, harvest.Request{Params: st.params(`,"set":"a"`), Checkpoint: whole.checkpoint()}).ids(), 6)
	require.Empty(t, st.fetch(t, harvest.Request{Params: st.params(`,"overlap":"3d","prefix":"oai_dc"`), Checkpoint: whole.checkpoint()}).ids())
}

func TestResume(t *testing.T) {
	t.Parallel()
	st := serve(t, usualShelf(), nil)
	f := oaipmh.New(politely(t, 20*time.Second)).(harvest.Resumer)
	req := harvest.Request{Params: st.params("")}
	c, err := f.Resume(req, map[string]string{"from": "2015-01-03"})
	require.NoError(t, err)
	req.Checkpoint = c
	require.Len(t, st.fetch(t, req).ids(), 5)
	require.Equal(t, "ListRecords from=2015-01-03T00:00:00Z", st.requests()[1])
	for _, bad := range []map[string]string{{"since": "2015-01-03"}, {"from": "yesterday"}, {}} {
		_, err := f.Resume(req, bad)
		require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err), "%v", bad)
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	for more, want := range map[string]string{
		``: "", `,"overlap":"36h"`: "", `,"overlap":"2d","from":"2020","until":"2021-01-01T00:00:00Z"`: "",
		`,"overlap":"-1h"`: "overlap", `,"overlap":"x"`: "overlap", `,"from":"soon"`: "from", `,"from":"2021-01-01","until":"2020-01-01"`: "before",
		`,"encoding":"klingon"`: "encoding", `,"window":"hour"`: "one of auto", `,"url":"https://a.example.org/?verb=Identify"`: "base URL", `,"url":"ftp://x"`: "http",
		`,"url":"https://${secret:env:X}/oai"`: "",
	} {
		text := fmt.Sprint(paramspec.Check(json.RawMessage(`{"url":"https://repo.example.org/oai"`+more+`}`), oaipmh.Params{}))
		if want == "" {
			require.Equal(t, "[]", text, more)
		} else {
			require.Contains(t, text, want, more)
		}
	}
}
