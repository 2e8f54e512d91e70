package oaipmh_test

import (
	"encoding/json"
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

func split(t *testing.T, st *stand) (found []string, err error) {
	t.Helper()
	f := oaipmh.New(politely(t, 20*time.Second)).(harvest.Splitter)
	for e, err := range f.Split(t.Context(), harvest.Request{Params: st.params("")}) {
		if err != nil {
			return found, err
		}
		found = append(found, e.Label+" "+string(e.Params))
	}
	return found, nil
}

func TestSplit(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 4, size: 4, sets: []string{"a", "b"}})
	st := serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
		switch q.Get("resumptionToken") {
		case "":
			return say(w, strings.ReplaceAll(s.answer(q), "</ListSets>", "<resumptionToken>more</resumptionToken></ListSets>"))
		default:
			return say(w, strings.ReplaceAll(s.answer(q), "setSpec>b<", "setSpec>b:c<"))
		}
	})
	found, err := split(t, st)
	require.NoError(t, err)
	require.Equal(t, []string{`The set a {"set":"a"}`, `The set b {"set":"b"}`, `The set b {"set":"b:c"}`}, found, "each once")

	_, err = split(t, serve(t, usualShelf(), nil))
	require.Equal(t, harvest.KindMisconfigured, harvest.KindOf(err))
	require.ErrorContains(t, err, "leave out set, or split")

	circle := serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
		return say(w, strings.ReplaceAll(s.answer(q), "</ListSets>", "<resumptionToken>more</resumptionToken></ListSets>"))
	})
	_, err = split(t, circle)
	require.Equal(t, harvest.KindBroken, harvest.KindOf(err))
	require.Len(t, circle.requests(), 2)
}

// TestAListOfSetsThatIsNone: half a list would take the other items away.
func TestAListOfSetsThatIsNone(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 4, size: 4, sets: []string{"a", "b"}})
	for name, inner := range map[string]string{"nothing": "", "another answer": "<ListRecords></ListRecords>", "an error": `<error code="noRecordsMatch"/><error code="InternalException"/>`} {
		for _, on := range []string{"", "more"} {
			st := serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
				if q.Get("resumptionToken") == on {
					return say(w, s.frame(inner))
				}
				return say(w, strings.ReplaceAll(s.answer(q), "</ListSets>", "<resumptionToken>more</resumptionToken></ListSets>"))
			})
			_, err := split(t, st)
			require.Error(t, err, "%s, on token %q", name, on)
		}
	}
}

// later serves the same shelf under a clock that has gone on.
func later(s shelf, clock string) *shelf {
	s.clock = clock
	return newShelf(s)
}

func TestASetThatVanishedIsGone(t *testing.T) {
	t.Parallel()
	before := shelf{n: 12, size: 4, sets: []string{"a", "b"}}
	on := newShelf(before)
	st := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { on.ServeHTTP(w, r) }), nil)
	req := harvest.Request{Params: st.params(`,"set":"a"`)}
	whole := st.fetch(t, req)
	require.Len(t, whole.ids(), 6)

	after := shelf{n: 12, size: 4, sets: []string{"b", "c"}}
	on = later(after, "2016-09-03T10:00:00Z")
	req.Checkpoint = whole.checkpoint()
	st.forget()
	r := st.fetch(t, req)
	require.Equal(t, "unchanged", r.outcome(), "within a week it is not asked after")
	require.Len(t, st.requests(), 1)

	on = later(after, "2016-09-12T10:00:00Z")
	req.Checkpoint = r.checkpoint()
	st.forget()
	r = st.fetch(t, req)
	require.Equal(t, "gone", r.outcome(), "%v", r.err)
	require.ErrorContains(t, r.err, "set a is no longer among")
	require.Equal(t, []string{"ListRecords set=a from=2016-09-02T10:00:00Z", "ListIdentifiers set=a", "ListSets"}, st.requests())

	on = later(before, "2016-09-12T10:00:00Z")
	st.forget()
	r = st.fetch(t, req)
	require.Equal(t, "unchanged", r.outcome(), "a set that is still there has only nothing new")
	require.Len(t, st.requests(), 2)
}

func TestASetThatHasBecomeEmpty(t *testing.T) {
	t.Parallel()
	on := newShelf(shelf{n: 12, size: 4, sets: []string{"a", "b"}})
	st := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { on.ServeHTTP(w, r) }), nil)
	req := harvest.Request{Params: st.params(`,"set":"a"`)}
	req.Checkpoint = st.fetch(t, req).checkpoint()
	on = later(shelf{n: 1, size: 4, sets: []string{"b", "a"}}, "2016-09-12T10:00:00Z")
	require.Equal(t, "empty", st.fetch(t, req).outcome())
}

func TestASetThatNeverWas(t *testing.T) {
	t.Parallel()
	st := serve(t, newShelf(shelf{n: 12, size: 4, sets: []string{"theses", "articles"}}), nil)
	r := st.fetch(t, harvest.Request{Params: st.params(`,"set":"thesis"`)})
	require.Equal(t, "misconfigured", r.outcome())
	require.ErrorContains(t, r.err, "did you mean set: theses?")
}

func TestARecordOfASetBelowIsOfTheSet(t *testing.T) {
	t.Parallel()
	s := newShelf(shelf{n: 12, size: 4, sets: []string{"a"}})
	st := serve(t, s, func(w http.ResponseWriter, q url.Values) bool {
		return q.Has("resumptionToken") && say(w, strings.ReplaceAll(s.answer(q), "<setSpec>a<", "<setSpec>a:b<"))
	})
	require.Equal(t, "done", st.fetch(t, harvest.Request{Params: st.params(`,"set":"a"`)}).outcome())
}

func TestProbe(t *testing.T) {
	t.Parallel()
	probe := func(st *stand, path string) harvest.Finding {
		found, err := oaipmh.New(politely(t, 20*time.Second)).(harvest.Prober).Probe(t.Context(), st.URL+path)
		require.NoError(t, err)
		return found
	}
	st := serve(t, newShelf(shelf{n: 12, size: 4, sets: []string{"a", "b"}}), nil)
	found := probe(st, "/oai?verb=ListRecords&metadataPrefix=oai_dc")
	require.Equal(t, 100, found.Sure)
	require.Equal(t, []harvest.Fact{
		{Name: "name", Value: "Shelf"},
		{Name: "granularity", Value: "YYYY-MM-DDThh:mm:ssZ"},
		{Name: "deleted", Value: "persistent"},
		{Name: "earliest", Value: "2015-01-01T10:00:00Z"},
		{Name: "formats", Value: "oai_dc marcxml"},
		{Name: "sets", Value: "2"},
		{Name: "compression", Value: "gzip"},
		{Name: "protocol", Value: "2.0"},
	}, found.Facts)
	require.JSONEq(t, `{"url":"`+st.URL+`/oai","prefix":"oai_dc"}`, string(found.Params))
	require.Len(t, st.requests(), 3)
	require.Empty(t, paramspec.Check(found.Params, oaipmh.Params{}))

	require.Equal(t, "none", probe(serve(t, usualShelf(), nil), "/oai").Facts[5].Value)
	html := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { say(w, "<html></html>") }), nil)
	require.Zero(t, probe(html, "/").Sure)
}

func TestCheckpointsOfNobody(t *testing.T) {
	t.Parallel()
	st := serve(t, usualShelf(), nil)
	for _, c := range []string{`{"live":{}}`, `{"live":{"at":{"token":5}}}`, `[]`, `{"from":"x"}`} {
		require.Len(t, st.fetch(t, harvest.Request{Checkpoint: json.RawMessage(c)}).ids(), 12, c)
	}
}
